// Short cuts for tests of the executor itself.
#ifndef SUPPORT__EXECUTOR_FIXTURE_HPP_
#define SUPPORT__EXECUTOR_FIXTURE_HPP_

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "takt_core/executor.hpp"

namespace takt_core::test
{

using takt_rt::now;

class FunctionCallback : public Callback
{
public:
  FunctionCallback(CallbackOptions options, std::function<void(const Run &)> function)
  : Callback(std::move(options)),
    function_(std::move(function))
  {
  }
  bool take(const Run & run) override
  {
    takes.fetch_add(1);
    return on_take ? on_take(run) : true;
  }
  void run(const Run & run) override
  {
    if (function_) {
      function_(run);
    }
    runs.fetch_add(1);
  }

  std::function<bool(const Run &)> on_take;
  std::atomic<int> takes{0};
  std::atomic<int> runs{0};  ///< runs that did not throw

private:
  std::function<void(const Run &)> function_;
};

inline std::unique_ptr<Executor> make_executor(
  std::size_t threads = 1, const std::function<void(ExecutorOptions &)> & change = {})
{
  ExecutorOptions options;
  options.threads.resize(threads);
  if (change) {
    change(options);
  }
  auto created = Executor::create(std::move(options));
  if (!created.ok()) {
    throw std::runtime_error(to_string(created.faults().front()));
  }
  return std::move(*created);
}

inline std::shared_ptr<FunctionCallback> add_function(
  Executor & executor, const std::string & id, std::function<void(const Run &)> function = {},
  std::shared_ptr<Group> group = nullptr, const Binding & binding = {},
  std::optional<TimerOptions> timer = {})
{
  CallbackOptions options;
  options.id = id;
  options.kind = timer ? Kind::timer : Kind::subscription;
  options.group = std::move(group);
  options.depth = 1000;
  options.timer = timer;
  auto callback = std::make_shared<FunctionCallback>(options, std::move(function));
  const Status added = executor.add(callback, binding);
  if (!added.ok()) {
    throw std::runtime_error(to_string(added.faults().front()));
  }
  return callback;
}

/// Waits for `done`; false after a minute, which only guards against hanging.
inline bool eventually(const std::function<bool()> & done)
{
  const Time guard = now() + std::chrono::minutes(1);
  while (!done()) {
    if (now() > guard) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

}  // namespace takt_core::test

#endif  // SUPPORT__EXECUTOR_FIXTURE_HPP_
