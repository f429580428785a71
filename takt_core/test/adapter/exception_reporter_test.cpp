// If an executor continues after exceptions, the reporter reports each callback that throws, and
// not too often.
#include "takt_core/adapter/exception_reporter.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/executor_fixture.hpp"
#include "takt_core/executor.hpp"

namespace takt_core::adapter
{
namespace
{

using namespace std::chrono_literals;
using test::eventually;

class Throws : public Callback
{
public:
  Throws(const std::string & id, std::string text, std::uint32_t depth)
  : Callback(options(id, depth)),
    text_(std::move(text))
  {
  }
  void run(const takt_core::Run &) override
  {
    if (text_.empty()) {
      throw 7;
    }
    throw std::runtime_error(text_);
  }

private:
  static CallbackOptions options(const std::string & id, std::uint32_t depth)
  {
    CallbackOptions result;
    result.id = id;
    result.depth = depth;
    return result;
  }
  const std::string text_;
};

class Reported : public ::testing::Test
{
protected:
  void make(Duration period)
  {
    ExecutorOptions options;
    options.on_exception = ExceptionPolicy::report;
    executor = std::move(Executor::create(options).value());
    const auto sink = [this](const std::string & line) {
      std::lock_guard lock(mutex);
      lines.push_back(line);
    };
    ASSERT_TRUE(executor->add_observer(std::make_shared<ExceptionReporter>(sink, period)).ok());
  }
  std::shared_ptr<Throws> add(
    const std::string & id, const std::string & text, std::uint32_t depth = 1)
  {
    auto callback = std::make_shared<Throws>(id, text, depth);
    EXPECT_TRUE(executor->add(callback).ok());
    return callback;
  }
  std::size_t told()
  {
    std::lock_guard lock(mutex);
    return lines.size();
  }
  std::size_t lines_with(const std::string & part)
  {
    std::lock_guard lock(mutex);
    std::size_t count = 0;
    for (const std::string & line : lines) {
      count += line.find(part) != std::string::npos ? 1 : 0;
    }
    return count;
  }

  std::mutex mutex;
  std::vector<std::string> lines;
  std::unique_ptr<Executor> executor;
};

TEST_F(Reported, AtOnceAndAllOfItInTheEndWithCallbackCountAndText)
{
  make(1h);
  const auto a = add("/a:timer(1s)", "sensor\nis off", 1000);
  const auto b = add("/b:sub(/x)", "");
  executor->ready(*a, 1);
  executor->spin_some();
  ASSERT_TRUE(eventually([&] { return told() > 0; })) << "nothing is told";
  EXPECT_EQ(lines_with("callback /a:timer(1s) threw once; it said: sensor is off"), 1U);
  executor->ready(*a, 999);
  executor->ready(*b, 1);
  ASSERT_TRUE(eventually([&] {
    executor->spin_some();
    return executor->exceptions() >= 1001;
  }))
    << executor->exceptions();
  EXPECT_EQ(told(), 1U);  // no further line within the period
  executor.reset();
  EXPECT_EQ(lines_with("callback /a:timer(1s) threw 999 times, 1000 times in all"), 1U);
  EXPECT_EQ(lines_with("callback /b:sub(/x) threw once"), 1U);
  EXPECT_EQ(told(), 3U);
}

TEST_F(Reported, AgainInEveryPeriodInWhichSomethingThrows)
{
  make(1ms);
  const auto a = add("/a", "no");
  for (std::size_t i = 0; i < 3; ++i) {
    executor->ready(*a);
    executor->spin_some();
    ASSERT_TRUE(eventually([&] { return told() > i; })) << "nothing is told after run " << i;
  }
  executor.reset();
  EXPECT_EQ(told(), 3U);
}

TEST_F(Reported, InFewLinesHoweverManyCallbacksThrow)
{
  make(1h);
  constexpr std::size_t kMany = ExceptionReporter::kCallbacks + 20;
  std::vector<std::shared_ptr<Throws>> all;
  for (std::size_t i = 0; i < kMany; ++i) {
    all.push_back(add("/c" + std::to_string(i), "no"));
  }
  for (const auto & one : all) {
    executor->ready(*one);
  }
  executor->spin_some();
  EXPECT_EQ(executor->exceptions(), kMany);
  executor.reset();
  // One report at the first exception, one at the end.
  EXPECT_LE(told(), 2 * (ExceptionReporter::kLines + 1));
  EXPECT_GE(lines_with("further callbacks threw "), 1U);
}

TEST_F(Reported, InOneCountForEachCallbackWhenOthersAreRemoved)
{
  make(1ms);
  // The searches of all these callbacks for a slot begin at the same slot.
  std::vector<std::shared_ptr<Throws>> all;
  for (std::size_t i = 0; i <= ExceptionReporter::kCallbacks; ++i) {
    all.push_back(add("/c" + std::to_string(i), "no"));
  }
  Throws & first = *all.front();
  Throws & last = *all.back();
  ASSERT_EQ(first.number() + ExceptionReporter::kCallbacks, last.number());
  const auto throws = [this](Throws & callback) {
    const std::size_t before = told();
    executor->ready(callback);
    executor->spin_some();
    ASSERT_TRUE(eventually([&] { return told() > before; }))
      << "nothing is told of " << callback.id();
  };
  throws(first);
  throws(last);
  executor->remove(first);
  throws(last);
  EXPECT_EQ(lines_with("callback " + last.id() + " threw once, 2 times in all"), 1U);
}

TEST_F(Reported, WithoutEndOfCallbacksThatRemoveThemselves)
{
  class RemovesItself : public Callback
  {
  public:
    explicit RemovesItself(Executor & executor) : Callback(CallbackOptions{}), executor_(executor)
    {
    }
    void run(const takt_core::Run &) override
    {
      executor_.remove(*this);
      throw std::runtime_error("gone");
    }

  private:
    static CallbackOptions options()
    {
      CallbackOptions result;
      result.id = "/once";
      return result;
    }
    Executor & executor_;
  };
  make(1ms);
  for (std::size_t i = 0; i < ExceptionReporter::kCallbacks + 20; ++i) {
    const auto callback = std::make_shared<RemovesItself>(*executor);
    ASSERT_TRUE(executor->add(callback).ok());
    executor->ready(*callback);
    executor->spin_some();
    ASSERT_TRUE(eventually([&] { return told() > i; })) << "nothing is told after run " << i;
  }
  EXPECT_EQ(lines_with("further callbacks"), 0U);
}

}  // namespace
}  // namespace takt_core::adapter
