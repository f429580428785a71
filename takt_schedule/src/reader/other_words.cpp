#include "reader/other_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace takt_schedule::detail
{
namespace
{

using Pair = std::pair<std::string_view, std::string_view>;

// A word may be here twice: it means the key that the present map has.
constexpr std::array kWords{
  // keys of threads
  Pair{"affinity", "cores"},
  Pair{"core", "cores"},
  Pair{"core_affinity", "cores"},
  Pair{"cpu", "cores"},
  Pair{"cpu_affinity", "cores"},
  Pair{"cpu_list", "cores"},
  Pair{"cpu_set", "cores"},
  Pair{"cpus", "cores"},
  Pair{"cpuset", "cores"},
  Pair{"class", "policy"},
  Pair{"sched", "policy"},
  Pair{"sched_class", "policy"},
  Pair{"sched_policy", "policy"},
  Pair{"schedule_policy", "policy"},
  Pair{"scheduler", "policy"},
  Pair{"scheduling", "policy"},
  Pair{"scheduling_class", "policy"},
  Pair{"scheduling_policy", "policy"},
  Pair{"prio", "priority"},
  Pair{"rt_priority", "priority"},
  Pair{"rtprio", "priority"},
  Pair{"sched_priority", "priority"},
  Pair{"scheduling_priority", "priority"},
  Pair{"thread_priority", "priority"},
  Pair{"nice_level", "nice"},
  Pair{"niceness", "nice"},
  Pair{"sched_runtime", "runtime"},
  Pair{"sched_deadline", "deadline"},
  Pair{"sched_period", "period"},
  Pair{"stack_size", "stack"},
  Pair{"stacksize", "stack"},
  Pair{"num_threads", "count"},
  Pair{"number_of_threads", "count"},
  Pair{"thread_count", "count"},
  Pair{"threads", "count"},
  // keys of executors and rules
  Pair{"default_thread", "default"},
  Pair{"default_threads", "default"},
  Pair{"thread", "threads"},
  Pair{"executor_thread", "threads"},
  Pair{"callback_groups", "groups"},
  Pair{"non_ros_threads", "process_threads"},
  Pair{"memory_lock", "lock_memory"},
  Pair{"mlockall", "lock_memory"},
  Pair{"dedicated", "isolate"},
  Pair{"isolated", "isolate"},
  Pair{"callback", "match"},
  Pair{"callback_group", "match"},
  Pair{"comm", "match"},
  Pair{"id", "match"},
  Pair{"name", "match"},
  Pair{"pattern", "match"},
  Pair{"topic", "match"},
  // policies
  Pair{"cfs", "other"},
  Pair{"eevdf", "other"},
  Pair{"normal", "other"},
  Pair{"sched_normal", "other"},
  Pair{"ts", "other"},
  Pair{"ff", "fifo"},
  Pair{"round_robin", "rr"},
  Pair{"sched_rr", "rr"},
  Pair{"dl", "deadline"},
  Pair{"dln", "deadline"},
  Pair{"edf", "deadline"},
  // orders
  Pair{"fixed_priority", "priority"},
  Pair{"fp", "priority"},
  Pair{"deadline", "edf"},
  // kinds of callbacks
  Pair{"reader", "sub"},
  Pair{"subscriber", "sub"},
  Pair{"subscription", "sub"},
  Pair{"topic", "sub"},
  Pair{"server", "service"},
  Pair{"srv", "service"},
  Pair{"wall_timer", "timer"},
};

// "cpu-affinity", "CpuAffinity" and "cpu_affinity" are one word.
std::string plain(std::string_view word)
{
  std::string result;
  for (const char c : word.substr(0, 40)) {
    if (c != '_' && c != '-' && c != ' ') {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return result;
}

}  // namespace

std::string word_for_other(std::string_view word, std::span<const std::string> known)
{
  const std::string wanted = plain(word);
  for (const auto & [other, ours] : kWords) {
    if (plain(other) == wanted && std::find(known.begin(), known.end(), ours) != known.end()) {
      return std::string(ours);
    }
  }
  return {};
}

}  // namespace takt_schedule::detail
