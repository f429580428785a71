// Broken twins: each seam breaks one promise. The suite must reject every twin.
#ifndef SUPPORT__TWINS_HPP_
#define SUPPORT__TWINS_HPP_

#include <optional>
#include <vector>

#include "seam.hpp"

namespace takt_core::test
{

/// Leaves the group when the callback starts instead of when it ends.
class UnlocksGroupEarly final : public Seam
{
public:
  bool next(std::uint32_t thread, Time now, Run & run) override
  {
    if (!Seam::next(thread, now, run)) {
      return false;
    }
    Run over = run;
    scheduler().complete(over);
    return true;
  }
  void taken(Run &) override {}
  void complete(Run &) override {}
};

/// Starts every 50th run twice.
class RunsTwice final : public Seam
{
public:
  bool next(std::uint32_t thread, Time now, Run & run) override
  {
    if (again_) {
      run = *again_;
      again_.reset();
      return true;
    }
    if (!Seam::next(thread, now, run)) {
      return false;
    }
    if (++count_ % 50 == 0) {
      again_ = run;
      doubled_ = run.sequence;
    }
    return true;
  }
  void taken(Run & run) override
  {
    if (!again_ && run.sequence != doubled_) {
      Seam::taken(run);
    }
  }
  void complete(Run & run) override
  {
    if (run.sequence == doubled_ && !ended_once_) {
      ended_once_ = true;
      return;
    }
    ended_once_ = run.sequence == doubled_ ? false : ended_once_;
    Seam::complete(run);
  }

private:
  std::optional<Run> again_;
  std::uint64_t doubled_ = 0;
  bool ended_once_ = false;
  int count_ = 0;
};

/// Forgets every 50th announcement.
class LosesMessages final : public Seam
{
public:
  void ready(Callback & callback, std::uint32_t count, Time now) override
  {
    if (++count_ % 50 != 0) {
      Seam::ready(callback, count, now);
    }
  }

private:
  int count_ = 0;
};

/// A callback that is bound elsewhere loses its waiting messages.
class LosesOnRebinding final : public Seam
{
public:
  Status bind(Callback & callback, ThreadMask threads) override
  {
    const auto keep = scheduler().find(callback.id());
    const Binding old = *scheduler().binding(callback);
    if (callback.backlog() > 0 && !scheduler().running(callback)) {
      scheduler().remove(callback);  // takes the callback out of its queue
      Binding binding = old;
      binding.threads = threads;
      Run run;
      const Status added = scheduler().add(keep, binding);
      if (scheduler().next(scheduler().visitor(), Time{}, run)) {
        scheduler().complete(run);  // the message is lost
      }
      return added;
    }
    return Seam::bind(callback, threads);
  }
};

/// A change of priority loses the next pick.
class LosesOnPriorityChange final : public Seam
{
public:
  Status set_priority(Callback & callback, std::optional<int> priority) override
  {
    Run run;
    if (++count_ % 100 == 0 && scheduler().next(0, Time{}, run)) {
      scheduler().taken(run);
      scheduler().complete(run);
    }
    return Seam::set_priority(callback, priority);
  }

private:
  int count_ = 0;
};

/// Gives a thread the second best callback first.
class ReversesOrder final : public Seam
{
public:
  bool next(std::uint32_t thread, Time now, Run & run) override
  {
    if (kept_) {
      run = *kept_;
      kept_.reset();
      return true;
    }
    Run first;
    if (!Seam::next(thread, now, first)) {
      return false;
    }
    scheduler().taken(first);
    if (Seam::next(thread, now, run)) {
      kept_ = first;
    } else {
      run = first;
    }
    return true;
  }

private:
  std::optional<Run> kept_;
};

/// The driver's threads look before the gate opens.
class LeavesGateOff final : public Seam
{
public:
  bool gate_missing() const override { return true; }
};

/// Every fifth wake-up is lost.
class LosesWakeUps final : public Seam
{
public:
  bool passes_wake(std::uint32_t) override { return ++count_ % 5 != 0; }

private:
  int count_ = 0;
};

/// Skips the second look after marking a thread as idle.
class SleepsWithoutLooking final : public Seam
{
public:
  bool next(std::uint32_t thread, Time now, Run & run) override
  {
    // Every seventh look finds no callback, so that only the second look can find the work.
    return ++count_ % 7 != 0 && Seam::next(thread, now, run);
  }
  bool begin_idle(std::uint32_t thread, Time now, Time & wake_at) override
  {
    Seam::begin_idle(thread, now, wake_at);
    return true;
  }

private:
  int count_ = 0;
};

/// Removal reports success and removes no callback.
class RemovesNothing final : public Seam
{
public:
  void remove(Callback &) override {}
};

/// A run never returns its group at its end.
class KeepsGroup final : public Seam
{
public:
  void complete(Run & run) override
  {
    if (++count_ % 100 != 0) {
      Seam::complete(run);
    }
  }

private:
  int count_ = 0;
};

}  // namespace takt_core::test

#endif  // SUPPORT__TWINS_HPP_
