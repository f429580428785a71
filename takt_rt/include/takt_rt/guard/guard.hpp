// Counts events in a piece of code that real-time code should avoid: allocations, waits for locks,
// output, and so on (kind.hpp).
//
//     static const takt_rt::GuardName kName("controller");   // set-up
//     {
//       const takt_rt::Guard guard(kName);
//       control();
//       if (guard.counts().of(takt_rt::GuardKind::allocation) > 0) { ... }
//     }
//
// The library libtakt_guard.so counts the events. A process has this library under `takt exec
// --guard`, or if its program links takt_rt::takt_guard. Without the library a scope costs a load
// and a branch, and counts no events. The guard never stops a program.
#ifndef TAKT_RT__GUARD__GUARD_HPP_
#define TAKT_RT__GUARD__GUARD_HPP_

#include <cstdint>

#include "takt_rt/guard/interface.hpp"
#include "takt_rt/guard/kind.hpp"

namespace takt_rt
{

/// The functions of the guard's library; null: the process does not have the library. Any thread;
/// the first call searches for the library.
const GuardInterface * guard_library() noexcept;

/// A name of scopes. The guard counts the events of all scopes with one name together.
class GuardName
{
public:
  /// Set-up only: allocates.
  explicit GuardName(const char * text) noexcept
  : library_(guard_library()),
    number_(library_ == nullptr ? 0 : library_->name(text))
  {
  }

  /// Makes this thread's counter of page faults. Without this call the thread's first scope makes
  /// it. Set-up only.
  void prepare_thread() const noexcept
  {
    if (library_ != nullptr && library_->watches_executors() != 0) {
      library_->prepare_thread();
    }
  }

  const GuardInterface * library() const noexcept { return library_; }
  std::uint32_t number() const noexcept { return number_; }

private:
  const GuardInterface * library_;
  std::uint32_t number_;
};

/// The threads on which a scope is watched.
enum class Watched
{
  always,
  as_callbacks  ///< as `takt exec --guard` watches callbacks: on real-time threads, or on all
};

/// A scope in which the guard watches this thread, by default whatever the thread's policy. Scopes
/// nest: an event counts under the name of the innermost scope, and in the `counts` of all open
/// scopes. Only the thread that made the object uses it. Real-time safe.
class Guard
{
public:
  explicit Guard(const GuardName & name, Watched watched = Watched::always) noexcept
  : library_(begins(name, watched) ? name.library() : nullptr)
  {
  }
  ~Guard()
  {
    if (library_ != nullptr) {
      library_->leave();
    }
  }
  Guard(const Guard &) = delete;
  Guard & operator=(const Guard &) = delete;

  /// False: the guard does not watch this scope, so `counts` has no events.
  bool watches() const noexcept { return library_ != nullptr; }
  /// The events since the scope began. Call only while this is the thread's innermost scope.
  GuardCounts counts() const noexcept
  {
    GuardCounts counts;
    if (library_ != nullptr) {
      library_->counts(&counts);
    }
    return counts;
  }

private:
  static bool begins(const GuardName & name, Watched watched) noexcept
  {
    const GuardInterface * const library = name.library();
    const bool always = watched == Watched::always;
    return library != nullptr && (always || library->watches_executors() != 0) &&
           library->enter(name.number(), always ? 1 : 0) != 0;
  }

  const GuardInterface * library_;
};

}  // namespace takt_rt

#endif  // TAKT_RT__GUARD__GUARD_HPP_
