// A scheduler driven by hand, one call at a time: for tests that need one exact interleaving.
#ifndef SUPPORT__BY_HAND_HPP_
#define SUPPORT__BY_HAND_HPP_

#include <memory>
#include <string>
#include <vector>

#include "takt_core/scheduler.hpp"

namespace takt_core::test
{

using takt_rt::from_ns;

inline constexpr Time ms(std::int64_t n)
{
  return from_ns(n * 1'000'000);
}
inline constexpr Duration millis(std::int64_t n)
{
  return Duration(n * 1'000'000);
}

class SilentCallback : public Callback
{
public:
  using Callback::Callback;
  void run(const Run &) override {}
};

class ByHand : public Waker
{
public:
  explicit ByHand(
    std::uint32_t threads, Order order = Order::fifo, Epoch epoch = Epoch::start,
    Duration (*clock_ahead)() noexcept = nullptr, Phases * phases = nullptr)
  : scheduler(
      SchedulerOptions{
        std::vector<int>(threads, 0), order, WindowTimers::snapshot, epoch, clock_ahead, phases},
      *this)
  {
  }

  void wake(std::uint32_t thread) noexcept override { woken.push_back(thread); }

  std::shared_ptr<SilentCallback> add(
    const std::string & id, std::shared_ptr<Group> group = nullptr, Binding binding = {},
    std::uint32_t depth = 10)
  {
    CallbackOptions options;
    options.id = id;
    options.kind = Kind::subscription;
    options.group = std::move(group);
    options.depth = depth;
    auto callback = std::make_shared<SilentCallback>(options);
    faults = scheduler.add(callback, binding, ms(0)).faults();
    return callback;
  }

  std::shared_ptr<SilentCallback> add_timer(
    const std::string & id, TimerOptions timer, std::shared_ptr<Group> group = nullptr,
    Binding binding = {}, Time now = {})
  {
    CallbackOptions options;
    options.id = id;
    options.kind = Kind::timer;
    options.group = std::move(group);
    options.timer = timer;
    auto callback = std::make_shared<SilentCallback>(options);
    faults = scheduler.add(callback, binding, now).faults();
    return callback;
  }

  /// Picks, and returns the id of the picked callback ("-": none). The run stays open.
  std::string pick(std::uint32_t thread, Time now, std::uint64_t before = UINT64_MAX)
  {
    Run run;
    if (!scheduler.next(thread, now, run, before)) {
      return "-";
    }
    runs.push_back(run);
    return run.callback->id();
  }

  /// Ends the newest open run.
  void complete()
  {
    Run run = runs.back();
    runs.pop_back();
    scheduler.taken(run);
    scheduler.complete(run);
  }

  std::string run_one(std::uint32_t thread, Time now, std::uint64_t before = UINT64_MAX)
  {
    const std::string id = pick(thread, now, before);
    if (id != "-") {
      complete();
    }
    return id;
  }

  static std::shared_ptr<Group> exclusive()
  {
    return std::make_shared<Group>(GroupKind::mutually_exclusive, "exclusive");
  }
  static std::shared_ptr<Group> reentrant()
  {
    return std::make_shared<Group>(GroupKind::reentrant, "reentrant");
  }

  Scheduler scheduler;
  std::vector<std::uint32_t> woken;
  std::vector<Run> runs;
  Faults faults;
};

}  // namespace takt_core::test

#endif  // SUPPORT__BY_HAND_HPP_
