// For back ends on a real middleware: intercepts the reader's takes between rcl and rmw. One source
// file of each test program includes it.
#ifndef SOURCE__RMW_TAKE_HPP_
#define SOURCE__RMW_TAKE_HPP_

#include <dlfcn.h>
#include <rmw/rmw.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

namespace takt_host::test
{

struct RmwTake
{
  using Publisher = std::array<std::uint8_t, 16>;

  bool armed = false;  ///< only the reader may take
  std::function<void()> before;
  /// The number of each publisher's lost messages, by which the numbers of its later messages are
  /// larger.
  std::map<Publisher, std::uint64_t> lost;
};

inline RmwTake & rmw_take_between()
{
  static RmwTake one;
  return one;
}

}  // namespace takt_host::test

extern "C" rmw_ret_t rmw_take_with_info(
  const rmw_subscription_t * subscription, void * message, bool * taken, rmw_message_info_t * info,
  rmw_subscription_allocation_t * allocation)
{
  static const auto real =
    reinterpret_cast<decltype(&rmw_take_with_info)>(::dlsym(RTLD_NEXT, "rmw_take_with_info"));
  takt_host::test::RmwTake & between = takt_host::test::rmw_take_between();
  if (!between.armed) {
    return real(subscription, message, taken, info, allocation);
  }
  if (between.before) {
    std::exchange(between.before, nullptr)();
  }
  const rmw_ret_t result = real(subscription, message, taken, info, allocation);
  if (result == RMW_RET_OK && *taken) {
    takt_host::test::RmwTake::Publisher publisher;
    std::memcpy(publisher.data(), info->publisher_gid.data, publisher.size());
    info->publication_sequence_number += between.lost[publisher];
  }
  return result;
}

#endif  // SOURCE__RMW_TAKE_HPP_
