#include "live/burners.hpp"

#include <cstddef>

#include "takt_rt/thread_attributes.hpp"

namespace takt_workload
{

namespace
{

constexpr std::size_t kStack = std::size_t{128} * 1024;

}  // namespace

Burners::Burners(const std::vector<int> & cores, int on_each_core)
{
  try {
    for (const int core : cores) {
      for (int i = 0; i < on_each_core; ++i) {
        takt_rt::ThreadAttributes attributes;
        // Do not inherit the policy: the user may have started this process under a real-time
        // policy.
        attributes.policy = takt_rt::Policy::other;
        attributes.cores = {core};
        attributes.name = "load";
        threads_.emplace_back(kStack, [this, attributes] {
          takt_rt::apply(attributes);
          while (!stop_.load(std::memory_order_relaxed)) {
          }
        });
      }
    }
  } catch (...) {
    stop_ = true;  // otherwise threads that have started would never end
    throw;
  }
}

Burners::~Burners()
{
  stop_ = true;
}

}  // namespace takt_workload
