// The built-in observer: delays, execution and response times of callbacks and chains, and the
// kernel's accounts of each executor thread.
//
//     auto statistics = std::make_shared<takt_core::StatisticsObserver>();
//     executor->add_observer(statistics);
//     …
//     for (const auto & callback : statistics->callbacks()) { … callback.response.p99() … }
//
// Memory: 99 kB for each callback. The record stays after the callback's removal, so that its
// figures can be read; a callback added with the same id continues the record. In a program with
// ever new ids, call `forget_removed` from time to time: the observer then reuses the records.
//
// Each record costs a priority-inheritance mutex of the callback and three histogram entries;
// recording does not allocate. Any thread may take snapshots at any time. A snapshot holds one
// callback's mutex while it copies a histogram.
#ifndef TAKT_CORE__STATISTICS_OBSERVER_HPP_
#define TAKT_CORE__STATISTICS_OBSERVER_HPP_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "takt_core/observer.hpp"
#include "takt_rt/histogram.hpp"
#include "takt_rt/kernel_accounts.hpp"
#include "takt_rt/running_statistics.hpp"

namespace takt_core
{

using takt_rt::LogHistogram;
using takt_rt::RunningStatistics;
using takt_rt::ThreadAccount;

/// A distribution of times: exact moments and extremes, quantiles to within 1 %.
struct Distribution
{
  RunningStatistics moments;  ///< nanoseconds
  LogHistogram histogram;

  /// Adds a value. Real-time safe. One thread at a time.
  void record(Duration value) noexcept
  {
    moments.record(static_cast<double>(value.count()));
    histogram.record(value);
  }

  /// Adds all values of `other`. Real-time safe, O(buckets).
  void merge(const Distribution & other) noexcept
  {
    moments.merge(other.moments);
    histogram.merge(other.histogram);
  }
};

/// The figures of one callback since it was first added.
struct CallbackStatistics
{
  std::string id;
  Distribution start_delay;  ///< start − release
  Distribution execution;    ///< end − start
  Distribution response;     ///< end − release
  std::uint64_t deadline_misses = 0;
  std::uint64_t empty_takes = 0;
  std::uint64_t exceptions = 0;
  std::uint64_t skipped_periods = 0;
};

/// The figures of one chain since it was first set.
struct ChainStatistics
{
  std::string name;
  /// From the root's release to the last callback's end: one value for each activation, in the
  /// order of the ends. An activation that ends after 1,024 younger ones is not recorded.
  Distribution response;
  std::uint64_t deadline_misses = 0;
};

/// The attributes and kernel accounts of one executor thread.
struct ThreadStatistics
{
  std::uint32_t thread = 0;  ///< executor thread index
  AttributeReport attributes;
  ThreadAccount account;  ///< since the thread began; zero once it has ended
};

/// Measures the runs of an executor. Add it to an executor that does not spin.
class StatisticsObserver final : public Observer
{
public:
  StatisticsObserver();
  ~StatisticsObserver() override;

  // ---- snapshots: any thread; allocate and may block ----

  /// All callbacks in the order in which they were first added, including removed ones.
  std::vector<std::unique_ptr<CallbackStatistics>> callbacks() const;
  /// All chains in the order in which they were first set, including removed ones.
  std::vector<std::unique_ptr<ChainStatistics>> chains() const;
  /// Executor threads in the order of their indices.
  std::vector<ThreadStatistics> threads() const;

  /// Drops the records of removed callbacks and chains. An unfinished run of such a callback is not
  /// recorded. Any thread; may block.
  void forget_removed();

  // ---- Observer ----
  void on_added(const Callback & callback) override;
  void on_removed(const Callback & callback) override;
  void on_chain(const ChainOptions & chain) override;
  void on_chain_removed(std::string_view name) override;
  void on_thread(std::uint32_t thread, const AttributeReport & report) override;
  void on_end(const Run & run, Time end) noexcept override;
  void on_empty_take(const Run & run) noexcept override;
  void on_exception(const Run & run, const std::exception_ptr &) noexcept override;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt_core

#endif  // TAKT_CORE__STATISTICS_OBSERVER_HPP_
