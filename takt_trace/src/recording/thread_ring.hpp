// A thread's way into the trace, found by a thread-local pointer, known to the recorder until the thread has ended.
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
  std::string name{};                 // as it was when it came
  std::string executor{};             // empty: no executor's
  std::size_t most_records = 0;       // of its ring, whatever a recording asks for
  std::atomic<Ring *> ring{nullptr};  // null until a recording begins
  std::atomic<bool> ended{false};

  // The recorder's, under its mutex.
  std::vector<std::unique_ptr<Ring>>
    rings{};  // the last one is in use; the thread may still write into the one before
  std::uint32_t number = UINT32_MAX;  // in the trace that is being recorded
};

/// Stores a record in the calling thread's ring, if anything is recorded. Real-time safe but for the first record of a
/// thread that is not prepared.
void record(const Record & record) noexcept;

/// On the thread of a stall witness, whose ring is small. As `record`.
void record_stall(const Stall & stall) noexcept;

/// Makes the calling thread known, with the name of its executor. Set-up only.
void prepare_thread(const std::string & executor);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__RECORDING__THREAD_RING_HPP_
