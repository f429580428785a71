// The steps that opening a publisher and opening a subscriber share.
#ifndef OPENING_HPP_
#define OPENING_HPP_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bell.hpp"
#include "takt_channel/channel.hpp"
#include "takt_channel_c.h"
#include "takt_rt/fault.hpp"

namespace takt_channel
{

/// A refusal and its sentence.
struct Refused
{
  Refusal refusal = Refusal::none;
  std::string why;
};

/// Checks the options, opens the bell, cleans, and calls `create` with the shape, a second time if
/// cleaning may help. Returns the refusal; absent: it succeeded, and the caller must end the bell's
/// change.
std::optional<Refused> open_port(
  const Options & options, Bell::Access access, Bell & bell,
  const std::function<std::int32_t(const takt_channel_shape &)> & create);

/// The fault for a refused channel.
takt_rt::Faults faults_of(const Options & options, const Refused & refused);

/// The denial for a code of a loan, take or send.
Denial denial_of(std::int32_t code) noexcept;

}  // namespace takt_channel

#endif  // OPENING_HPP_
