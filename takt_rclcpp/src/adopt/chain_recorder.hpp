// Records for a report how long activations of chains took, from the release of the root to the end
// of the last callback.
//
// `ChainRecorder` is an observer. Each run costs one look-up. The end of a chain also costs a mutex
// and a histogram entry.
#ifndef ADOPT__CHAIN_RECORDER_HPP_
#define ADOPT__CHAIN_RECORDER_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adopt/recorder.hpp"
#include "takt_core/observer.hpp"
#include "takt_core/statistics_observer.hpp"

namespace takt_rclcpp
{

struct ChainRecord
{
  std::string name;
  takt_rt::Duration deadline = takt_rt::kForever;
  std::unique_ptr<takt_core::Distribution> response;
  std::uint64_t late = 0;  ///< activations that ended after the deadline
  /// True if this executor does not have the chain's first callback. Then takt cannot follow
  /// activations from their start, and has no response times of the chain.
  bool begins_elsewhere = false;
};

/// Keeps statistics of chains only: statistics of all callbacks would take 99 kB for each.
class ChainRecorder final : public takt_core::Observer
{
public:
  /// The chains that end in one of `callbacks`, in the order of the schedule. Omits a chain without
  /// ended activations, unless it begins in another executor or process. Any thread; may block.
  std::vector<ChainRecord> records(const std::vector<CallbackRecord> & callbacks) const;

  void on_added(const takt_core::Callback & callback) override;
  void on_removed(const takt_core::Callback & callback) override;
  void on_chain(const takt_core::ChainOptions & chain) override;
  void on_chain_removed(std::string_view name) override;
  void on_end(const takt_core::Run & run, takt_rt::Time end) noexcept override;

private:
  bool ends_in(const std::string & id) const;

  takt_core::StatisticsObserver statistics_;
  mutable std::mutex mutex_;
  std::map<std::string, takt_core::ChainOptions> chains_;  // by name
};

}  // namespace takt_rclcpp

#endif  // ADOPT__CHAIN_RECORDER_HPP_
