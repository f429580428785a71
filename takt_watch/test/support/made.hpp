// Callbacks and executors made for tests.
#ifndef SUPPORT__MADE_HPP_
#define SUPPORT__MADE_HPP_

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "takt_core/executor.hpp"

namespace takt_watch::test
{

class Work : public takt_core::Callback
{
public:
  explicit Work(
    takt_core::CallbackOptions options, std::function<void()> function = [] {})
  : Callback(std::move(options)),
    function_(std::move(function))
  {
  }
  bool take(const takt_core::Run &) override { return !empty.load(); }
  void run(const takt_core::Run &) override { function_(); }
  std::optional<std::uint64_t> lost() const noexcept override { return lost_messages.load(); }

  std::atomic<bool> empty{false};  ///< true: the callback's takes find no message
  std::atomic<std::uint64_t> lost_messages{0};

private:
  const std::function<void()> function_;
};

inline std::shared_ptr<Work> subscription(
  const std::string & id, std::function<void()> function = [] {}, std::uint32_t depth = 10,
  std::shared_ptr<takt_core::Group> group = nullptr)
{
  takt_core::CallbackOptions options;
  options.id = id;
  options.kind = takt_core::Kind::subscription;
  options.depth = depth;
  options.group = std::move(group);
  return std::make_shared<Work>(options, std::move(function));
}

inline std::shared_ptr<Work> timer(
  const std::string & id, takt_rt::Duration period, std::function<void()> function = [] {})
{
  takt_core::CallbackOptions options;
  options.id = id;
  options.kind = takt_core::Kind::timer;
  options.timer = takt_core::TimerOptions{period, {}, takt_core::MissedPeriods::skip, true};
  return std::make_shared<Work>(options, std::move(function));
}

inline std::unique_ptr<takt_core::Executor> executor(
  const std::string & name, std::size_t threads = 1)
{
  takt_core::ExecutorOptions options;
  options.name = name;
  options.on_exception = takt_core::ExceptionPolicy::report;
  options.threads.resize(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    options.threads[i].attributes.name = name + "." + std::to_string(i);
  }
  auto made = takt_core::Executor::create(std::move(options));
  EXPECT_TRUE(made.ok());
  return std::move(made).value();
}

}  // namespace takt_watch::test

#endif  // SUPPORT__MADE_HPP_
