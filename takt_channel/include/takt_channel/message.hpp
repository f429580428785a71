// The bytes of a message in shared memory: a loan to be written, or a taken message to be read.
#ifndef TAKT_CHANNEL__MESSAGE_HPP_
#define TAKT_CHANNEL__MESSAGE_HPP_

#include <cstddef>
#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_channel
{

/// Why a loan, a take or a publish gave nothing.
enum class Denial
{
  none,        ///< it gave what was asked for
  empty,       ///< take: no message waits
  all_in_use,  ///< loan or take: the caller has as many as its options allow
  too_large,   ///< loan: more bytes than the options' `max_size`
  not_loaned,  ///< publish: that loan was published or dropped before
  failed       ///< the memory of a peer could not be mapped
};

/// Memory to be written by the publisher. Begins at a multiple of 64 bytes; its bytes are what an earlier message left.
struct Loan
{
  std::byte * data = nullptr;
  std::size_t size = 0;
  std::uint32_t slot = 0;  ///< the publisher's own
  Denial denial = Denial::none;

  explicit operator bool() const noexcept { return denial == Denial::none && data != nullptr; }
};

/// A message that nobody changes until it is released.
struct Message
{
  const std::byte * data = nullptr;
  std::size_t size = 0;
  std::uint64_t publisher = 0;  ///< differs between publishers, also of one that was restarted
  std::uint64_t sequence = 0;   ///< of the publisher's messages, from 0
  takt_rt::Time published{};    ///< when `publish` was called
  std::uint64_t missed =
    0;  ///< messages of this publisher that were overwritten before this one since the last take
  std::uint32_t slot = 0;  ///< the subscriber's own
  Denial denial = Denial::none;

  explicit operator bool() const noexcept { return denial == Denial::none && data != nullptr; }
};

}  // namespace takt_channel

#endif  // TAKT_CHANNEL__MESSAGE_HPP_
