// The recorder of this process: the rings of its threads, and the file or the flight recorder.
#ifndef TAKT_TRACE__SRC__RECORDING__RECORDER_HPP_
#define TAKT_TRACE__SRC__RECORDING__RECORDER_HPP_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "recording/thread_ring.hpp"
#include "recording/topic_table.hpp"
#include "takt_core/run_costs.hpp"
#include "takt_rt/result.hpp"
#include "takt_trace/recording.hpp"
#include "takt_trace/stall_witness.hpp"
#include "takt_trace/trace_file.hpp"

namespace takt_trace::detail
{

class Recorder
{
public:
  /// The one of this process; never destroyed, because threads may record until the process ends.
  static Recorder & instance();

  // ---- real-time safe ----
  bool on() const noexcept { return number() != 0; }
  /// The number of the recording, from 1 on; 0: no recording.
  std::uint32_t number() const noexcept { return number_.load(std::memory_order_relaxed); }
  /// The costs that the recording wants of each run; none unless `on()`.
  takt_core::RunCostsWanted::Costs costs() const noexcept
  {
    return costs_.load(std::memory_order_relaxed);
  }
  void store(ThreadRing & own, const Record & record) noexcept;
  TopicTable & topics() noexcept { return topics_; }

  // ---- set-up only; any thread ----
  /// Makes a ThreadRing for the calling thread, which must not have one.
  ThreadRing & add_thread_ring(const std::string & executor, std::size_t most_records);
  std::uint32_t add_callback(TracedCallback callback);
  std::uint32_t add_chain(TracedChain chain);
  takt_rt::Result<RecordingStart> start(const RecordingOptions & options);
  takt_rt::Result<RecordingFile> stop();
  takt_rt::Result<RecordingFile> snapshot();

private:
  struct Written
  {
    std::uint64_t records = 0, dropped = 0;
  };

  void forget_ended();
  void give_ring(ThreadRing & own);
  void drain_until_told();
  std::string drained();
  std::string last_ones();
  std::string named(std::vector<Record> & records);
  void add_thread(ThreadRing & own);
  takt_rt::Result<std::string> new_file(int & file);
  takt_rt::Result<RecordingFile> stop_file();
  takt_rt::Result<RecordingFile> stop_flight();
  takt_rt::Status write(int file, const std::string & path, const std::string & bytes);
  void append(const std::string & bytes);
  void before_fork();
  void after_fork();
  void in_child();

  std::atomic<std::uint32_t> number_{0};
  std::atomic<bool> overwrite_{false};
  std::atomic<takt_core::RunCostsWanted::Costs> costs_{};
  TopicTable topics_;

  std::mutex lifecycle_;  // for start, stop and snapshot as a whole; locked first
  std::mutex io_;         // for writing; locked before `mutex_`
  std::mutex mutex_;      // guards all below
  std::vector<std::unique_ptr<ThreadRing>> rings_;
  RecordingOptions options_;
  ProcessTrace facts_;  // without records
  TraceEncoder encoder_;
  std::unordered_map<const char *, std::uint32_t> literals_;
  std::unordered_map<std::string, std::uint32_t> names_;
  Written written_;
  std::uint64_t dropped_of_ended_ = 0;

  std::unique_ptr<StallWitness> witness_;              // guarded by `lifecycle_`
  std::unique_ptr<takt_core::RunCostsWanted> wanted_;  // guarded by `lifecycle_`
  std::unique_ptr<std::thread> thread_;
  std::condition_variable told_;
  bool end_ = false;
  int file_ = -1;
  std::string path_;
  std::uint64_t files_ = 0;
  std::uint32_t recordings_ = 0;
  takt_rt::Status failed_;  // result of the file's last write
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__RECORDING__RECORDER_HPP_
