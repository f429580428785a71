// What is wrong with this code? The main thread saves the parameters that a loop uses.
#include <array>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include "takt_rt/application/application.hpp"

using namespace std::chrono_literals;

static std::mutex g_mutex;
static std::array<double, 64> g_parameters{};

static void control(const takt_rt::Cycle & cycle)
{
  const std::lock_guard lock(g_mutex);
  g_parameters[0] += static_cast<double>(cycle.latency.count()) * 1e-9;
}

static void save()
{
  const std::lock_guard lock(g_mutex);
  if (std::FILE * const file = std::fopen("/dev/null", "w"); file != nullptr) {
    for (const double value : g_parameters) {
      std::fprintf(file, "%g\n", value);
    }
    std::this_thread::sleep_for(3ms);  // a slow disk
    std::fclose(file);
  }
}

int main()
{
  takt_rt::Application application;
  takt_rt::CyclicOptions options;
  options.period = 1ms;
  options.attributes.name = "control";
  application.add(options, control);
  if (!application.start().ok()) {
    return 1;
  }
  for (int i = 0; i < 40; ++i) {
    save();
    std::this_thread::sleep_for(2ms);
  }
  application.stop();
  application.wait();
}
