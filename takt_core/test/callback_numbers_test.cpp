// Numbers of callbacks: unique among live callbacks, reused late, found by id.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "scheduler/callback_numbers.hpp"
#include "support/by_hand.hpp"

namespace takt_core::test
{
namespace
{

std::unique_ptr<Callback> make(const std::string & id)
{
  CallbackOptions options;
  options.id = id;
  return std::make_unique<SilentCallback>(options);
}

TEST(CallbackNumbers, are_used_again_and_never_by_two_that_live)
{
  std::vector<std::unique_ptr<Callback>> living;
  std::set<std::uint32_t> of_the_living;
  for (int i = 0; i < 100; ++i) {
    living.push_back(make("living" + std::to_string(i)));
    of_the_living.insert(living.back()->number());
  }
  ASSERT_EQ(of_the_living.size(), living.size());
  std::uint32_t largest = 0;
  for (std::uint32_t i = 0; i < 4 * detail::kNumbersKept; ++i) {
    const auto passing = make("passing");
    ASSERT_EQ(of_the_living.count(passing->number()), 0U);
    largest = std::max(largest, passing->number());
  }
  EXPECT_LT(largest, 2 * detail::kNumbersKept);
}

TEST(CallbackNumbers, say_the_id_until_they_are_used_again)
{
  const auto id = detail::id_number("root");  // a chain holds the number
  auto root = make("root");
  const std::uint32_t number = root->number();
  EXPECT_EQ(detail::id_number_of(number), *id);
  root.reset();
  for (std::uint32_t i = 0; i < detail::kNumbersKept; ++i) {
    ASSERT_NE(make("passing")->number(), number);
    ASSERT_EQ(detail::id_number_of(number), *id) << "a message of the destroyed root is under way";
  }
}

}  // namespace
}  // namespace takt_core::test
