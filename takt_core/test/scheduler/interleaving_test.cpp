// The lock-free protocols, gone through exhaustively as models of their atomic steps; beside each a
// broken twin that must be found out.
#include <gtest/gtest.h>

#include <array>
#include <compare>
#include <utility>

#include "support/interleaver.hpp"

namespace takt_core::test
{
namespace
{

// ---- idle mark against announcement (scheduler_idle.cpp) ----

struct Idle
{
  int work = 0;      // in the intake
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
  return Interleaver<Idle>({sleeper, producer, producer}, [](const Idle & s) {
           return s.work == 0 ? kept() : broken("asleep beside waiting work");
         }).explore({});
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
  return Interleaver<Waking>({w, waker, passer}, [](const Waking & s) {
           return s.q_work && !s.z_woken ? broken("work waits, its thread sleeps") : kept();
         }).explore({});
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

// ---- intake: compare-and-swap push against take-all ----

struct IntakeModel
{
  std::array<int, 3> next{-1, -1, -1};
  int head = -1;
  std::array<int, 2> seen{-1, -1};  // what each producer read as head
  std::array<int, 3> taken{};       // how often each node came out
  int looks = 0;
  auto operator<=>(const IntakeModel &) const = default;
};

Verdict check_intake(bool compare_and_swap)
{
  const auto producer = [=](int own, std::vector<int> nodes) {
    return [=](IntakeModel & s, int pc) {
      const int node = nodes[static_cast<std::size_t>(pc / 3)];
      switch (pc % 3) {
        case 0:
          s.seen[own] = s.head;
          return pc + 1;
        case 1:
          s.next[node] = s.seen[own];
          return pc + 1;
        default:
          if (compare_and_swap && s.head != s.seen[own]) {
            return pc - 2;
          }
          s.head = node;
          return pc / 3 + 1 < static_cast<int>(nodes.size()) ? pc + 1 : kDone;
      }
    };
  };
  const auto consumer = [](IntakeModel & s, int) {
    for (int node = std::exchange(s.head, -1); node != -1; node = s.next[node]) {
      ++s.taken[node];
    }
    return ++s.looks < 3 ? 0 : kDone;
  };
  return Interleaver<IntakeModel>(
           {producer(0, {0, 1}), producer(1, {2}), consumer},
           [](const IntakeModel & s) {
             std::array<int, 3> found = s.taken;
             for (int node = s.head; node != -1; node = s.next[node]) {
               ++found[node];
             }
             return found == std::array<int, 3>{1, 1, 1} ? kept() : broken("a node got lost");
           })
    .explore({});
}

TEST(IntakeProtocol, loses_and_doubles_nothing_in_any_interleaving)
{
  const Verdict verdict = check_intake(true);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(IntakeProtocol, twin_that_stores_without_comparing_is_rejected)
{
  EXPECT_FALSE(check_intake(false).good());
}

// ---- arrival ring: two producers and a consumer on one slot ----

struct Ring
{
  static constexpr int kWriting = 99;
  int version = 0, a = 0, b = 0;  // the slot: a stamp of two words
  int claimed = 0, committed = 0;
  int read_version = 0, read_a = 0, read_b = 0, looks = 0;
  bool torn = false;
  auto operator<=>(const Ring &) const = default;
};

Verdict check_ring(bool writers_exclude_each_other, bool checks_again)
{
  using State = std::pair<Ring, std::array<int, 2>>;  // and each producer's index
  const auto producer = [=](std::size_t own) {
    return [=](State & state, int pc) {
      Ring & s = state.first;
      const int index = state.second[own];
      switch (pc) {
        case 0:
          state.second[own] = s.claimed++;
          return 1;
        case 1:  // one compare-and-swap; the twin just stores
          if (writers_exclude_each_other && (s.version == Ring::kWriting || s.version > index)) {
            return 5;
          }
          s.version = Ring::kWriting;
          return 2;
        case 2:
          s.a = index + 1;
          return 3;
        case 3:
          s.b = index + 1;
          return 4;
        case 4:
          s.version = index + 1;
          return 5;
        default:
          ++s.committed;
          return kDone;
      }
    };
  };
  const auto consumer = [=](State & state, int pc) {
    Ring & s = state.first;
    switch (pc) {
      case 0:  // the newest one that was committed
        if (s.version != s.committed || s.version == 0) {
          return ++s.looks < 4 ? 0 : kDone;
        }
        s.read_version = s.version;
        return 1;
      case 1:
        s.read_a = s.a;
        return 2;
      case 2:
        s.read_b = s.b;
        return 3;
      default:
        if (!checks_again || s.version == s.read_version) {
          s.torn = s.torn || s.read_a != s.read_version || s.read_b != s.read_version;
        }
        return ++s.looks < 4 ? 0 : kDone;
    }
  };
  return Interleaver<State>(
           {producer(0), producer(1), consumer},
           [](const State & state) {
             const Ring & s = state.first;
             return s.torn            ? broken("a stamp made of two arrivals was read")
                    : s.committed != 2 ? broken("an arrival was not counted")
                                       : kept();
           })
    .explore({{}, {-1, -1}});
}

TEST(ArrivalRingProtocol, reads_no_torn_stamp_and_counts_every_arrival_in_any_interleaving)
{
  const Verdict verdict = check_ring(true, true);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(ArrivalRingProtocol, twin_whose_writers_do_not_exclude_each_other_is_rejected)
{
  EXPECT_FALSE(check_ring(false, true).good());
}

TEST(ArrivalRingProtocol, twin_that_does_not_check_the_version_again_is_rejected)
{
  EXPECT_FALSE(check_ring(true, false).good());
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
  return Interleaver<Queued>({producer, producer, producer, runner}, [](const Queued & s) {
           return s.doubled           ? broken("queued twice")
                  : s.arrivals != 0 || s.runs != 3 ? broken("a message was left waiting")
                                                   : kept();
         }).explore({});
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
