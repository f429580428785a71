// The table that CMake makes of middlewares/*.json.
#include "takt_schedule/middlewares.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace takt_schedule
{
namespace
{

bool has(std::span<const std::string_view> all, std::string_view one)
{
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(Middlewares, AreFoundByTheBeginningOfTheirImplementations)
{
  for (const char * const name : {"rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp"}) {
    const Middleware * const found = find_middleware(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->rmw, "rmw_fastrtps");
    EXPECT_TRUE(found->usual);
    EXPECT_TRUE(found->numbers_requests_by_client);
    EXPECT_TRUE(has(found->threads, "dds.*"));
    EXPECT_TRUE(has(found->libraries, "libfastcdr"));
  }
  const Middleware * const other = find_middleware("rmw_cyclonedds_cpp");
  ASSERT_NE(other, nullptr);
  EXPECT_FALSE(other->usual);
  EXPECT_FALSE(other->numbers_requests_by_client);
  EXPECT_TRUE(other->threads.empty());
  EXPECT_TRUE(has(other->libraries, "libddsc"));
  EXPECT_EQ(find_middleware("rmw_unknown_cpp"), nullptr);
  EXPECT_EQ(find_middleware(""), nullptr);
}

TEST(Middlewares, OneIsUsualAndNoneIsEmpty)
{
  const auto all = middlewares();
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const auto & one) { return one.usual; }), 1);
  for (const Middleware & one : all) {
    EXPECT_EQ(find_middleware(one.rmw), &one);
    EXPECT_FALSE(one.threads.empty() && one.libraries.empty()) << one.rmw;
  }
}

}  // namespace
}  // namespace takt_schedule
