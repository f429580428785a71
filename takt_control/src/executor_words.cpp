#include "executor_words.hpp"

#include <algorithm>
#include <string_view>

#include "takt_core/group.hpp"

namespace takt_control
{

using takt_core::ThreadMask;
using takt_core::ThreadState;

namespace
{

constexpr std::string_view kAllThreads = "all";

ThreadMask bit_of(const ThreadState & thread)
{
  return ThreadMask{1} << thread.number;
}

}  // namespace

bool is_adapters_own(const takt_core::Callback & callback)
{
  return callback.id().starts_with("/takt:");
}

bool is_named(const ThreadState & thread, const std::string & word)
{
  const std::string & name = thread.attributes.asked.name;
  if (name == word || (!thread.group.empty() && thread.group == word)) {
    return true;
  }
  if (!thread.group.empty() || !name.starts_with(word + ".")) {
    return false;
  }
  const std::string_view number = std::string_view(name).substr(word.size() + 1);
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string word_for(const ThreadState & thread)
{
  return thread.group.empty() ? thread.attributes.asked.name : thread.group;
}

std::optional<ThreadMask> threads_named(
  std::span<const std::string> words, std::span<const ThreadState> threads)
{
  ThreadMask mask = 0;
  for (const std::string & word : words) {
    ThreadMask found = 0;
    for (const ThreadState & thread : threads) {
      if (thread.group.empty() && (word == kAllThreads || is_named(thread, word))) {
        found |= bit_of(thread);
      }
    }
    if (found == 0) {
      return std::nullopt;
    }
    mask |= found;
  }
  return mask;
}

std::vector<std::string> names_in(ThreadMask mask, std::span<const ThreadState> threads)
{
  std::vector<std::string> names;
  for (const ThreadState & thread : threads) {
    if (thread.group.empty() && (mask & bit_of(thread)) != 0) {
      names.push_back(thread.attributes.asked.name);
    }
  }
  return names;
}

std::vector<std::string> own_threads(std::span<const ThreadState> threads)
{
  return names_in(~ThreadMask{0}, threads);
}

std::vector<std::string> thread_names(
  const takt_core::Callback & callback, takt_core::Executor & executor,
  std::span<const ThreadState> threads)
{
  takt_core::Scheduler & scheduler = executor.scheduler_of(callback);
  if (&scheduler == &executor.scheduler()) {
    return names_in(scheduler.threads(callback), threads);
  }
  std::vector<std::string> names;
  for (const ThreadState & thread : threads) {
    if (!thread.group.empty() && thread.group == callback.group().id()) {
      names.push_back(thread.attributes.asked.name);
    }
  }
  return names;
}

std::string joined(std::span<const std::string> words)
{
  std::string all;
  for (const std::string & word : words) {
    all += (all.empty() ? "" : ", ") + word;
  }
  return all;
}

}  // namespace takt_control
