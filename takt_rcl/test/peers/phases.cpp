// A process of test_epoch.py: one timer under a schedule, for a number of runs. Prints the nominal
// time of each of its releases on the monotonic clock, and how far TAI was ahead of that clock.
//
//     takt_rcl_phases SCHEDULE EXECUTOR RUNS
//
// The node has the executor's name, since an id belongs to one executor. In its last run but one,
// while the executor spins, the timer makes a second timer. The first release of that timer is
// printed after the word "late".
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>

#include "takt_rcl/takt_rcl.hpp"
#include "takt_rt/tai_clock.hpp"
#include "takt_schedule/parse.hpp"

namespace
{

using takt_rcl::TimerInfo;

void print(const char * what, const TimerInfo & info)
{
  std::printf(
    "%s%lld %lld\n", what, static_cast<long long>(info.expected_call_time.nanoseconds()),
    static_cast<long long>(takt_rt::tai_ahead().count()));
  std::fflush(stdout);
}

void run(const char * file, const char * name, int runs)
{
  const auto schedule = takt_schedule::load_schedule(file);
  if (!schedule) {
    throw std::runtime_error(takt_rt::to_string(schedule.faults().front()));
  }
  auto context = takt_rcl::default_context();
  auto executor = takt_rcl::Executor::from_schedule(context, *schedule, name);
  auto node = std::make_shared<takt_rcl::Node>(name);
  takt_rcl::Timer::SharedPtr late;
  auto timer = node->create_wall_timer(std::chrono::milliseconds(20), [&](const TimerInfo & info) {
    print("", info);
    if (--runs == 1) {
      late = node->create_wall_timer(std::chrono::milliseconds(30), [&](const TimerInfo & first) {
        print("late ", first);
        executor.cancel();
      });
    }
  });
  executor.add_node(node);
  executor.spin();
}

}  // namespace

int main(int argc, char ** argv)
{
  if (argc != 4) {
    return 2;
  }
  try {
    takt_rcl::init(argc, argv);
    run(argv[1], argv[2], std::atoi(argv[3]));
    takt_rcl::shutdown();
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
