// A lock-free list: any thread puts callbacks in, and one thread at a time takes all of them.
//
// The callbacks themselves are the nodes, each at most once, so the list never allocates. A taker
// always takes the whole list, so there is no ABA problem.
#ifndef TAKT_CORE__DETAIL__INTAKE_HPP_
#define TAKT_CORE__DETAIL__INTAKE_HPP_

#include <atomic>

#include "takt_core/detail/sync.hpp"

namespace takt_core
{

/// `Node`: has `next_` and `where_`. A node in the list has `where_` = `Node::Where::intake`.
template <typename Node, typename Sync = detail::NativeSync>
class Intake
{
public:
  /// Any thread; lock-free. Sequentially consistent: if the caller afterwards finds that a thread
  /// is not idle, that thread will see the callback before it sleeps.
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

  /// Returns all callbacks, the last one put in first, linked by `next_`; nullptr if the list is
  /// empty. The load first avoids a read-modify-write on an empty list.
  Node * take_all() noexcept
  {
    return empty() ? nullptr : head_.exchange(nullptr, std::memory_order_acquire);
  }

private:
  typename Sync::template Word<Node *> head_{nullptr};
};

}  // namespace takt_core

#endif  // TAKT_CORE__DETAIL__INTAKE_HPP_
