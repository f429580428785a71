// The words by which users name threads of an executor: those of the schedule. `hot` names `hot.0`
// and `hot.1`.
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

/// True for a callback that a front end made for itself; schedules do not name it.
bool is_adapters_own(const takt_core::Callback & callback);

/// True if `word` is the thread's name, its name without the number, or the id of its isolated
/// group.
bool is_named(const takt_core::ThreadState & thread, const std::string & word);
/// The word that names this thread.
std::string word_for(const takt_core::ThreadState & thread);

/// The threads of the schedule that `words` name; nothing if a word names none. The word `all`
/// names all.
std::optional<takt_core::ThreadMask> threads_named(
  std::span<const std::string> words, std::span<const takt_core::ThreadState> threads);
std::vector<std::string> names_in(
  takt_core::ThreadMask mask, std::span<const takt_core::ThreadState> threads);
/// The names of the threads that do not belong to an isolated group.
std::vector<std::string> own_threads(std::span<const takt_core::ThreadState> threads);

/// The names of the threads that may run a callback of `executor`, whose threads are `threads`.
std::vector<std::string> thread_names(
  const takt_core::Callback & callback, takt_core::Executor & executor,
  std::span<const takt_core::ThreadState> threads);

/// "a, b".
std::string joined(std::span<const std::string> words);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__EXECUTOR_WORDS_HPP_
