// Records for a report how often the callbacks of one adopted executor ran, how long each run took
// in CPU time and by the clock, and how long each run waited.
//
// `Recorder` is an observer. A run costs the executor's measurements (takt_core/run_costs.hpp) and
// one uncontended mutex of the callback. After `on_added` only a callback's first message on a
// topic allocates, for the topic's name.
#ifndef ADOPT__RECORDER_HPP_
#define ADOPT__RECORDER_HPP_

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "adopt/entity.hpp"
#include "adopt/observe/call_log.hpp"
#include "adopt/observe/release_spans.hpp"
#include "takt_core/observer.hpp"
#include "takt_core/run_costs.hpp"
#include "takt_rt/histogram.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_trace/release_fit.hpp"
#include "takt_trace/release_phase.hpp"

namespace takt_rclcpp
{

/// Extremes, sum and count of times, in nanoseconds.
struct TimeSummary
{
  std::uint64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;

  void add(std::int64_t ns) noexcept;
  double mean() const noexcept
  {
    return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
  }
};

/// A topic that a callback publishes.
struct PublishedTopic
{
  std::string topic;
  std::uint64_t count = 0;
};

/// A service of this process and the client that got its answer; runs of a callback waited for this
/// answer.
struct AwaitedPair
{
  std::string service;  ///< id; empty: a service of another process
  std::string client;   ///< id
  std::uint64_t count = 0;
  std::uint64_t most = 0;  ///< largest count in one run
  std::int64_t longest = 0;
};

struct CallbackRecord
{
  std::string id;
  std::string chain_id;
  std::string group;
  takt_core::Kind kind = takt_core::Kind::waitable;
  EntityFacts facts;
  TimeSummary between;  ///< from one release to the next
  ReleaseSpans spans;
  takt_trace::ReleasePhase phase;         ///< of a timer on the monotonic clock
  takt_trace::ReleaseFit fit;             ///< of a subscription
  std::vector<PublishedTopic> publishes;  ///< in the order of the first messages
  std::vector<AwaitedPair> waits_for;     ///< in the order of the first waits
  /// messages that the middleware announced while their spans were measured
  std::uint64_t arrivals = 0;
  /// in the form of `spans.shortest()`
  std::vector<std::pair<std::size_t, std::int64_t>> arrival_spans;
  /// CPU times: the upper edge of each bucket, and the number of runs in it.
  std::vector<std::pair<std::int64_t, std::uint64_t>> histogram;
  TimeSummary cpu;       ///< CPU time of the thread, from pick to end; includes the take
  TimeSummary take_cpu;  ///< CPU time of the thread, take only
  TimeSummary elapsed;   ///< end - start
  TimeSummary waited;    ///< start - release
  /// The longest sleep of one run. The sleep is the part of `elapsed` that is neither CPU time nor
  /// a wait for a core, in a run that left its core by itself. kUnknownSleep: not measured.
  std::int64_t longest_sleep = kUnknownSleep;
  static constexpr std::int64_t kUnknownSleep = -1;
  std::uint64_t publishing_runs = 0;  ///< runs that published, where WorkAfterPublish measures
  std::uint64_t published_last = 0;   ///< of these: runs that worked on for kLastWork at most
  static constexpr takt_rt::Duration kLastWork = std::chrono::microseconds(25);
  std::uint64_t empty_takes = 0;
  std::uint64_t exceptions = 0;
  std::uint64_t skipped_periods = 0;
  std::uint64_t overwritten = 0;
  std::uint64_t waiting = 0;        ///< messages that waited when the spin ended
  std::uint64_t lost = 0;           ///< messages lost between their publisher and the subscription
  std::uint64_t message_bytes = 0;  ///< size of the largest message; 0: not measured
};

class Recorder final : public takt_core::Observer
{
public:
  /// `reported`: a report is wanted. Only then the CPU times of runs are measured.
  explicit Recorder(bool reported);
  ~Recorder() override;

  /// The number of topics per callback that are recorded separately; further topics are not
  /// recorded.
  static constexpr std::size_t kTopics = 32;

  /// Measures sleeps within runs from here on, in all executors of the process. Any thread; may
  /// block.
  static void measure_sleeps();

