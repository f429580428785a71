#include "adopt/chain_recorder.hpp"

#include <algorithm>

namespace takt_rclcpp
{

std::vector<ChainRecord> ChainRecorder::records(const std::vector<CallbackRecord> & callbacks) const
{
  std::vector<ChainRecord> records;
  const std::lock_guard lock(mutex_);
  for (const auto & chain : statistics_.chains()) {
    const auto options = chains_.find(chain->name);
    if (options == chains_.end()) {
      continue;
    }
    const auto here = [&](const std::string & id) {
      return std::any_of(
        callbacks.begin(), callbacks.end(), [&](const auto & one) { return one.chain_id == id; });
    };
    const auto & path = options->second.path;
    const bool ended = chain->response.moments.count() > 0;
    const bool begins_elsewhere = !ended && !here(path.front());
    if (!here(path.back()) || (!ended && !begins_elsewhere)) {
      continue;
    }
    records.push_back(
      {chain->name, options->second.deadline, std::make_unique<takt_core::Distribution>(),
       chain->deadline_misses, begins_elsewhere});
    records.back().response->merge(chain->response);
  }
  return records;
}

void ChainRecorder::on_added(const takt_core::Callback & callback)
{
  const std::lock_guard lock(mutex_);
  if (ends_in(callback.chain_id())) {
    statistics_.on_added(callback);
  }
}

void ChainRecorder::on_removed(const takt_core::Callback & callback)
{
  const std::lock_guard lock(mutex_);
  if (ends_in(callback.chain_id())) {
    statistics_.on_removed(callback);
  }
}

bool ChainRecorder::ends_in(const std::string & id) const
{
  return std::any_of(
    chains_.begin(), chains_.end(), [&](const auto & one) { return one.second.path.back() == id; });
}

void ChainRecorder::on_chain(const takt_core::ChainOptions & chain)
{
  const std::lock_guard lock(mutex_);
  chains_.insert_or_assign(chain.name, chain);
  statistics_.on_chain(chain);
}

void ChainRecorder::on_chain_removed(std::string_view name)
{
  statistics_.on_chain_removed(name);
}

void ChainRecorder::on_end(const takt_core::Run & run, takt_rt::Time end) noexcept
{
  statistics_.on_end(run, end);
}

}  // namespace takt_rclcpp
