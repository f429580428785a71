// The events of CTF traces: their names and fields, for the metadata and the streams.
//
// `ros2`: as in ros2_tracing 8.4. `ros2_caret`: as in caret_trace for Jazzy and later. `takt`:
// takt's own.
#ifndef TAKT_TRACE__SRC__CTF__EVENT_TYPES_HPP_
#define TAKT_TRACE__SRC__CTF__EVENT_TYPES_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace takt_trace::detail
{

enum class Event : std::uint8_t
{
  // ros2: descriptions
  rcl_init,
  rcl_node_init,
  rmw_publisher_init,
  rcl_publisher_init,
  rmw_subscription_init,
  rcl_subscription_init,
  rclcpp_subscription_init,
  rclcpp_subscription_callback_added,
  rcl_service_init,
  rclcpp_service_callback_added,
  rcl_client_init,
  rcl_timer_init,
  rclcpp_timer_callback_added,
  rclcpp_timer_link_node,
  rclcpp_callback_register,
  // ros2: events of a run
  rclcpp_publish,
  rcl_publish,
  rmw_publish,
  rmw_take,
  rcl_take,
  rclcpp_take,
  rclcpp_executor_execute,
  callback_start,
  callback_end,
  // ros2_caret
  caret_init,
  executor_entity_collector_to_executor,
  construct_executor,
  callback_group_to_executor_entity_collector,
  callback_group_add_timer,
  callback_group_add_subscription,
  callback_group_add_service,
  callback_group_add_client,
  dds_write,
  dds_bind_addr_to_stamp,
  // takt: descriptions
  process_init,
  thread_init,
  callback_init,
  chain_init,
  // takt: events of a run
  run_start,
  run_end,
  kernel_wait,
  empty_take,
  exception,
  take,
  publish,
  chain_end,
  span_begin,
  span_end,
  instant,
  counter,
  slice,
  callback_state,
  parked,
  host_stall
};

inline constexpr std::size_t kEvents = static_cast<std::size_t>(Event::host_stall) + 1;

enum class FieldType : std::uint8_t
{
  handle,  ///< unsigned, 64 bits, shown in base 16
  unsigned64,
  signed64,
  signed32,
  real,  ///< double
  text,  ///< ends with a zero byte
  gid    ///< 16 bytes, of which the first eight are the number; the others are zero
};

struct Field
{
  const char * name = nullptr;
  FieldType type = FieldType::handle;
};

class EventType
{
public:
  constexpr EventType(Event number, const char * full_name, std::initializer_list<Field> all)
  : event(number),
    name(full_name),
    count_(all.size())
  {
    std::copy(all.begin(), all.end(), fields_.begin());  // too many fields do not compile
  }

  Event event;
  const char * name;
  constexpr std::span<const Field> fields() const noexcept { return {fields_.data(), count_}; }

private:
  std::array<Field, 6> fields_{};
  std::size_t count_;
};

/// In the order of the enum: the position of an event is its id in the streams.
std::span<const EventType> event_types() noexcept;

inline constexpr std::size_t kGidBytes = 16;  // RMW_GID_STORAGE_SIZE

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__EVENT_TYPES_HPP_
