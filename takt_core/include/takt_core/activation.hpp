// Activations: the runs of chains to which a message, and the callback that takes it, belong.
//
// A chain's root is a timer, or a subscription fed from outside this process. Each release of the
// root starts an activation. Messages carry activations on: the listener that announces a message
// runs on the publishing executor thread and copies that thread's current activations into the
// arrival.
#ifndef TAKT_CORE__ACTIVATION_HPP_
#define TAKT_CORE__ACTIVATION_HPP_

#include <array>
#include <cstdint>

#include "takt_rt/constinit.hpp"
#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::Time;

/// One activation: the `instance`-th release of callback number `root`.
struct Activation
{
  std::uint32_t root = 0;      ///< Callback::number() of the root
  std::uint32_t instance = 0;  ///< counts the root's releases from 0, wraps around
  Time release{};              ///< when the root became due

  friend bool operator==(const Activation &, const Activation &) = default;
};

/// A bounded set of activations; a fused message carries those of all its inputs.
class ActivationSet
{
public:
  /// The Autoware reference graph needs 5. `add` drops an activation beyond the capacity and
  /// returns false.
  static constexpr std::uint32_t kCapacity = 8;

  /// Adds `activation` unless the set has it. The set keeps the newest release of each root: a
  /// callback that joins an old and a new message of one chain works for the newer one. Returns
  /// false if the set is full. Real-time safe.
  bool add(const Activation & activation) noexcept
  {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (entries_[i].root == activation.root) {
        if (entries_[i].release < activation.release) {
          entries_[i] = activation;
        }
        return true;
      }
    }
    if (size_ == kCapacity) {
      return false;
    }
    entries_[size_++] = activation;
    return true;
  }

  /// Adds all of `other`; false if the set could not hold all of them. Real-time safe.
  bool merge(const ActivationSet & other) noexcept
  {
    bool all = true;
    for (const Activation & activation : other) {
      all = add(activation) && all;
    }
    return all;
  }

  /// Makes this set equal to `other`, and copies only what is in use. Real-time safe.
  void assign(const ActivationSet & other) noexcept
  {
    size_ = other.size_;
    for (std::uint32_t i = 0; i < size_; ++i) {
      entries_[i] = other.entries_[i];
    }
  }

  /// Removes all activations. Real-time safe.
  void clear() noexcept { size_ = 0; }
  std::uint32_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const Activation * begin() const noexcept { return entries_.data(); }
  const Activation * end() const noexcept { return entries_.data() + size_; }

private:
  std::uint32_t size_ = 0;
  std::array<Activation, kCapacity> entries_{};
};

/// Until the scope ends, `activations` are the current ones of the calling thread. An executor
/// thread opens a scope around each run, and a join opens one around a publish. Real-time safe.
class ActivationScope
{
public:
  explicit ActivationScope(const ActivationSet & activations) noexcept : previous_(s_current)
  {
    s_current = &activations;
  }
  ~ActivationScope() { s_current = previous_; }
  ActivationScope(const ActivationScope &) = delete;
  ActivationScope & operator=(const ActivationScope &) = delete;

private:
  friend const ActivationSet * current_activations() noexcept;

  [[gnu::tls_model(
    "initial-exec")]] TAKT_RT_CONSTINIT static thread_local const ActivationSet * s_current;
  const ActivationSet * previous_;
};

/// The activations of the callback that runs on this thread; nullptr outside of callbacks.
/// Real-time safe.
inline const ActivationSet * current_activations() noexcept
{
  return ActivationScope::s_current;
}

namespace detail
{
/// The bits of a message's name. The arrival ring uses the other four bits of the word.
inline constexpr std::uint64_t kMessageNames = (std::uint64_t{1} << 60) - 1;
}  // namespace detail

/// Until the scope ends, messages that the calling thread hands to the middleware have the name
/// `name`. A name is any number that no other message of the topic has; 0: no name. If the
/// middleware announces the message on this thread, `Scheduler::ready` stores the name with the
/// arrival. A take that reports the name of its message (`Run::found`) gets the activations of that
/// message. Real-time safe.
class MessageScope
{
public:
  /// Only the lower 60 bits of `name` count.
  explicit MessageScope(std::uint64_t name) noexcept : previous_(s_current)
  {
    s_current = name & detail::kMessageNames;
  }
  ~MessageScope() { s_current = previous_; }
  MessageScope(const MessageScope &) = delete;
  MessageScope & operator=(const MessageScope &) = delete;

private:
  friend std::uint64_t current_message() noexcept;

  [[gnu::tls_model("initial-exec")]] TAKT_RT_CONSTINIT static thread_local std::uint64_t s_current;
  const std::uint64_t previous_;
};

/// The name in the calling thread's innermost `MessageScope`; 0: none. Real-time safe.
inline std::uint64_t current_message() noexcept
{
  return MessageScope::s_current;
}

}  // namespace takt_core

#endif  // TAKT_CORE__ACTIVATION_HPP_
