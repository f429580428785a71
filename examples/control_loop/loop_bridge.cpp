// A control loop at 1 kHz and a node in one process: the loop gets its set point from a topic, and
// publishes its output. docs/control_loops.md explains it.
//
//     loop_bridge [SECONDS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <std_msgs/msg/float64.hpp>
#include <string>

#include "takt_host/cyclic_program.hpp"
#include "takt_rcl/loop/loop_bridge.hpp"
#include "takt_rcl/takt_rcl.hpp"

using std_msgs::msg::Float64;
using namespace std::chrono_literals;

namespace
{

// The rest of the robot: publishes set points, and listens to the output.
class Operator : public takt_rcl::Node
{
public:
  Operator() : Node("operator")
  {
    set_points_ = create_publisher<Float64>("set_point", 1);
    outputs_ = create_subscription<Float64>("output", 10, [this](const Float64 & output) {
      last_ = output.data;
      ++count_;
    });
    timer_ = create_wall_timer(50ms, [this] {
      Float64 wanted;
      wanted.data = 1.0;
      set_points_->publish(wanted);
    });
  }
  int outputs() const { return count_; }
  double last() const { return last_; }

private:
  takt_rcl::Publisher<Float64>::SharedPtr set_points_;
  takt_rcl::Subscription<Float64>::SharedPtr outputs_;
  takt_rcl::TimerBase::SharedPtr timer_;
  int count_ = 0;
  double last_ = 0.0;
};

void run(double seconds)
{
  const auto node = std::make_shared<takt_rcl::Node>("bridge");
  const auto other = std::make_shared<Operator>();
  takt_rcl::LoopSubscription<Float64> set_point(*node, "set_point");
  takt_rcl::LoopPublisher<Float64> output(*node, "output", 10);

  takt_host::CyclicProgram program("controller");
  takt_rt::CyclicOptions options;
  options.period = 1ms;
  options.attributes.policy = takt_rt::Policy::fifo;  // without a schedule
  options.attributes.priority = 80;
  unsigned long long cycles = 0;
  double state = 0.0;
  program.add("control", options, [&](const takt_core::Run & run) {  // each millisecond
    const auto wanted = set_point.read();
    if (wanted.arrived > run.release - 500ms) {  // else the set point is too old: hold
      state += 0.01 * (wanted.message.data - state);
    }
    if (++cycles % 10 == 0) {  // 100 messages a second
      Float64 message;
      message.data = state;
      output.publish(message);
    }
  });

  takt_rcl::Executor executor;
  executor.add_node(node);
  executor.add_node(other);
  const auto started = program.start();
  if (!started.ok()) {
    for (const std::string & fault : takt_rt::sentences(started.faults())) {
      std::fprintf(stderr, "error: %s\n", fault.c_str());
    }
    throw takt_rcl::Error("the control loop did not start");
  }
  for (const std::string & note : takt_rt::sentences(started->notes)) {
    std::fprintf(stderr, "warning: %s\n", note.c_str());
  }
  const auto end =
    other->create_wall_timer(std::chrono::duration<double>(seconds), [&] { executor.cancel(); });
  executor.spin();
  program.stop();  // before the ends of the bridge, which the loop uses
  if (program.wait() != nullptr) {
    throw takt_rcl::Error("the control loop threw an exception");
  }
  std::printf(
    "%llu cycles; %d outputs, the last one %.1f; %llu dropped\n", cycles, other->outputs(),
    other->last(), static_cast<unsigned long long>(output.dropped()));
  if (other->outputs() == 0) {
    throw takt_rcl::Error("no output came through the topic");
  }
}

}  // namespace

int main(int argc, char ** argv)
{
  try {
    takt_rcl::init(argc, argv);
    run(argc > 1 ? std::atof(argv[1]) : 3.0);
    takt_rcl::shutdown();
  } catch (const std::exception & error) {
    std::fprintf(stderr, "loop_bridge: %s\n", error.what());
    return 1;
  }
  return 0;
}
