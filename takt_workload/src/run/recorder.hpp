// Records every run of a graph's callbacks. Does not allocate or lock while the graph runs.
//
// Executor threads fill chunks of one preallocated pool. So the pool holds all runs once, for any
// distribution over threads. It counts runs that do not fit. The recorder is an observer of the
// executor. Nodes note in the record of their run the messages that they took and published. Read
// the records after the executor has stopped.
#ifndef TAKT_WORKLOAD__SRC__RUN__RECORDER_HPP_
#define TAKT_WORKLOAD__SRC__RUN__RECORDER_HPP_

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "records/records.hpp"
#include "takt_core/observer.hpp"

namespace takt_workload
{

class Recorder : public takt_core::Observer
{
public:
  /// Set-up only: allocates and touches records for at least `runs` runs on `threads` threads, and
  /// for the threads of isolated groups.
  Recorder(
    const CallbackTable & table, std::size_t threads, std::size_t runs, std::uint32_t process);

  /// The record of the run in progress on the calling thread, or nullptr. Nodes note their work and
  /// their messages in it. Real-time safe.
  static RunRecord * current() noexcept;

  // ---- after the executor has stopped ----
  std::vector<RunRecord> runs() const;
  std::uint64_t unrecorded() const;

  // ---- takt_core::Observer ----
  void on_added(const takt_core::Callback & callback) override;
  void on_thread(std::uint32_t thread, const takt_rt::AttributeReport & report) override;
  void on_start(const takt_core::Run & run, takt_rt::Time start) noexcept override;
  void on_end(const takt_core::Run & run, takt_rt::Time end) noexcept override;

private:
  static constexpr std::size_t kChunk = 256;
  static constexpr std::size_t kMostThreads = 4096;  // threads of isolated groups come and go

  struct alignas(64) Lane
  {
    RunRecord * chunk = nullptr;
    std::size_t used = kChunk;         // used records of the chunk
    std::uint32_t * filled = nullptr;  // the chunk's entry in filled_
    bool exhausted = false;            // the pool has no free chunk
    std::uint64_t unrecorded = 0;
    RunRecord spare;  // for a run that does not fit
  };

  RunRecord & next_record(Lane & lane) noexcept;

  const CallbackTable & table_;
  const std::uint32_t process_;
  std::vector<RunRecord> pool_;
  std::vector<std::uint32_t> filled_;  // by chunk: complete records
  std::atomic<std::size_t> next_chunk_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> owned_;             // guarded by the mutex
  std::array<std::atomic<Lane *>, kMostThreads> lanes_;  // by thread
  std::vector<std::uint32_t> numbers_;  // takt_core::Callback::number() to the table's
};

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__RECORDER_HPP_
