#include "audit/function_content.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstring>
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

// The words of a function that is gone may lie in memory that the program reused.
TEST(FunctionContent, ReadsDeadFunctionsWithoutARisk)
{
  struct Large
  {
    std::array<Word, 8> values{};
    void operator()() const { g_runs += static_cast<int>(values[0]); }
  };
  const std::function<void()> alive = Large();
  std::array<Word, 4> dead{};
  static_assert(sizeof dead == sizeof alive);
  std::memcpy(dead.data(), static_cast<const void *>(&alive), sizeof alive);
  for (const Word place : {Word{16}, address(dead.data()), Word{1} << 46U}) {
    dead[0] = place;
    EXPECT_TRUE(content_of({dead.data(), sizeof dead, true}, ProcessMemory()).found) << place;
  }
}

TEST(FunctionContent, FindsNothingInMemoryThatItCannotRead)
{
  const auto * const nowhere = reinterpret_cast<const void *>(Word{4096});
  EXPECT_FALSE(content_of({nowhere, 64, false}, ProcessMemory()).found);
  EXPECT_FALSE(content_of({nowhere, 64, true}, ProcessMemory()).found);
}

TEST(ProcessMemory, KnowsTheBytesOfABlockAndThatOthersAreNone)
{
  std::vector<std::unique_ptr<char[]>> blocks;
  for (const std::size_t bytes : {1, 24, 25, 100, 5000, 1 << 20}) {
    blocks.push_back(std::make_unique<char[]>(bytes));
  }
  const ProcessMemory process;
  for (const auto & block : blocks) {
    EXPECT_EQ(process.block_bytes(address(block.get())), ::malloc_usable_size(block.get()));
  }
  alignas(16) static std::array<char, 64> variable{};
  EXPECT_FALSE(process.block_bytes(address(&variable[16])));
  EXPECT_FALSE(process.block_bytes(address(blocks.back().get()) + 64));
  EXPECT_FALSE(process.block_bytes(16));
}

TEST(FunctionContent, SaysThatAnEmptyFunctionIsNone)
{
  EXPECT_FALSE(look({}).found);
  EXPECT_FALSE(content_of({}, ProcessMemory()).found);
}

}  // namespace
}  // namespace takt_host
