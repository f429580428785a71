// The lock-free containers (intake, arrival ring), gone through exhaustively as models of their atomic steps; beside each a
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

// ---- arrival ring: three producers and a consumer on one slot ----

struct Ring
{
  static constexpr int kWriting = 99;
  int version = 0, a = 0, b = 0;  // the slot: a stamp of two words
  int begun = 0, under_way = 0;
  int read_version = 0, read_a = 0, read_b = 0, looks = 0;
  bool torn = false;
  auto operator<=>(const Ring &) const = default;
};

Verdict check_ring(bool writers_exclude_each_other, bool checks_again)
{
  struct Own  // a producer's
  {
    int index = -1;
    bool alone = false;
    auto operator<=>(const Own &) const = default;
  };
  using State = std::pair<Ring, std::array<Own, 3>>;
  const auto producer = [=](std::size_t own) {
    return [=](State & state, int pc) {
      Ring & s = state.first;
      const int index = state.second[own].index;
      switch (pc) {
        case 0:
          state.second[own] = {s.begun++, s.under_way++ == 0};
          return 1;
        case 1:  // the twin looks at nothing
          return !writers_exclude_each_other || state.second[own].alone || s.version == index ? 2
                                                                                              : 6;
        case 2:
          s.version = Ring::kWriting;
          return 3;
        case 3:
          s.a = index + 1;
          return 4;
        case 4:
          s.b = index + 1;
          return 5;
        case 5:
          s.version = index + 1;
          return 6;
        default:
          --s.under_way;
          return kDone;
      }
    };
  };
  const auto consumer = [=](State & state, int pc) {
    Ring & s = state.first;
    switch (pc) {
      case 0:  // the newest one that was committed
        if (s.version != s.begun - s.under_way || s.version == 0) {
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
           {producer(0), producer(1), producer(2), consumer},
           [](const State & state) {
             const Ring & s = state.first;
             return s.torn ? broken("a stamp made of two arrivals was read")
                    : s.begun != 3 || s.under_way != 0 ? broken("an arrival was not counted")
                                                       : kept();
           })
    .explore({});
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

}  // namespace
}  // namespace takt_core::test
