// The scheduler's real-time safe functions under clang's RealtimeSanitizer, which ends the program
// at a call that may allocate or block: tools/checks/realtime_sanitizer.sh builds and runs it, with
// all of takt_rt and takt_core.
//
// With an argument it also allocates, so that a run shows that the sanitizer is at work.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "takt_core/scheduler.hpp"

#if defined(__has_cpp_attribute) && __has_cpp_attribute(clang::nonblocking)
#define TAKT_NONBLOCKING [[clang::nonblocking]]
#else
#error "needs a clang that knows [[clang::nonblocking]]"
#endif

namespace
{

using namespace takt_core;  // NOLINT: a program of its own

class Counted : public Callback
{
public:
  using Callback::Callback;
  void run(const Run &) override {}
};

class NoSleeper : public Waker
{
public:
  void wake(std::uint32_t) noexcept override {}
};

Time at(std::int64_t ms)
{
  return takt_rt::from_ns(ms * 1'000'000);
}

std::shared_ptr<Counted> make(const std::string & id, bool timer, std::shared_ptr<Group> group)
{
  CallbackOptions options;
  options.id = id;
  options.kind = timer ? Kind::timer : Kind::subscription;
  options.group = std::move(group);
  options.depth = 10;
  if (timer) {
    options.timer = TimerOptions{};
    options.timer->period = std::chrono::milliseconds(10);
  }
  return std::make_shared<Counted>(options);
}

// Messages, timers, groups that are busy, and idling. Returns the number of runs.
int dispatch(
  Scheduler & scheduler, const std::vector<std::shared_ptr<Counted>> & all, std::int64_t ms,
  bool wrong) noexcept TAKT_NONBLOCKING
{
  int runs = 0;
  for (const auto & callback : all) {
    if (callback->kind() == Kind::subscription) {
      scheduler.ready(*callback, 2, at(ms));
    }
  }
  Run run;
  Run other;
  while (scheduler.next(0, at(ms), run)) {
    scheduler.taken(run);
    // Another thread meanwhile: it finds callbacks of other groups, or parks those of this one.
    const bool two = scheduler.next(1, at(ms), other);
    if (two) {
      scheduler.taken(other);
      scheduler.complete(other);
    }
    scheduler.complete(run);
    runs += two ? 2 : 1;
  }
  Time wake_at{};
  if (scheduler.begin_idle(0, at(ms), wake_at)) {
    scheduler.end_idle(0);
  }
  for (const auto & callback : all) {
    if (callback->kind() == Kind::timer) {
      scheduler.reset_timer(*callback, at(ms));
    }
  }
  if (wrong) {
    void * volatile block = std::malloc(10);  // not optimised away
    std::free(block);
  }
  return runs;
}

int run_order(Order order, bool wrong)
{
  NoSleeper waker;
  Scheduler scheduler(
    SchedulerOptions{std::vector<int>(2, 0), order, WindowTimers::snapshot, Epoch::start}, waker);
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive);
  std::vector<std::shared_ptr<Counted>> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(make("/node:" + std::to_string(i), i % 4 == 0, i % 2 == 0 ? group : nullptr));
    if (!scheduler.add(all.back(), {}, at(0)).ok()) {
      return -1;
    }
  }
  scheduler.open(at(0));
  int runs = 0;
  for (std::int64_t ms = 1; ms < 200; ms += 7) {
    runs += dispatch(scheduler, all, ms, wrong);
  }
  return runs;
}

}  // namespace

int main(int argc, char **)
{
  for (const Order order : {Order::fifo, Order::priority, Order::edf, Order::window}) {
    const int runs = run_order(order, argc > 1);
    std::printf("%d runs\n", runs);
    if (runs < 100) {
      return 1;
    }
  }
}
