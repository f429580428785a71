// Records the ended activations of one chain, so that each is counted once.
//
// A cached message can bring an activation to the chain's end again. In a reentrant chain a slow
// activation can end after younger ones. The record holds the youngest 1,024 activations; an older
// one counts as seen.
//
// Not synchronised; real-time safe.
#ifndef TAKT_CORE__SEEN_ACTIVATIONS_HPP_
#define TAKT_CORE__SEEN_ACTIVATIONS_HPP_

#include <bitset>
#include <cstdint>

#include "takt_core/activation.hpp"

namespace takt_core
{

/// The record of one chain. Holds 1,024 bits; does not allocate.
class SeenActivations
{
public:
  static constexpr std::uint32_t kWindow = 1024;

  /// Records that `activation` has ended; false if it was recorded before. An activation of another
  /// root clears the record: the chain's root was removed and added again.
  bool first_time(const Activation & activation) noexcept
  {
    if (!begun_ || activation.root != root_) {
      seen_.reset();
      begun_ = true;
      root_ = activation.root;
      youngest_ = activation.instance;
    }
    // the instance wraps around
    const auto ahead = static_cast<std::int32_t>(activation.instance - youngest_);
    if (ahead <= -static_cast<std::int32_t>(kWindow)) {
      return false;
    }
    if (ahead >= static_cast<std::int32_t>(kWindow)) {
      seen_.reset();
      youngest_ = activation.instance;
    }
    while (youngest_ != activation.instance && ahead > 0) {
      seen_[++youngest_ % kWindow] = false;
    }
    const bool seen = seen_[activation.instance % kWindow];
    seen_[activation.instance % kWindow] = true;
    return !seen;
  }

private:
  bool begun_ = false;
  std::uint32_t root_ = 0;
  std::uint32_t youngest_ = 0;
  std::bitset<kWindow> seen_;  // bit i: instance i modulo kWindow
};

}  // namespace takt_core

#endif  // TAKT_CORE__SEEN_ACTIVATIONS_HPP_
