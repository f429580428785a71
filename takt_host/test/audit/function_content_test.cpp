#include "audit/function_content.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace takt_host
{
namespace
{

int g_runs = 0;

struct Planner
{
  virtual ~Planner() = default;
  virtual void later() { ++g_runs; }
  void plan(int by) { sum += by; }
  int sum = 0;
};

struct Plain
{
  int value = 0;
  void add() { ++value; }
};

Word address(const void * object)
{
  return reinterpret_cast<Word>(object);
}

FunctionContent look(const std::function<void()> & function)
{
  return content_of({&function, sizeof function, true}, ProcessMemory());
}

std::vector<Word> captured(const FunctionContent & content)
{
  std::vector<Word> result;
  for (const Captured & one : content.captured) {
    result.push_back(one.address);
  }
  return result;
}

bool calls(const FunctionContent & content, const std::string & function)
{
  const ProcessMemory process;
  return std::any_of(content.code.begin(), content.code.end(), [&](Word one) {
    return process.function(one).find(function) != std::string::npos;
  });
}

TEST(FunctionContent, FindsTheObjectThatALambdaCaptured)
{
  const auto planner = std::make_shared<Planner>();
  const FunctionContent content = look([self = planner.get()] { self->plan(1); });
  EXPECT_TRUE(content.found);
  ASSERT_EQ(content.captured.size(), 1U);
  EXPECT_EQ(content.captured[0].address, address(planner.get()));
  EXPECT_NE(content.captured[0].type.find("Planner"), std::string::npos);
  EXPECT_NE(content.type.find("{lambda()"), std::string::npos);
  EXPECT_TRUE(calls(content, "_M_invoke"));
}

TEST(FunctionContent, FindsTheObjectOfAnObjectWithoutVirtualFunctions)
{
  const auto plain = std::make_unique<Plain>();
  const FunctionContent content = look([self = plain.get()] { self->add(); });
  ASSERT_EQ(content.captured.size(), 1U);
  EXPECT_EQ(content.captured[0], (Captured{address(plain.get()), ""}));
}

TEST(FunctionContent, FindsObjectAndMemberFunctionOfABind)
{
  Planner planner;  // on the stack
  const FunctionContent content = look(std::bind(&Planner::plan, &planner, 3));
  EXPECT_EQ(captured(content), std::vector{address(&planner)});
  EXPECT_TRUE(calls(content, "4plan"));
}

TEST(FunctionContent, FindsTheVirtualMemberFunction)
{
  const auto planner = std::make_unique<Planner>();
  const FunctionContent content = look(std::bind(&Planner::later, planner.get()));
  EXPECT_EQ(captured(content), std::vector{address(planner.get())});
  EXPECT_TRUE(calls(content, "5later"));
}

TEST(FunctionContent, FindsWhatAFunctionInAFunctionCaptured)
{
  const auto plain = std::make_unique<Plain>();
  std::function<void()> inner = [self = plain.get()] { self->add(); };
  const FunctionContent content = look([inner] { inner(); });
  EXPECT_EQ(captured(content), std::vector{address(plain.get())});
}

TEST(FunctionContent, LeavesOutTheCountsOfASharedPointer)
{
  const auto planner = std::make_shared<Planner>();
  const FunctionContent content = look([planner] { planner->plan(1); });
  EXPECT_EQ(captured(content), std::vector{address(planner.get())});
}

TEST(FunctionContent, FindsNothingWhereNothingIsCaptured)
{
  const FunctionContent content = look([] { ++g_runs; });
  EXPECT_TRUE(content.found);
  EXPECT_TRUE(content.captured.empty());
  const FunctionContent numbers = look([a = 12L, b = 77L] { g_runs += static_cast<int>(a + b); });
  EXPECT_TRUE(numbers.captured.empty());
}

TEST(FunctionContent, FindsFunctionsAmongOtherMembers)
{
  struct Subscription
  {
    std::string topic = "/a";
    void * (*allocate)(std::size_t) = &std::malloc;
    void (*free)(void *) = &std::free;
    std::function<void()> function;
  };
  const auto plain = std::make_unique<Plain>();
  Subscription subscription;
  subscription.function = [self = plain.get()] { self->add(); };
  const FunctionContent content =
    content_of({&subscription, sizeof subscription, true}, ProcessMemory());
  EXPECT_EQ(captured(content), std::vector{address(plain.get())});
}

TEST(FunctionContent, SaysThatAnEmptyFunctionIsNone)
{
  EXPECT_FALSE(look({}).found);
  EXPECT_FALSE(content_of({}, ProcessMemory()).found);
}

}  // namespace
}  // namespace takt_host
