// How the messages of a callback come, for `takt status`.
#ifndef NAMED_TRANSPORT_HPP_
#define NAMED_TRANSPORT_HPP_

#include <string_view>

#include "takt_core/callback.hpp"

namespace takt_rcl
{

/// Callbacks with messages of a topic have it as a base class.
class NamedTransport
{
public:
  /// As SubscriptionBase::transport. Any thread; real-time safe.
  virtual std::string_view transport() const noexcept = 0;

protected:
  ~NamedTransport() = default;
};

/// Empty for callbacks without messages of a topic. Any thread; real-time safe.
inline std::string_view transport_of(const takt_core::Callback & callback) noexcept
{
  const auto * const named = dynamic_cast<const NamedTransport *>(&callback);
  return named == nullptr ? std::string_view() : named->transport();
}

}  // namespace takt_rcl

#endif  // NAMED_TRANSPORT_HPP_
