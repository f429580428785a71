// The seam between a driver and the scheduler: every call of a driver passes here, so that tests
// can insert broken twins without changing the product.
#ifndef SUPPORT__SEAM_HPP_
#define SUPPORT__SEAM_HPP_

#include <functional>
#include <memory>
#include <optional>

#include "takt_core/scheduler.hpp"

namespace takt_core::test
{

class Seam
{
public:
  virtual ~Seam() = default;

  virtual void ready(Callback & callback, std::uint32_t count, Time now)
  {
    scheduler().ready(callback, count, now);
  }
  virtual bool next(std::uint32_t thread, Time now, Run & run)
  {
    return scheduler().next(thread, now, run);
  }
  virtual void taken(Run & run) { scheduler().taken(run); }
  virtual void complete(Run & run) { scheduler().complete(run); }
  virtual bool begin_idle(std::uint32_t thread, Time now, Time & wake_at)
  {
    return scheduler().begin_idle(thread, now, wake_at);
  }
  virtual void end_idle(std::uint32_t thread) { scheduler().end_idle(thread); }
  virtual Status bind(Callback & callback, ThreadMask threads)
  {
    return scheduler().bind(callback, threads);
  }
  virtual Status set_priority(Callback & callback, std::optional<int> priority)
  {
    return scheduler().set_priority(callback, priority);
  }
  virtual void remove(Callback & callback) { scheduler().remove(callback); }
  /// Whether threads may look for work before `open`: the driver's half of the start gate.
  virtual bool gate_missing() const { return false; }
  /// Whether a wake-up of `thread` is passed on.
  virtual bool passes_wake(std::uint32_t) { return true; }

  Scheduler & scheduler() const noexcept { return *scheduler_; }
  void attach(Scheduler & scheduler) noexcept { scheduler_ = &scheduler; }

private:
  Scheduler * scheduler_ = nullptr;
};

using SeamMaker = std::function<std::unique_ptr<Seam>()>;

inline std::unique_ptr<Seam> plain_seam()
{
  return std::make_unique<Seam>();
}

}  // namespace takt_core::test

#endif  // SUPPORT__SEAM_HPP_
