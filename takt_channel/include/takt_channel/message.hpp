// The bytes of a message in shared memory: a loan to be written, or a taken message to be read.
#ifndef TAKT_CHANNEL__MESSAGE_HPP_
#define TAKT_CHANNEL__MESSAGE_HPP_

#include <cstddef>
#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_channel
{

/// The reason why a loan, a take or a publish failed.
enum class Denial
{
  none,        ///< the call succeeded
  empty,       ///< take: no message waits
  all_in_use,  ///< loan or take: the caller has as many as its options allow
  too_large,   ///< loan: more bytes than the options' `max_size`
  not_loaned,  ///< publish: that loan was published or dropped before
  failed       ///< the memory of a peer could not be mapped
};

/// Memory for the publisher to write a message. Begins at a multiple of 64 bytes. Its bytes are
/// left over from an earlier message.
struct Loan
{
  std::byte * data = nullptr;
  std::size_t size = 0;
  std::uint32_t slot = 0;  ///< the publisher's number for the loan
  Denial denial = Denial::none;

  explicit operator bool() const noexcept { return denial == Denial::none && data != nullptr; }
};

/// A message whose bytes do not change until its release.
struct Message
{
  const std::byte * data = nullptr;
  std::size_t size = 0;
  std::uint64_t publisher = 0;  ///< differs for each publisher, also after a restart
  std::uint64_t sequence = 0;   ///< place among the publisher's messages, from 0
  takt_rt::Time published{};    ///< when `publish` was called
  /// Messages of this publisher that were overwritten between the last taken one and this one.
  std::uint64_t missed = 0;
  std::uint32_t slot = 0;  ///< the subscriber's number for the message
  Denial denial = Denial::none;

  explicit operator bool() const noexcept { return denial == Denial::none && data != nullptr; }
};

}  // namespace takt_channel

#endif  // TAKT_CHANNEL__MESSAGE_HPP_
