// What a report says of the callbacks of one adopted executor: how often they ran, how long each run took
// on its core and on the clock, how long it waited.
//
// An observer. A run costs what the executor measures of it (takt_core/run_costs.hpp) and one uncontended mutex of the
// callback's own; nothing is allocated after `on_added` but the name of a topic at a callback's first message on it.
#ifndef ADOPT__RECORDER_HPP_
#define ADOPT__RECORDER_HPP_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
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

/// One topic that a callback publishes.
struct PublishedTopic
{
  std::string topic;
  std::uint64_t count = 0;
};

/// A service of this process and the client that got its answer, for which runs of a callback waited.
struct AwaitedPair
{
  std::string service;  ///< id; empty: another process served
  std::string client;   ///< id
  std::uint64_t count = 0;
  std::uint64_t most = 0;  ///< of one run
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
  std::uint64_t arrivals = 0;  ///< announced by the middleware while their spans were measured
  std::vector<std::pair<std::size_t, std::int64_t>> arrival_spans;  ///< as `spans.shortest()`
  /// CPU times, each a bucket's upper edge, and how often each was seen.
  std::vector<std::pair<std::int64_t, std::uint64_t>> histogram;
  TimeSummary cpu;       ///< of the thread, from the pick to the end: the take is in it
  TimeSummary take_cpu;  ///< of the thread, for the take alone
  TimeSummary elapsed;   ///< end - start
  TimeSummary waited;    ///< start - release
  /// Of `elapsed` neither CPU time nor a wait for a core, in a run that left its core by itself; kUnknownSleep: not
  /// measured.
  std::int64_t longest_sleep = kUnknownSleep;
  static constexpr std::int64_t kUnknownSleep = -1;
  std::uint64_t empty_takes = 0;
  std::uint64_t exceptions = 0;
  std::uint64_t skipped_periods = 0;
  std::uint64_t overwritten = 0;
  std::uint64_t waiting = 0;        ///< messages that waited when the spin ended
  std::uint64_t lost = 0;           ///< on the way
  std::uint64_t message_bytes = 0;  ///< of the largest one; 0: not measured
};

class Recorder final : public takt_core::Observer
{
public:
  Recorder();
  ~Recorder() override;

  /// Topics that one callback may publish and that are told apart; of further ones nothing is recorded.
  static constexpr std::size_t kTopics = 32;

  /// From here on sleeps within runs are measured, in all executors of the process. Any thread; may block.
  static void measure_sleeps();

  /// The run in progress on this thread publishes with `publisher`, an rcl_publisher_t. Real-time safe but
  /// for a callback's first message on a topic, whose name is copied.
  static void note_publish(const void * publisher) noexcept;

  /// The run in progress on this thread published a message that `taker`, a subscription of this process, got
  /// without the middleware. As `note_publish`.
  static void note_within_process(const void * taker, const char * topic) noexcept;

  /// The run in progress on this thread sent a request of that number by `client`, an rcl_client_t. Real-time safe.
  static void note_request(const void * client, std::int64_t number) noexcept;
  /// The run in progress on this thread serves the request; runs the answer's callback. As `note_request`.
  static void note_served(const char * service, std::int64_t number) noexcept;
  static void note_answered(const void * client, std::int64_t number) noexcept;

  /// Runs of entities that began, of all hosts. Any thread; real-time safe.
  std::uint64_t started() const noexcept { return started_.load(std::memory_order_relaxed); }
  /// All callbacks of `owner` that were ever added, in that order. Any thread; may block.
  std::vector<CallbackRecord> records(const RunOwner * owner) const;
  /// The spin of `owner` is over: what waits of its callbacks now stays in their records when they are removed. Any
  /// thread; may block.
  void keep_waiting(const RunOwner * owner);
  /// `owner` is no more, nor are its callbacks: their records go. Any thread; may block.
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
  /// A publisher, or a subscription of this process that gets messages directly.
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
    const std::string * id = nullptr;                  // stays after the recorder
    std::unique_ptr<takt_rt::LogHistogram> histogram;  // of what the program wrote for itself
    takt_trace::ReleaseSamples releases;               // of a subscription
    std::vector<Outlet> outlets;                       // reserved: at most kTopics
    std::vector<Awaited> awaited;                      // reserved: at most CallLog::kMostOfOneRun
    takt_rt::Time last_release = takt_rt::kNever;
    const takt_core::Callback * callback = nullptr;  // while it is added
    std::uint32_t number = 0;                        // of the callback that it has or had
    const Entity * entity = nullptr;                 // the same, null for the housekeeping
  };

  struct Slots;

  static void note(Slot & slot, const void * key, bool within_process, const char * topic) noexcept;
  static std::vector<PublishedTopic> published(const std::vector<Outlet> & outlets);
  static void note_waits(Slot & slot, const void * run, takt_rt::Time start) noexcept;
  static void add_counts(const Slot & slot, CallbackRecord & record);
  static void leave(Slot & slot);
  static Slot * find(const takt_core::Run & run) noexcept;
  /// Of the run in progress on the calling thread; null: none, or another front end's.
  static Slot * running() noexcept;

  const takt_core::RunCostsWanted costs_;
  std::atomic<std::uint64_t> started_{0};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<takt_rt::AttributeReport> threads_;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__RECORDER_HPP_
