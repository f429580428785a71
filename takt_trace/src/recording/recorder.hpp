// The recorder of this process: its lanes, and the file or the flight recorder behind them.
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
  /// Of this process; never destroyed, because threads may record until it ends.
  static Recorder & instance();

  // ---- hot ----
  bool on() const noexcept { return number() != 0; }
  /// Of the recording, from 1 on; 0: nothing is recorded.
  std::uint32_t number() const noexcept { return number_.load(std::memory_order_relaxed); }
  /// What the recording wants of each run; nothing but while `on()`.
  takt_core::RunCostsWanted::Costs costs() const noexcept
  {
    return costs_.load(std::memory_order_relaxed);
  }
  void store(ThreadRing & own, const Record & record) noexcept;
  TopicTable & topics() noexcept { return topics_; }

  // ---- set-up only; any thread ----
  /// The thread of the calling thread, which has none.
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

  std::mutex lifecycle_;  // of start, stop and snapshot as a whole; before the others
  std::mutex io_;         // whoever writes; before `mutex_`
  std::mutex mutex_;      // all below
  std::vector<std::unique_ptr<ThreadRing>> rings_;
  RecordingOptions options_;
  ProcessTrace facts_;  // without records
  TraceEncoder encoder_;
  std::unordered_map<const char *, std::uint32_t> literals_;
  std::unordered_map<std::string, std::uint32_t> names_;
  Written written_;
  std::uint64_t dropped_of_ended_ = 0;

  std::unique_ptr<StallWitness> witness_;              // under `lifecycle_`
  std::unique_ptr<takt_core::RunCostsWanted> wanted_;  // the same
  std::unique_ptr<std::thread> thread_;
  std::condition_variable told_;
  bool end_ = false;
  int file_ = -1;
  std::string path_;
  std::uint64_t files_ = 0;
  std::uint32_t recordings_ = 0;
  takt_rt::Status failed_;  // what the file's last write said
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__RECORDING__RECORDER_HPP_
