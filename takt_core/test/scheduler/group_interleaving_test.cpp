// How a group's second member joins while the first may be entering without a read-modify-write:
// gone through exhaustively as a model of the atomic steps, beside a broken twin.
#include <gtest/gtest.h>

#include <algorithm>
#include <compare>

#include "support/interleaver.hpp"

namespace takt_core::test
{
namespace
{

struct Entering
{
  bool busy = false, shared = false;
  bool set_locked = false;    // the mutex of the first member's thread set
  bool second_added = false;  // it may be started, on a set of its own
  bool saw_shared = false;    // what the first read
  int inside = 0, most = 0;
  auto operator<=>(const Entering &) const = default;

  int enter()
  {
    busy = true;
    most = std::max(most, ++inside);
    return 4;
  }
};

Verdict check_joining(bool add_passes_the_mutexes)
{
  const auto first = [](Entering & s, int pc) {
    switch (pc) {
      case 0:
        if (s.set_locked) {
          return kBlocked;
        }
        s.set_locked = true;
        return 1;
      case 1:
        s.saw_shared = s.shared;
        return 2;
      case 2:  // a compare-and-swap, or a load of its own
        if (s.busy) {
          s.set_locked = false;
          return kDone;  // it is parked
        }
        return s.saw_shared ? s.enter() : 3;
      case 3:
        return s.enter();
      case 4:
        s.set_locked = false;
        return 5;
      default:
        --s.inside;
        s.busy = false;
        return kDone;
    }
  };
  const auto setup = [=](Entering & s, int pc) {
    switch (pc) {
      case 0:
        s.shared = true;
        return add_passes_the_mutexes ? 1 : 2;
      case 1:
        return s.set_locked ? kBlocked : 2;  // locked and unlocked again
      default:
        s.second_added = true;
        return kDone;
    }
  };
  const auto second = [](Entering & s, int pc) {
    switch (pc) {
      case 0:
        return s.second_added ? 1 : kBlocked;
      case 1:  // one compare-and-swap
        return s.busy ? kDone : s.enter();
      default:
        --s.inside;
        s.busy = false;
        return kDone;
    }
  };
  return Interleaver<Entering>(
           {first, setup, second},
           [](const Entering & s) {
             return s.most > 1 ? broken("two members ran at the same time") : kept();
           })
    .explore({});
}

TEST(GroupProtocol, excludes_the_second_member_in_any_interleaving)
{
  const Verdict verdict = check_joining(true);
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST(GroupProtocol, twin_that_does_not_wait_for_who_may_be_entering_is_rejected)
{
  EXPECT_FALSE(check_joining(false).good());
}

}  // namespace
}  // namespace takt_core::test
