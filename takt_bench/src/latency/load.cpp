#include "latency/load.hpp"

#include <string>

namespace takt_bench::latency
{

namespace
{

constexpr std::size_t kLoadStackSize = 128 * 1024;

}  // namespace

Load::Load(const std::vector<int> & cores) : reports_(cores.size())
{
  try {
    for (std::size_t i = 0; i < cores.size(); ++i) {
      takt_rt::ThreadAttributes attributes;
      // Do not inherit the policy: the user may have started this process under a real-time policy.
      attributes.policy = takt_rt::Policy::other;
      attributes.cores = {cores[i]};
      attributes.name = "load." + std::to_string(cores[i]);
      threads_.emplace_back(kLoadStackSize, [this, attributes, i] {
        reports_[i] = takt_rt::apply(attributes);
        gate_.arrive();
        while (!stop_.load(std::memory_order_relaxed)) {
        }
      });
    }
  } catch (...) {
    stop_ = true;  // otherwise threads that have started would never end
    throw;
  }
  gate_.wait_for(static_cast<std::uint32_t>(cores.size()));
  for (const takt_rt::AttributeReport & report : reports_) {
    faults_.insert(faults_.end(), report.faults.begin(), report.faults.end());
  }
}

Load::~Load()
{
  stop_ = true;
}

}  // namespace takt_bench::latency
