// The attributes of one OS thread, as a value. Sources: sched(7), sched_setattr(2).
#ifndef TAKT_RT__ATTRIBUTES_HPP_
#define TAKT_RT__ATTRIBUTES_HPP_

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "takt_rt/time.hpp"

namespace takt_rt
{

/// Kernel scheduling policies.
enum class Policy
{
  inherit,  ///< only requested, never granted: keeps the thread's policy
  other,
  batch,
  idle,
  fifo,
  rr,
  deadline
};

/// Lower-case name as the schedule file spells it ("fifo", "deadline", ...).
std::string_view to_string(Policy policy) noexcept;

/// Every policy with its name, in the order for lists. Real-time safe.
const std::array<std::pair<Policy, std::string_view>, 7> & policy_names() noexcept;

/// True for fifo and rr, whose `priority` is 1 to 99.
constexpr bool has_rt_priority(Policy policy) noexcept
{
  return policy == Policy::fifo || policy == Policy::rr;
}

/// True for the policies that allow a nice level.
constexpr bool has_nice(Policy policy) noexcept
{
  return policy == Policy::inherit || policy == Policy::other || policy == Policy::batch;
}

/// The attributes of one OS thread. Absent ones stay as they are: a thread begins with its
/// creator's.
struct ThreadAttributes
{
  Policy policy = Policy::inherit;
  int priority = 0;  ///< fifo and rr only: 1 to 99, larger is more urgent
  /// Policies inherit, other and batch only: -20 to 19, smaller is more urgent. Absent: unchanged.
  std::optional<int> nice{};
  Duration runtime{};          ///< deadline only: budget in each period
  Duration deadline{};         ///< deadline only: relative deadline
  Duration period{};           ///< deadline only
  std::vector<int> cores{};    ///< allowed cores; empty: left as inherited
  std::string name{};          ///< OS name, at most 15 bytes; see application/thread_name.hpp
  std::size_t stack_size = 0;  ///< bytes; 0: the system's default

  /// All members. The binding does not compile if one is missing.
  auto members() const
  {
    const auto & [policy_, priority_, nice_, runtime_, deadline_, period_, cores_, name_, stack_size_] =
      *this;
    return std::tie(
      policy_, priority_, nice_, runtime_, deadline_, period_, cores_, name_, stack_size_);
  }
  friend bool operator==(const ThreadAttributes & left, const ThreadAttributes & right)
  {
    return left.members() == right.members();
  }
  friend bool operator!=(const ThreadAttributes & left, const ThreadAttributes & right)
  {
    return !(left == right);
  }
};

/// "SCHED_FIFO priority 80", "SCHED_DEADLINE runtime 2ms deadline 10ms period 10ms", "nice -5": the
/// policy part of `attributes`. Allocates.
std::string format_policy(const ThreadAttributes & attributes);

/// "0-3,8" for {0, 1, 2, 3, 8}: core lists as taskset(1) and cpusets spell them. Allocates.
std::string format_cores(const std::vector<int> & cores);

/// The same within a sentence: "core 3", "cores 0-3,8". Allocates.
std::string cores_words(const std::vector<int> & cores);

}  // namespace takt_rt

#endif  // TAKT_RT__ATTRIBUTES_HPP_
