// The options of one measurement of the data path. Set-up only.
#ifndef TAKT_BENCH__SRC__DATA_PATH__SETTING_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__SETTING_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "takt_rt/result.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"

namespace takt_bench::data_path
{

/// How messages travel.
enum class Variant
{
  udp,  ///< takt_rcl over DDS: UDP only, no delivery within the process, no messages by pointer
  standard,  ///< takt_rcl over DDS as it is by default
  loans,     ///< rcl: loaned messages; data sharing between processes, delivery within the process
  direct,    ///< takt_channel between processes; a sequence by pointer of takt_rcl in one thread
  shared,    ///< takt_rcl over takt_channel, between processes
  rclcpp,    ///< rclcpp's own intra-process messages and single-threaded executor
  rclcpp_pool,  ///< the same under rclcpp's multi-threaded executor, with two threads
  futex         ///< no message: the wake-up of another process. The physical limit
};

/// Where publisher and receiver run.
enum class Place
{
  same_core,   ///< two processes, one core
  other_core,  ///< two processes, a core each
  one_thread   ///< one thread of one process; `rclcpp_pool` has two, on one core
};

constexpr std::array<std::pair<Variant, std::string_view>, 8> kVariants{
  {{Variant::udp, "udp"},
   {Variant::standard, "standard"},
   {Variant::loans, "loans"},
   {Variant::direct, "direct"},
   {Variant::shared, "shared"},
   {Variant::rclcpp, "rclcpp"},
   {Variant::rclcpp_pool, "rclcpp_pool"},
   {Variant::futex, "futex"}}};
constexpr std::array<std::pair<Place, std::string_view>, 3> kPlaces{
  {{Place::same_core, "same_core"},
   {Place::other_core, "other_core"},
   {Place::one_thread, "one_thread"}}};

struct Setting
{
  Variant variant = Variant::direct;
  Place place = Place::same_core;
  std::size_t size = 64;  ///< bytes of a message's content
  std::uint64_t messages = 1000;
  std::uint64_t warm_up = 50;  ///< messages before them, not measured
  takt_rt::Duration interval = std::chrono::milliseconds(1);
  /// Then it ends with the messages that it has.
  takt_rt::Duration longest = std::chrono::seconds(20);
  takt_rt::Duration patience = std::chrono::seconds(2);  ///< a message that takes longer is lost
  std::vector<int>
    cores{};            ///< the first is the publisher's, the second the receiver's on another core
  int priority = 50;    ///< of the publisher under SCHED_FIFO; 0: SCHED_OTHER
  std::string topic{};  ///< of no other measurement
};

/// Two numbers in front of a message and one at its end.
constexpr std::size_t kLeastSize = 64;
constexpr std::size_t kMostSize = std::size_t{64} << 20;
/// A receiver is this much above its publisher, and threads of the middleware are one above the
/// thread that they serve.
constexpr int kReceiverAbove = 2;
constexpr int kMiddlewareAbove = 1;
constexpr int kMostPriority = 90;

std::string_view to_string(Variant variant) noexcept;
/// `rclcpp` or `rclcpp_pool`.
constexpr bool is_of_rclcpp(Variant variant) noexcept
{
  return variant == Variant::rclcpp || variant == Variant::rclcpp_pool;
}
std::string_view to_string(Place place) noexcept;

/// Everything that cannot be measured as requested.
takt_rt::Faults check(const Setting & setting);

/// Which side of a message a thread is.
enum class Side
{
  publisher,
  receiver
};

/// The core of a side.
int core_of(const Setting & setting, Side side) noexcept;
/// The attributes of a side's thread, or (`middleware`) those that the middleware's threads of its
/// process inherit.
takt_rt::ThreadAttributes attributes_of(const Setting & setting, Side side, bool middleware);

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__SETTING_HPP_
