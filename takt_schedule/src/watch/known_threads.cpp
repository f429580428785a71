#include "watch/known_threads.hpp"

#include "schedule/read_executor.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

using takt_rt::Policy;

constexpr std::size_t kMostOffered = 1000;

}  // namespace

KnownThreads::KnownThreads(std::span<const ExecutorSchedule> executors)
: complete_(!executors.empty())
{
  for (const ExecutorSchedule & executor : executors) {
    int total = 0;
    for (const Threads & threads : executor.threads) {
      total += threads.count;
    }
    if (total == 0 || total > static_cast<int>(takt_core::Scheduler::kMaxThreads)) {
      complete_ = false;
      return;
    }
    for (const Threads & threads : executor.threads) {
      const takt_rt::ThreadAttributes & attributes = threads.attributes;
      const Policy policy = attributes.policy;
      const Has has{
        takt_rt::has_rt_priority(policy) || (policy == Policy::inherit && !attributes.nice),
        takt_rt::has_nice(policy) || threads.fallback.has_value()};
      const bool offer = can_name(threads.name);
      add(threads.name, has, offer, offered_);
      for (int i = 0; threads.count > 1 && i < threads.count; ++i) {
        add(threads.name + "." + std::to_string(i), has, offer, singles_);
      }
    }
  }
}

void KnownThreads::add(
  const std::string & word, const Has & has, bool offer, std::vector<std::string> & words)
{
  const auto [entry, fresh] = known_.try_emplace(word);
  entry->second.priority |= has.priority;
  entry->second.nice |= has.nice;
  if (fresh && offer && words.size() < kMostOffered) {
    words.push_back(word);
  }
}

void KnownThreads::check(const Word & word, bool nice, Findings & findings) const
{
  if (!complete_) {
    return;
  }
  const auto found = known_.find(word.text);
  if (found == known_.end()) {
    const bool dot = word.text.find('.') != std::string::npos && !singles_.empty();
    findings.fault(
      word.at, "unknown thread " + quoted(word.text) +
                 findings.guesses().suggestion(word.text, dot ? singles_ : offered_, "threads"));
  } else if (nice && !found->second.nice) {
    findings.fault(
      word.at, "thread " + quoted(word.text) +
                 " has a policy without nice levels; set its priority, or omit the action");
  } else if (!nice && !found->second.priority) {
    findings.fault(
      word.at,
      "thread " + quoted(word.text) +
        " has a policy without priorities; set its nice level, or give it policy fifo or rr");
  }
}

}  // namespace takt_schedule::detail