  /// Records that the run in progress on this thread publishes with `publisher`, an
  /// rcl_publisher_t. Real-time safe, except for a callback's first message on a topic: it copies
  /// the name.
  static void note_publish(const void * publisher) noexcept;

  /// Records that the run in progress on this thread published a message that `taker`, a
  /// subscription of this process, gets without the middleware. Real-time safe as `note_publish`.
  static void note_within_process(const void * taker, const char * topic) noexcept;

  /// Records that the run in progress on this thread sent request `number` by `client`, an
  /// rcl_client_t. Real-time safe.
  static void note_request(const void * client, std::int64_t number) noexcept;
  /// Records that the run in progress on this thread serves request `number` of the service of this
  /// name. Real-time safe.
  static void note_served(const char * service, std::int64_t number) noexcept;
  /// Records that the run in progress on this thread runs the callback for the answer to request
  /// `number` of `client`. Real-time safe.
  static void note_answered(const void * client, std::int64_t number) noexcept;

  /// The number of runs that have begun, of all hosts, without the housekeeping. Any thread;
  /// real-time safe.
  std::uint64_t started() const noexcept { return started_.load(std::memory_order_relaxed); }
  /// The records of all callbacks that `owner` ever added, in the order of their addition. Any
  /// thread; may block.
  std::vector<CallbackRecord> records(const RunOwner * owner) const;
  /// Call it when the spin of `owner` is over: stores the numbers of waiting messages in the
  /// records of its callbacks. Any thread; may block.
  void keep_waiting(const RunOwner * owner);
  /// Removes the records of `owner`, after its callbacks were removed. Any thread; may block.
  void forget(const RunOwner * owner);
  std::vector<takt_rt::AttributeReport> threads() const;

  void on_added(const takt_core::Callback & callback) override;
  void on_removed(const takt_core::Callback & callback) override;
  void on_thread(std::uint32_t thread, const takt_rt::AttributeReport & report) override;
  void on_start(const takt_core::Run & run, takt_rt::Time start) noexcept override;
  void on_end(const takt_core::Run & run, takt_rt::Time end) noexcept override;
  void on_empty_take(const takt_core::Run & run) noexcept override;
  void on_exception(const takt_core::Run & run, const std::exception_ptr &) noexcept override;

private:
  /// A publisher, or a subscription of this process that gets messages without the middleware.
  struct Outlet
  {
    const void * key;
    bool within_process;
    PublishedTopic published;
  };
  struct Awaited
  {
    const std::string * service = nullptr;
    const std::string * client = nullptr;
    std::uint64_t count = 0;
    std::uint64_t most = 0;
    std::int64_t longest = 0;
  };
  struct Slot
  {
    mutable takt_rt::PiMutex mutex;
    CallbackRecord record;
    const std::string * id = nullptr;                  // outlives the recorder
    std::unique_ptr<takt_rt::LogHistogram> histogram;  // for callbacks that the program itself made
    takt_trace::ReleaseSamples releases;               // of a subscription
    std::vector<Outlet> outlets;                       // reserved: at most kTopics
    std::vector<Awaited> awaited;                      // reserved: at most CallLog::kMostOfOneRun
    takt_rt::Time last_release = takt_rt::kNever;
    const takt_core::Callback * callback = nullptr;  // null after its removal
    std::uint32_t number = 0;                        // of the slot's present or last callback
    const Entity * entity = nullptr;                 // of the callback; null for the housekeeping
  };

  struct Slots;

  static void note(Slot & slot, const void * key, bool within_process, const char * topic) noexcept;
  static std::vector<PublishedTopic> published(const std::vector<Outlet> & outlets);
  static void note_waits(Slot & slot, const void * run, takt_rt::Time start) noexcept;
  static void add_counts(const Slot & slot, CallbackRecord & record);
  static void leave(Slot & slot);
  static Slot * find(const takt_core::Run & run) noexcept;
  /// The slot of the run in progress on the calling thread; null: none, or a run of another front
  /// end.
  static Slot * running() noexcept;

  std::optional<takt_core::RunCostsWanted> costs_;
  std::atomic<std::uint64_t> started_{0};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<takt_rt::AttributeReport> threads_;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__RECORDER_HPP_
