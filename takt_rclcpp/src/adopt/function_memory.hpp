// The memory of rclcpp's objects that holds user functions, for `takt exec --audit`.
#ifndef ADOPT__FUNCTION_MEMORY_HPP_
#define ADOPT__FUNCTION_MEMORY_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "rclcpp/timer.hpp"
#include "takt_host/audited_function.hpp"

namespace takt_rclcpp
{

/// The whole object, which begins its allocation or lies behind the counts of its shared pointer in
/// it. The pointer's static type may be a base class. Empty: it does neither, as a member of
/// another object.
template <typename Object>
takt_host::FunctionMemory memory_of(const std::shared_ptr<Object> & object)
{
  if (object == nullptr) {
    return {};
  }
  const auto * const begin =
    static_cast<const std::byte *>(dynamic_cast<const void *>(object.get()));
  // std::make_shared of libstdc++ puts the table of its functions and two counts before the object.
  constexpr std::size_t kCounts = 2 * sizeof(void *);
  struct Pointer  // as libstdc++ lays out std::shared_ptr
  {
    const std::byte * object;
    const std::byte * counts;
  };
  static_assert(sizeof(Pointer) == sizeof(object));
  const auto & pointer = reinterpret_cast<const Pointer &>(object);
  const std::size_t before = pointer.counts + kCounts == begin ? kCounts : 0;
  const std::size_t bytes = takt_host::block_bytes(begin - before);
  return {begin, bytes > before ? bytes - before : 0, true, nullptr, object};
}

/// As `memory_of`. The function of a timer is no std::function: it lies behind rclcpp's members.
inline takt_host::FunctionMemory function_of(const std::shared_ptr<rclcpp::TimerBase> & timer)
{
  takt_host::FunctionMemory memory = memory_of(timer);
  if (memory.begin != nullptr) {
    memory.caller = memory.begin;
    memory.begin = static_cast<const std::byte *>(memory.begin) + sizeof(rclcpp::TimerBase);
    memory.bytes -= std::min(memory.bytes, sizeof(rclcpp::TimerBase));
    memory.holds_functions = false;
  }
  return memory;
}

}  // namespace takt_rclcpp

#endif  // ADOPT__FUNCTION_MEMORY_HPP_
