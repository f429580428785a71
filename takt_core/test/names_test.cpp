// Every enumeration is read as it is printed.
#include "takt_core/names.hpp"

#include <gtest/gtest.h>

namespace takt_core::test
{
namespace
{

template <typename Enum>
class Names : public testing::Test
{
};

using Enums =
  testing::Types<Order, WindowTimers, ExceptionPolicy, MissingRights, Policy, MissedPeriods, Kind>;
TYPED_TEST_SUITE(Names, Enums);

TYPED_TEST(Names, are_read_as_they_are_printed_and_nothing_else_is)
{
  for (const auto & [value, name] : names<TypeParam>()) {
    EXPECT_EQ(to_string(value), name);
    EXPECT_EQ(from_string<TypeParam>(name), value);
  }
  // `to_string` prints a value without a word as "unknown".
  EXPECT_EQ(to_string(static_cast<TypeParam>(names<TypeParam>().size())), "unknown");
  EXPECT_EQ(from_string<TypeParam>("unknown"), std::nullopt);
  EXPECT_EQ(from_string<TypeParam>(""), std::nullopt);
}

TEST(PolicyNames, are_lower_case_and_exact)
{
  EXPECT_EQ(to_string(Policy::fifo), "fifo");
  EXPECT_EQ(from_string<Policy>("FIFO"), std::nullopt);
}

TEST(NameOfACeiling, is_a_word_or_a_priority)
{
  EXPECT_EQ(to_string(MiddlewareCeiling{}), "auto");
  EXPECT_EQ(to_string(MiddlewareCeiling{MiddlewareCeiling::Mode::off}), "off");
  EXPECT_EQ(to_string(MiddlewareCeiling{MiddlewareCeiling::Mode::fixed, 40}), "40");
}

}  // namespace
}  // namespace takt_core::test
