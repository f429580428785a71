// Going to sleep, waking and queueing, gone through exhaustively as models of their atomic steps; beside each a
// broken twin that must be found out.
#include <gtest/gtest.h>

#include <compare>

#include "support/interleaver.hpp"

namespace takt_core::test
{
namespace
{

// ---- idle mark against announcement (scheduler_idle.cpp) ----

struct Idle
{
  int work = 0;  // in the intake
  int consumed = 0;
  bool idle = false;
  bool wake = false;  // the futex word
  auto operator<=>(const Idle &) const = default;
};

Verdict check_idle(bool mark_before_look, bool publish_before_look)
{
  const auto sleeper = [=](Idle & s, int pc) {
    switch (pc) {
      case 0:  // look: next()
        if (s.work > 0) {
          --s.work;
          return ++s.consumed == 2 ? kDone : 0;
        }
        return 1;
      case 1:  // begin_idle: mark, then look; the twin looks, then marks
        s.idle = mark_before_look || s.idle;
        return 2;
      case 2:
        if (s.work > 0) {
          s.idle = false;
          return 0;
        }
        return 3;
      case 3:
        s.idle = mark_before_look ? s.idle : true;
        return 4;
      case 4:  // sleep
        if (!s.wake) {
          return kBlocked;
        }
        return 5;
      case 5:
        s.wake = false;
        return 6;
      default:
        s.idle = false;
        return 0;
    }
  };
  const auto producer = [=](Idle & s, int pc) {
    if ((pc == 0) == publish_before_look) {
      ++s.work;
      return publish_before_look ? 1 : kDone;
    }
    if (s.idle) {  // claim: one fetch_and
      s.idle = false;
      s.wake = true;
    }
    return publish_before_look ? kDone : 1;
  };
  return Interleaver<Idle>(
           {sleeper, producer, producer},
           [](const Idle & s) {
             return s.work == 0 ? kept() : broken("asleep beside waiting work");
           })
    .explore({});
}

TEST(IdleProtocol, loses_no_wake_up_in_any_interleaving)
{
  const Verdict verdict = check_idle(true, true);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(IdleProtocol, twin_that_marks_after_the_look_is_rejected)
{
  EXPECT_FALSE(check_idle(false, true).good());
}

TEST(IdleProtocol, twin_that_looks_for_sleepers_before_it_publishes_is_rejected)
{
  EXPECT_FALSE(check_idle(true, false).good());
}

// ---- waking marks: who may rely on a thread that was woken already ----

// Thread W is in sets P and Q. Somebody wakes it for P while it wakes up by itself and becomes busy;
// meanwhile somebody else has work in Q, which Z could do, and relies on W if it is marked as waking.
struct Waking
{
  bool w_idle = true, z_idle = true;
  bool w_waking = false;
  bool q_work = false;
  bool w_woken = false, z_woken = false;
  auto operator<=>(const Waking &) const = default;
};

void wake_z(Waking & s)
{
  s.z_woken = s.z_woken || s.z_idle;
  s.z_idle = false;
}

Verdict check_waking(bool answers_for_the_mark)
{
  const auto w = [](Waking & s, int pc) {
    switch (pc) {
      case 0:  // end_idle, by time
        s.w_idle = false;
        return 1;
      case 1:  // next: clears its mark
        s.w_waking = false;
        return 2;
      default:  // looks at its sets; with or without finding something it looks no more
        s.q_work = false;
        return kDone;
    }
  };
  const auto waker = [=](Waking & s, int pc) {
    switch (pc) {
      case 0:
        if (!s.w_idle) {
          return kDone;
        }
        return 1;
      case 1:
        s.w_waking = true;
        return 2;
      case 2:
        if (s.w_idle) {
          s.w_idle = false;
          s.w_woken = true;
          return kDone;  // W will clear its mark and look
        }
        return 3;
      case 3:
        s.w_waking = false;
        return answers_for_the_mark ? 4 : kDone;
      default:
        if (s.q_work && !s.w_waking) {
          wake_z(s);
        }
        return kDone;
    }
  };
  const auto passer = [](Waking & s, int pc) {
    switch (pc) {
      case 0:
        s.q_work = true;
        return 1;
      default:
        if (!s.w_waking) {
          wake_z(s);
        }
        return kDone;
    }
  };
  return Interleaver<Waking>(
           {w, waker, passer},
           [](const Waking & s) {
             return s.q_work && !s.z_woken ? broken("work waits, its thread sleeps") : kept();
           })
    .explore({});
}

TEST(WakingMark, strands_no_work_in_any_interleaving)
{
  const Verdict verdict = check_waking(true);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(WakingMark, twin_that_only_takes_its_mark_back_is_rejected)
{
  EXPECT_FALSE(check_waking(false).good());
}

// ---- queued once: announcing against the end of a run (scheduler.cpp) ----

struct Queued
{
  int arrivals = 0;
  bool queued = false;
  int entries = 0;  // in the queue
  int runs = 0;
  bool doubled = false;
  auto operator<=>(const Queued &) const = default;
};

Verdict check_queued(bool looks_again_after_unmarking)
{
  const auto mark = [](Queued & s) {
    if (!s.queued) {
      s.queued = true;
      s.doubled = s.doubled || s.entries != 0;
      ++s.entries;
    }
  };
  const auto producer = [=](Queued & s, int pc) {
    if (pc == 0) {
      ++s.arrivals;
      return 1;
    }
    mark(s);
    return kDone;
  };
  const auto runner = [=](Queued & s, int pc) {
    switch (pc) {
      case 0:
        if (s.entries == 0) {
          return kBlocked;
        }
        --s.entries;
        return 1;
      case 1:  // start: takes one; may find none
        s.runs += s.arrivals > 0 ? 1 : 0;
        s.arrivals -= s.arrivals > 0 ? 1 : 0;
        return looks_again_after_unmarking ? 3 : 2;
      case 2:  // the twin decides before it takes the mark off
        if (s.arrivals > 0) {
          ++s.entries;
          return 0;
        }
        return 3;
      case 3:
        s.queued = false;
        return looks_again_after_unmarking ? 4 : 0;
      default:  // finish
        if (s.arrivals > 0) {
          mark(s);
        }
        return 0;
    }
  };
  return Interleaver<Queued>(
           {producer, producer, producer, runner},
           [](const Queued & s) {
             return s.doubled                        ? broken("queued twice")
                    : s.arrivals != 0 || s.runs != 3 ? broken("a message was left waiting")
                                                     : kept();
           })
    .explore({});
}

TEST(QueuedOnce, leaves_no_message_waiting_in_any_interleaving)
{
  const Verdict verdict = check_queued(true);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(QueuedOnce, twin_that_looks_before_it_unmarks_is_rejected)
{
  EXPECT_FALSE(check_queued(false).good());
}

}  // namespace
}  // namespace takt_core::test
