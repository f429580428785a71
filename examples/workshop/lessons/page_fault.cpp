// What is wrong with this code? It keeps its samples in memory that it has from the start.
#include <array>
#include <chrono>
#include <thread>

#include "takt_rt/application/application.hpp"

using namespace std::chrono_literals;

struct Sample
{
  std::array<double, 512> values;
};
static std::array<Sample, 4096> g_samples;
static std::size_t g_count = 0;

static void control(const takt_rt::Cycle & cycle)
{
  const auto latency = static_cast<double>(cycle.latency.count());
  g_samples[g_count++ % g_samples.size()].values[0] = latency;
}

int main()
{
  takt_rt::ApplicationOptions all;
  all.lock_memory = false;
  takt_rt::Application application(all);
  takt_rt::CyclicOptions options;
  options.period = 1ms;
  options.attributes.name = "control";
  application.add(options, control);
  if (!application.start().ok()) {
    return 1;
  }
  std::this_thread::sleep_for(200ms);
  application.stop();
  application.wait();
}
