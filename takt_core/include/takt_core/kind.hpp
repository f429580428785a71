// The kinds of callbacks.
#ifndef TAKT_CORE__KIND_HPP_
#define TAKT_CORE__KIND_HPP_

#include <cstdint>
#include <string_view>

namespace takt_core
{

/// In the order in which `window` and `stock` prefer kinds. Guard conditions are waitables.
enum class Kind : std::uint8_t
{
  timer,
  subscription,
  service,
  client,
  waitable
};

/// Whether the messages of callbacks of this kind can wait for takers. Waitables count, because a
/// subscription's messages may come through a waitable. Real-time safe.
constexpr bool has_messages(Kind kind) noexcept
{
  return kind == Kind::subscription || kind == Kind::waitable;
}

/// The kind's word, such as "timer". Real-time safe.
std::string_view to_string(Kind kind) noexcept;

}  // namespace takt_core

#endif  // TAKT_CORE__KIND_HPP_
