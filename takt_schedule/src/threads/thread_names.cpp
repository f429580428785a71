#include "threads/thread_names.hpp"

#include <algorithm>

#include "takt_core/scheduler.hpp"
#include "takt_schedule/number.hpp"

namespace takt_schedule
{

using takt_core::ThreadMask;

ThreadNames::ThreadNames(const ExecutorSchedule & executor)
{
  for (const Threads & threads : executor.threads) {
    Entry entry{threads.name, 0};
    for (int i = 0; i < threads.count; ++i) {
      // Too many threads are a fault elsewhere; here the number must only not overflow.
      if (names_.size() < takt_core::Scheduler::kMaxThreads) {
        entry.threads |= ThreadMask{1} << names_.size();
      }
      names_.push_back(threads.count == 1 ? threads.name : threads.name + "." + std::to_string(i));
    }
    all_ |= entry.threads;
    entries_.push_back(std::move(entry));
  }
}

std::optional<ThreadMask> ThreadNames::find(std::string_view word) const
{
  if (word == kAllThreads) {
    return all_;
  }
  for (const Entry & entry : entries_) {
    if (!word.starts_with(entry.name)) {
      continue;
    }
    std::string_view rest = word.substr(entry.name.size());
    if (rest.empty()) {
      return entry.threads;
    }
    if (rest.front() != '.') {
      continue;
    }
    rest.remove_prefix(1);
    const auto index = parse_number(rest, 0U, 64U);
    const bool as_printed = rest.size() == 1 || !rest.starts_with('0');
    if (!index || !as_printed) {
      continue;
    }
    ThreadMask left = entry.threads;
    for (unsigned i = *index; i > 0 && left != 0; --i) {
      left &= left - 1;
    }
    if (left != 0) {
      return left & (~left + 1);
    }
  }
  return std::nullopt;
}

ThreadMask ThreadNames::mask(std::span<const std::string> words) const
{
  ThreadMask result = 0;
  for (const std::string & word : words) {
    result |= find(word).value_or(0);
  }
  return result;
}

std::vector<std::string> ThreadNames::words(ThreadMask threads) const
{
  if (threads == all_ && entries_.size() > 1) {
    return {std::string(kAllThreads)};
  }
  std::vector<std::string> result;
  for (const Entry & entry : entries_) {
    if (entry.threads != 0 && (threads & entry.threads) == entry.threads) {
      result.push_back(entry.name);
      continue;
    }
    for (std::size_t i = 0; i < names_.size() && i < takt_core::Scheduler::kMaxThreads; ++i) {
      const ThreadMask bit = ThreadMask{1} << i;
      if ((threads & entry.threads & bit) != 0) {
        result.push_back(names_[i]);
      }
    }
  }
  return result;
}

}  // namespace takt_schedule
