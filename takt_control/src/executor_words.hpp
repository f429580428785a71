// The words by which people name threads of an executor: those of the schedule, `hot` for all of `hot.0` and `hot.1`.
//
// Any thread; may block as set-up of an executor does; allocates.
#ifndef TAKT_CONTROL__SRC__EXECUTOR_WORDS_HPP_
#define TAKT_CONTROL__SRC__EXECUTOR_WORDS_HPP_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/thread_mask.hpp"

namespace takt_control
{

/// A callback of a front end, which no schedule names.
bool is_adapters_own(const takt_core::Callback & callback);

/// By a word: its name, the beginning of it before the number, or the id of its isolated group.
bool is_named(const takt_core::ThreadState & thread, const std::string & word);
/// The word for this one.
std::string word_for(const takt_core::ThreadState & thread);

/// The threads of the schedule among `threads`; nothing, if a word means none of them. `all`: all.
std::optional<takt_core::ThreadMask> threads_named(
  std::span<const std::string> words, std::span<const takt_core::ThreadState> threads);
std::vector<std::string> names_in(
  takt_core::ThreadMask mask, std::span<const takt_core::ThreadState> threads);
/// Those that no group has for itself.
std::vector<std::string> own_threads(std::span<const takt_core::ThreadState> threads);

/// The names of the threads that may run a callback of `executor`, whose threads are `threads`.
std::vector<std::string> thread_names(
  const takt_core::Callback & callback, takt_core::Executor & executor,
  std::span<const takt_core::ThreadState> threads);

/// "a, b".
std::string joined(std::span<const std::string> words);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__EXECUTOR_WORDS_HPP_
