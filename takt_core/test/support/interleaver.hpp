// Runs a model of a lock-free protocol through every interleaving of its atomic steps.
//
// A model is a copyable, ordered state and one function per thread, which performs the step at a
// program counter and returns the next one, `kDone`, or `kBlocked` (nothing changed; try again when
// somebody else moved). States that were visited already are not gone through again, so loops are
// allowed. Steps are sequentially consistent: what is checked is the protocol's logic, the memory
// orders are argued for in the sources.
#ifndef SUPPORT__INTERLEAVER_HPP_
#define SUPPORT__INTERLEAVER_HPP_

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "verdict.hpp"

namespace takt_core::test
{

inline constexpr int kDone = -1;
inline constexpr int kBlocked = -2;

template <typename State>
class Interleaver
{
public:
  using Step = std::function<int(State &, int)>;

  /// `at_end`: judges each state in which no thread can move any more.
  Interleaver(std::vector<Step> threads, std::function<Verdict(const State &)> at_end)
  : threads_(std::move(threads)),
    at_end_(std::move(at_end))
  {
  }

  /// The first fault found, or kept().
  Verdict explore(const State & initial)
  {
    seen_.clear();
    return visit({initial, std::vector<int>(threads_.size(), 0)});
  }

  std::size_t states() const noexcept { return seen_.size(); }

private:
  using Node = std::pair<State, std::vector<int>>;

  Verdict visit(const Node & node)
  {
    if (!seen_.insert(node).second) {
      return kept();
    }
    bool moved = false;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (node.second[t] == kDone) {
        continue;
      }
      Node next = node;
      const int to = threads_[t](next.first, node.second[t]);
      if (to == kBlocked) {
        continue;
      }
      moved = true;
      next.second[t] = to;
      if (Verdict verdict = visit(next); !verdict) {
        return verdict;
      }
    }
    return moved ? kept() : at_end_(node.first);
  }

  std::vector<Step> threads_;
  std::function<Verdict(const State &)> at_end_;
  std::set<Node> seen_;
};

}  // namespace takt_core::test

#endif  // SUPPORT__INTERLEAVER_HPP_
