#include "adopt/chain_recorder.hpp"

#include <algorithm>

#include "adopt/chains_within_process.hpp"

namespace takt_rclcpp
{

std::vector<ChainRecord> ChainRecorder::records() const
{
  std::vector<ChainRecord> records;
  for (const auto & chain : statistics_.chains()) {
    const std::string name(name_in_schedule(chain->name));
    auto known = std::find_if(
      records.begin(), records.end(), [&](const ChainRecord & one) { return one.name == name; });
    if (known == records.end()) {
      known = records.insert(
        known,
        ChainRecord{name, takt_core::kForever, std::make_unique<takt_core::Distribution>(), 0});
    }
    known->response->merge(chain->response);
    known->missed += chain->deadline_misses;
    for (const auto & options : chains_) {
      if (options.name == chain->name) {
        known->deadline = options.deadline;
      }
    }
  }
  return records;
}

void ChainRecorder::on_added(const takt_core::Callback & callback)
{
  if (ends_.contains(callback.id())) {
    statistics_.on_added(callback);
  }
}

void ChainRecorder::on_removed(const takt_core::Callback & callback)
{
  if (ends_.contains(callback.id())) {
    statistics_.on_removed(callback);
  }
}

void ChainRecorder::on_chain(const takt_core::ChainOptions & chain)
{
  ends_.insert(chain.path.back());
  chains_.push_back(chain);
  statistics_.on_chain(chain);
}

void ChainRecorder::on_chain_removed(std::string_view name)
{
  statistics_.on_chain_removed(name);
}

void ChainRecorder::on_end(const takt_core::Run & run, takt_core::Time end) noexcept
{
  statistics_.on_end(run, end);
}

}  // namespace takt_rclcpp
