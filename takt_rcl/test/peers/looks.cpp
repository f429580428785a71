// Runs until a signal. At its first instruction each callback reads the attributes of its thread
// from the kernel. It prints them if they differ from those of its previous run, e.g. "hot 1 40 0
// 2,3": policy, priority, nice value and cores. takt_rclcpp/test/programs has the same program for
// rclcpp.
//
//     takt_rcl_looks SCHEDULE EXECUTOR [ROS arguments]
#include <sched.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "takt_rcl/takt_rcl.hpp"
#include "takt_schedule/parse.hpp"

namespace
{

using namespace std::chrono_literals;

std::string attributes_now()
{
  sched_param param{};
  cpu_set_t cores;
  ::sched_getparam(0, &param);
  ::sched_getaffinity(0, sizeof cores, &cores);
  std::string text = std::to_string(::sched_getscheduler(0)) + ' ' +
                     std::to_string(param.sched_priority) + ' ' +
                     std::to_string(::getpriority(PRIO_PROCESS, 0));
  char comma = ' ';
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores)) {
      text += comma + std::to_string(core);
      comma = ',';
    }
  }
  return text;
}

class Look
{
public:
  explicit Look(std::string name) : name_(std::move(name)) {}
  void operator()()
  {
    if (std::string now = attributes_now(); now != seen_) {
      std::printf("%s %s\n", name_.c_str(), now.c_str());
      std::fflush(stdout);
      seen_ = std::move(now);
    }
  }

private:
  std::string name_;
  std::string seen_;
};

class Looks : public takt_rcl::Node
{
public:
  Looks() : Node("looks")
  {
    add(10ms, "1", Look("hot"));
    add(20ms, "2", Look("rest"));
    add(30ms, "3", [this, look = Look("alone"), late = false]() mutable {
      look();
      if (!std::exchange(late, true)) {  // a spinning executor gets one more callback
        add(40ms, "4", Look("late"));
      }
    });
  }

private:
  template <typename Callback>
  void add(std::chrono::milliseconds period, const std::string & group, Callback callback)
  {
    timers_.push_back(create_wall_timer(
      period, std::move(callback),
      create_callback_group(takt_rcl::CallbackGroupType::MutuallyExclusive, group)));
  }

  std::vector<takt_rcl::Timer::SharedPtr> timers_;
};

void run(const std::string & file, const std::string & name)
{
  auto schedule = takt_schedule::load_schedule(file);
  if (!schedule.ok()) {
    throw std::runtime_error(to_string(schedule.faults().front()));
  }
  auto executor =
    takt_rcl::Executor::from_schedule(takt_rcl::default_context(), schedule.value(), name);
  const auto node = std::make_shared<Looks>();
  executor.add_node(node);
  executor.spin();
}

}  // namespace

int main(int argc, char ** argv)
{
  if (argc < 3) {
    std::fprintf(stderr, "takt_rcl_looks SCHEDULE EXECUTOR\n");
    return 64;
  }
  try {
    takt_rcl::init(argc, argv);
    run(argv[1], argv[2]);
    takt_rcl::shutdown();
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
