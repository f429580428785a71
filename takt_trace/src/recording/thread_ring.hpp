// A thread's connection to the recording. A thread-local pointer leads to it; the recorder keeps it
// until the thread has ended.
#ifndef TAKT_TRACE__SRC__RECORDING__THREAD_RING_HPP_
#define TAKT_TRACE__SRC__RECORDING__THREAD_RING_HPP_

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "recording/ring.hpp"
#include "takt_trace/stall.hpp"

namespace takt_trace::detail
{

struct ThreadRing
{
  pid_t tid = 0;
  std::string name{};                 // when it was added
  std::string executor{};             // empty: not an executor's thread
  std::size_t most_records = 0;       // limit of its ring, whatever a recording asks for
  std::atomic<Ring *> ring{nullptr};  // null until a recording begins
  std::atomic<bool> ended{false};

  // Used by the recorder, under its mutex.
  std::vector<std::unique_ptr<Ring>>
    rings{};  // the last one is in use; the thread may still write into the previous one
  std::uint32_t number = UINT32_MAX;  // in the current trace
};

/// Stores a record in the calling thread's ring during a recording. Real-time safe, except the
/// first record of a thread that is not prepared.
void record(const Record & record) noexcept;

/// The same on the thread of a stall witness, whose ring is small.
void record_stall(const Stall & stall) noexcept;

/// Registers the calling thread, with the name of its executor. Set-up only.
void prepare_thread(const std::string & executor);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__RECORDING__THREAD_RING_HPP_
