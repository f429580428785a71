// Join slots keep a message and its activations until another callback uses it.
//
//     takt_rcl::Join<Points> front_, rear_;
//
//     on_front: front_.store(message);   on_rear: rear_.store(message);
//     then:     if (front_.has() && rear_.has()) {
//                 takt_rcl::JoinScope joined(front_, rear_);
//                 publisher_->publish(fuse(front_.get(), rear_.get()));  // carries both
//                 front_.clear(); rear_.clear();
//               }
//
// For a number of slots known only at run time: std::vector<takt_rcl::Join<Points>> slots_, and
// JoinScope joined(slots_).
//
// Not synchronised: callbacks that share a slot belong in one exclusive group.
#ifndef TAKT_RCL__JOIN_HPP_
#define TAKT_RCL__JOIN_HPP_

#include <concepts>
#include <memory>
#include <ranges>
#include <utility>

#include "takt_core/activation.hpp"

namespace takt_rcl
{

/// The activations of a slot.
class JoinBase
{
public:
  /// True if the slot holds a message. Real-time safe.
  bool has() const noexcept { return has_; }
  /// The activations of the held message; empty without one. Real-time safe.
  const takt_core::ActivationSet & activations() const noexcept { return activations_; }

protected:
  JoinBase() = default;
  ~JoinBase() = default;

  void fill() noexcept
  {
    const takt_core::ActivationSet * const current = takt_core::current_activations();
    activations_ = current != nullptr ? *current : takt_core::ActivationSet{};
    has_ = true;
  }
  void empty() noexcept
  {
    has_ = false;
    activations_.clear();
  }

private:
  bool has_ = false;
  takt_core::ActivationSet activations_;
};

/// A slot for one message of type `Msg`.
template <typename Msg>
class Join : public JoinBase
{
public:
  /// `prototype` gives strings and sequences their capacity. Set-up only.
  explicit Join(const Msg & prototype = Msg{}) : own_(prototype) {}

  /// Copies the message into the slot's own buffer. Real-time safe if strings and sequences fit the
  /// buffer's capacity.
  void store(const Msg & message)
  {
    own_ = message;
    shared_.reset();
    fill();
  }

  /// Keeps the pointer; no copy. Real-time safe (the former message returns to its pool).
  void store(std::shared_ptr<const Msg> message) noexcept
  {
    shared_ = std::move(message);
    fill();
  }

  /// The message; only while `has()`. Real-time safe.
  const Msg & get() const noexcept { return shared_ != nullptr ? *shared_ : own_; }

  /// Real-time safe.
  void clear() noexcept
  {
    shared_.reset();
    empty();
  }

private:
  Msg own_;
  std::shared_ptr<const Msg> shared_;
};

/// A range of slots: an array, a vector, a span.
template <typename Range>
concept JoinRange = std::ranges::input_range<const Range> &&
  std::derived_from<std::ranges::range_value_t<const Range>, JoinBase>;

/// While the scope lives, this thread's publishes carry the current activations and those of all
/// given slots with a message. Drops activations beyond ActivationSet::kCapacity. Real-time safe.
class JoinScope
{
public:
  /// Carries the activations of these slots.
  template <std::derived_from<JoinBase>... Joins>
  explicit JoinScope(const Joins &... joins) noexcept
  {
    (..., merge(joins));
  }

  /// Carries the activations of all slots in the range.
  template <JoinRange Joins>
  explicit JoinScope(const Joins & joins) noexcept
  {
    for (const JoinBase & join : joins) {
      merge(join);
    }
  }

  /// The activations that publishes carry while the scope lives. Real-time safe.
  const takt_core::ActivationSet & activations() const noexcept { return activations_; }

private:
  static takt_core::ActivationSet current() noexcept
  {
    const takt_core::ActivationSet * const running = takt_core::current_activations();
    return running != nullptr ? *running : takt_core::ActivationSet{};
  }

  void merge(const JoinBase & join) noexcept
  {
    if (join.has()) {
      activations_.merge(join.activations());
    }
  }

  takt_core::ActivationSet activations_ = current();
  takt_core::ActivationScope scope_{activations_};
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__JOIN_HPP_
