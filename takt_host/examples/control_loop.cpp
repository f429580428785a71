// A control loop at 1 kHz in a program without ROS. takt's tools know it: docs/control_loops.md.
//
//     control_loop [SECONDS]
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "takt_host/cyclic_program.hpp"

using namespace std::chrono_literals;

static takt_host::CyclicProgram g_program("controller");

int main(int count, char ** words)
{
  const double seconds = count > 1 ? std::atof(words[1]) : 10.0;
  double output = 0.0;

  takt_rt::CyclicOptions options;
  options.period = 1ms;
  options.attributes.policy = takt_rt::Policy::fifo;  // without a schedule
  options.attributes.priority = 80;

  unsigned long long missed = 0;
  unsigned long long cycles = 0;
  g_program.add("control", options, [&](const takt_core::Run & run) {  // each millisecond
    output += 0.1 * (1.0 - output);
    missed += run.skipped;
    ++cycles;
  });

  const auto started = g_program.start();
  if (!started.ok()) {
    for (const std::string & fault : takt_rt::sentences(started.faults())) {
      std::fprintf(stderr, "error: %s\n", fault.c_str());
    }
    return 1;
  }
  for (const std::string & note : takt_rt::sentences(started->notes)) {
    std::fprintf(stderr, "warning: %s\n", note.c_str());
  }
  std::signal(SIGINT, [](int) { g_program.stop(); });
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    g_program.stop();
  });
  end.detach();
  if (g_program.wait() != nullptr) {
    std::fprintf(stderr, "error: the loop threw an exception\n");
    return 1;
  }
  std::printf("%llu cycles, %llu missed\n", cycles, missed);
}
