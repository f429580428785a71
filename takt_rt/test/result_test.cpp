// Values and faults stay alive as long as a reader of a result expects.
#include "takt_rt/result.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <type_traits>

namespace takt_rt::test
{
namespace
{

// A reference into a temporary would be dead in the first round of a range-for.
static_assert(std::is_same_v<decltype(std::declval<Status>().faults()), Faults>);
static_assert(std::is_same_v<decltype(std::declval<Result<int>>().value()), int>);
static_assert(std::is_same_v<decltype(*std::declval<Result<int>>()), int>);
static_assert(std::is_same_v<decltype(std::declval<Status &>().faults()), const Faults &>);
static_assert(std::is_same_v<decltype(std::declval<Result<int> &>().value()), int &>);
static_assert(std::is_same_v<decltype(std::declval<Result<int>>().faults()), Faults>);
static_assert(
  std::is_same_v<decltype(std::declval<const Result<int> &>().faults()), const Faults &>);

TEST(Status, of_a_temporary_lends_its_faults_to_a_loop)
{
  std::string said;
  const auto refuse = [] { return Status(Faults{"one is longer than a short string ", "two"}); };
  for (const std::string & fault : sentences(refuse().faults())) {
    said += fault;
  }
  EXPECT_EQ(said, "one is longer than a short string two");
}

TEST(Result, of_a_temporary_lends_its_value_to_a_loop)
{
  int sum = 0;
  for (const int number : Result<std::vector<int>>(std::vector<int>(100, 3)).value()) {
    sum += number;
  }
  EXPECT_EQ(sum, 300);
}

TEST(Result, that_is_const_can_be_looked_into)
{
  const Result<std::string> result(std::string("text"));
  EXPECT_EQ(*result, "text");
  EXPECT_EQ(result->size(), 4U);
  const Result<std::string> bad(Faults{"fault"});
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.faults(), Faults{"fault"});
}

TEST(Result, has_both_ends_of_its_faults_in_one_list)
{
  const Result<int> bad(Faults{"one", "two"});
  EXPECT_EQ(std::distance(bad.faults().begin(), bad.faults().end()), 2);
  const Result<int> good(7);
  EXPECT_EQ(good.faults().begin(), good.faults().end());
}

TEST(Result, of_a_temporary_gives_up_what_cannot_be_copied)
{
  const auto pointer = *Result<std::unique_ptr<int>>(std::make_unique<int>(7));
  EXPECT_EQ(*pointer, 7);
}

}  // namespace
}  // namespace takt_rt::test
