// Join slots: keep a message, with the activations it came for, until another callback uses it.
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
// Not synchronised: callbacks that share a slot belong in one exclusive group.
#ifndef TAKT_RCL__JOIN_HPP_
#define TAKT_RCL__JOIN_HPP_

#include <memory>
#include <utility>

#include "takt_core/activation.hpp"

namespace takt_rcl
{

/// What a slot holds besides the message.
class JoinBase
{
public:
  bool has() const noexcept { return has_; }
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

template <typename Msg>
class Join : public JoinBase
{
public:
  /// `prototype` gives strings and sequences their capacity. Set-up only.
  explicit Join(const Msg & prototype = Msg{}) : own_(prototype) {}

  /// Copies the message into the slot's own buffer. Real-time safe for messages whose strings and
  /// sequences fit what the buffer has held before.
  void store(const Msg & message)
  {
    own_ = message;
    shared_.reset();
    fill();
  }

  /// Keeps the pointer; no copy. Real-time safe (the message that leaves goes back to its pool).
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

/// While it lives, what this thread publishes carries the current activations and those of all
/// given slots that hold a message. What exceeds ActivationSet::kCapacity is dropped. Real-time
/// safe.
class JoinScope
{
public:
  template <typename... Joins>
  explicit JoinScope(const Joins &... joins) noexcept
  : activations_(merge(joins...)),
    scope_(activations_)
  {
  }

  const takt_core::ActivationSet & activations() const noexcept { return activations_; }

private:
  template <typename... Joins>
  static takt_core::ActivationSet merge(const Joins &... joins) noexcept
  {
    takt_core::ActivationSet set;
    if (const auto * const current = takt_core::current_activations(); current != nullptr) {
      set = *current;
    }
    (..., (joins.has() ? set.merge(joins.activations()) : true));
    return set;
  }

  takt_core::ActivationSet activations_;
  takt_core::ActivationScope scope_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__JOIN_HPP_
