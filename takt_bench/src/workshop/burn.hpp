// Work that uses a thread's CPU for a time, and notices when the host takes the core meanwhile.
#ifndef TAKT_BENCH__SRC__WORKSHOP__BURN_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__BURN_HPP_

#include <atomic>
#include <cstddef>
#include <vector>

#include "takt_rt/ready_time.hpp"
#include "takt_rt/time.hpp"
#include "takt_trace/stall_index.hpp"

namespace takt_bench::workshop
{

/// Host stalls that the threads of one exercise noticed. Any thread notes; the functions are
/// real-time safe up to kMost.
class StallNotes
{
public:
  static constexpr std::size_t kMost = 4096;

  void note(takt_rt::Time begin, takt_rt::Time end) noexcept;
  /// While no thread notes.
  std::vector<takt_trace::TimeSpan> all() const;
  /// How many did not fit. Any thread.
  std::size_t without_room() const noexcept;

private:
  std::vector<takt_trace::TimeSpan> spans_ = std::vector<takt_trace::TimeSpan>(kMost);
  std::atomic<std::size_t> count_{0};
};

/// The witness of one thread: what the kernel's account says of its lateness. One thread.
class ThreadWitness
{
public:
  /// A gap shorter than this is not looked at.
  static constexpr takt_rt::Duration kGap = std::chrono::microseconds(100);

  /// The calling thread's own. The first call on a thread opens a file, and so is set-up only.
  static ThreadWitness & mine();

  /// The thread slept until `due` in the kernel, and runs at `now`. Notes a stall if this is more
  /// than `gap` later although the thread had nothing else to do (`ended`), and no other thread of
  /// this machine explains it. Not for a time in which the thread waited for another one: the
  /// kernel does not count a wait for a lock or for a message as one for a core. Real-time safe:
  /// asks the kernel after a gap, and else now and then, 2 us.
  void late(
    takt_rt::Time due, takt_rt::Time now, StallNotes & notes, takt_rt::Duration gap) noexcept;

  /// Whether the kernel keeps the account, without which no stall is noted. Real-time safe.
  bool accounted() const noexcept { return account_.counted(); }

  /// The thread has done its work, and waits for more. Real-time safe.
  void ended(takt_rt::Time now) noexcept { ended_ = now; }

  /// Uses `work` of the thread's CPU time. Notes a stall for each gap in which no other thread ran.
  /// Real-time safe.
  void burn(takt_rt::Duration work, StallNotes & notes) noexcept;

private:
  static constexpr int kReadEvery = 16;

  bool stalled(takt_rt::Duration gap) noexcept;

  takt_rt::ReadyTime account_;
  takt_rt::Duration waited_ = account_.read();
  int until_reading_ = kReadEvery;
  takt_rt::Time ended_{};
};

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__BURN_HPP_
