// A lock-free list into which any thread puts callbacks and from which one thread at a time takes
// all of them.
//
// Nodes are the callbacks themselves, each at most once, so nothing is allocated, and because only
// the whole list is ever taken there is no ABA problem.
#ifndef TAKT_CORE__DETAIL__INTAKE_HPP_
#define TAKT_CORE__DETAIL__INTAKE_HPP_

#include <atomic>

#include "takt_core/detail/sync.hpp"

namespace takt_core
{

/// `Node`: has `next_`, and `where_`, which a node in here has at `Node::Where::intake`.
template <typename Node, typename Sync = detail::NativeSync>
class Intake
{
public:
  /// Any thread; lock-free. Sequentially consistent: who then finds a thread not idle may rely on
  /// that thread seeing the callback before it sleeps.
  void push(Node & node) noexcept
  {
    node.where_.store(Node::Where::intake, std::memory_order_release);
    Node * head = head_.load(std::memory_order_relaxed);
    do {
      node.next_ = head;
    } while (!head_.compare_exchange_weak(
      head, &node, std::memory_order_seq_cst, std::memory_order_relaxed));
  }

  bool empty() const noexcept { return head_.load(std::memory_order_seq_cst) == nullptr; }

  /// All callbacks, the one put in last first, linked by `next_`; nullptr if there are none. The
  /// cheap look first keeps an empty intake free of a read-modify-write.
  Node * take_all() noexcept
  {
    return empty() ? nullptr : head_.exchange(nullptr, std::memory_order_acquire);
  }

private:
  typename Sync::template Word<Node *> head_{nullptr};
};

}  // namespace takt_core

#endif  // TAKT_CORE__DETAIL__INTAKE_HPP_
