// Names of executor threads: the numbering of `threads:` entries, and the meaning of thread words.
//
// Entries are flattened in file order: `hot: {count: 2}, rest: {}` are the executor threads 0
// hot.0, 1 hot.1 and 2 rest. Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__SRC__THREAD_NAMES_HPP_
#define TAKT_SCHEDULE__SRC__THREAD_NAMES_HPP_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt_core/thread_mask.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

/// The word for every thread of the executor.
inline constexpr std::string_view kAllThreads = "all";

class ThreadNames
{
public:
  explicit ThreadNames(const ExecutorSchedule & executor);

  /// One name per executor thread: "hot.0", "rest".
  const std::vector<std::string> & names() const noexcept { return names_; }

  /// The threads of a word of the file: "hot" (all of its threads), "hot.0", "all".
  std::optional<takt_core::ThreadMask> find(std::string_view word) const;

  /// The union over `words`, without unknown words: parsing has refused them.
  takt_core::ThreadMask mask(std::span<const std::string> words) const;

  /// The shortest words for a thread set: "all", entries that it has as a whole, single threads.
  std::vector<std::string> words(takt_core::ThreadMask threads) const;

  takt_core::ThreadMask all() const noexcept { return all_; }

private:
  struct Entry
  {
    std::string name;
    takt_core::ThreadMask threads;
  };
  std::vector<std::string> names_;
  std::vector<Entry> entries_;
  takt_core::ThreadMask all_ = 0;
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SRC__THREAD_NAMES_HPP_
