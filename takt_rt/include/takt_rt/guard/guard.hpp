// Notes what a piece of code does that real-time code should not do: allocations, locks that wait, output, and so on.
//
//     static const takt_rt::GuardName kName("controller");   // set-up
//     {
//       const takt_rt::Guard guard(kName);
//       control();
//       if (guard.counts().of(takt_rt::GuardKind::allocation) > 0) { ... }
//     }
//
// The library libtakt_guard.so does the noting. It is there under `takt exec --guard`, and in programs that link
// takt_rt::takt_guard. Without it a scope costs a load and a branch, and counts nothing. The program is never stopped.
#ifndef TAKT_RT__GUARD__GUARD_HPP_
#define TAKT_RT__GUARD__GUARD_HPP_

#include <cstdint>

#include "takt_rt/guard/interface.hpp"
#include "takt_rt/guard/kind.hpp"

namespace takt_rt
{

/// The functions of the guard's library; null: it is not there. Any thread; the first call searches for the library.
const GuardInterface * guard_library() noexcept;

/// A name under which scopes are counted. Scopes with one name are counted together.
class GuardName
{
public:
  /// Set-up only; allocates.
  explicit GuardName(const char * text) noexcept
  : library_(guard_library()),
    number_(library_ == nullptr ? 0 : library_->name(text))
  {
  }

  /// Makes this thread's counter of page faults. Without it the thread's first scope does it. Set-up only.
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

/// Which threads a scope watches.
enum class Watched
{
  always,
  as_callbacks  ///< under `takt exec --guard`, as it watches callbacks: on real-time threads, or on all
};

/// The scope in which this thread is watched, by default whatever its policy. Scopes nest: what happens is counted under the name
/// of the innermost one, and in `counts` of all. One thread makes, asks and ends it. Real-time safe.
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

  /// False: the library is not there, so `counts` says nothing.
  bool watches() const noexcept { return library_ != nullptr; }
  /// What happened since the scope began. Only while this is the thread's innermost scope.
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
