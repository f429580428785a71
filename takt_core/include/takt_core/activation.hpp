// Activations: which runs of which chains a message, and the callback that handles it, belong to.
//
// A chain's root (a timer, or a subscription fed from outside this process) starts an activation
// each time it is released. The activation travels with what the root's callback publishes: the
// listener that announces the message runs on the publishing executor thread and copies that
// thread's current activations into the arrival.
#ifndef TAKT_CORE__ACTIVATION_HPP_
#define TAKT_CORE__ACTIVATION_HPP_

#include <array>
#include <cstdint>

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
  /// The Autoware reference graph needs 5; what does not fit is dropped and reported by `add`.
  static constexpr std::uint32_t kCapacity = 8;

  /// Adds `activation` unless it is there. Of one root only the newest release is kept: a reader
  /// that joins an old and a new message of one chain answers for the newer one. Returns false
  /// if the set is full. Real-time safe.
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

  /// Adds all of `other`; false if some did not fit. Real-time safe.
  bool merge(const ActivationSet & other) noexcept
  {
    bool all = true;
    for (const Activation & activation : other) {
      all = add(activation) && all;
    }
    return all;
  }

  void clear() noexcept { size_ = 0; }
  std::uint32_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const Activation * begin() const noexcept { return entries_.data(); }
  const Activation * end() const noexcept { return entries_.data() + size_; }

private:
  std::uint32_t size_ = 0;
  std::array<Activation, kCapacity> entries_{};
};

/// The activations of the callback that runs on this thread now, or nullptr outside of any.
/// Real-time safe.
const ActivationSet * current_activations() noexcept;

/// Makes `activations` the calling thread's current ones until the scope ends. Executor threads
/// open one around each run; a join opens one around a publish. Real-time safe.
class ActivationScope
{
public:
  explicit ActivationScope(const ActivationSet & activations) noexcept;
  ~ActivationScope();
  ActivationScope(const ActivationScope &) = delete;
  ActivationScope & operator=(const ActivationScope &) = delete;

private:
  const ActivationSet * previous_;
};

namespace detail
{
/// The bits of a message's name; the arrival ring keeps four others with them.
inline constexpr std::uint64_t kMessageNames = (std::uint64_t{1} << 60) - 1;
}  // namespace detail

/// Names the message that the calling thread hands to the middleware until the scope ends, by any
/// number that tells it from others on its topic; 0: no name. `Scheduler::ready` stores the name with
/// the arrival if the middleware announces the message on this thread. A take that says which message
/// it found (`Run::found`) then gets the activations of that one. Real-time safe.
class MessageScope
{
public:
  /// Only the lower 60 bits of `name` count.
  explicit MessageScope(std::uint64_t name) noexcept;
  ~MessageScope();
  MessageScope(const MessageScope &) = delete;
  MessageScope & operator=(const MessageScope &) = delete;

private:
  const std::uint64_t previous_;
};

/// The name in the calling thread's innermost `MessageScope`; 0: none. Real-time safe.
std::uint64_t current_message() noexcept;

}  // namespace takt_core

#endif  // TAKT_CORE__ACTIVATION_HPP_
