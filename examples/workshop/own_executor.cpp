// An executor of one's own: see docs/workshop/own_executor.md.
#include <chrono>
#include <cstdio>
#include <memory>
#include <std_msgs/msg/int64.hpp>
#include <string>
#include <thread>

#include "takt_rcl/takt_rcl.hpp"
#include "takt_rt/application/application.hpp"

using std_msgs::msg::Int64;
using namespace std::chrono_literals;

int main(int argc, char ** argv)
{
  takt_rcl::init(argc, argv);
  const auto node = std::make_shared<takt_rcl::Node>("perception");
  const auto camera = node->create_publisher<Int64>("/image", 10);  // stands for another program
  const auto for_logger = node->create_polling_subscription<Int64>("/image", 10);
  const auto for_detector = node->create_polling_subscription<Int64>("/image", 10);
  for_detector->wait_for_matched(1, 10s);
  for_logger->wait_for_matched(1, 10s);

  int detected = 0, logged = 0;
  Int64 taken;  // the loop's own: no other thread uses it
  takt_rt::Application application;
  takt_rt::CyclicOptions loop;
  loop.period = 1ms;
  loop.attributes.policy = takt_rt::Policy::fifo;
  loop.attributes.priority = 60;
  loop.attributes.name = "executor";
  application.add(loop, [&](const takt_rt::Cycle &) {
    while (for_detector->take(taken)) {  // all that wait, before anything else
      ++detected;
    }
    if (logged < detected && for_logger->take(taken)) {  // never before the detector, one at a time
      ++logged;
    }
  });
  const auto started = application.start();
  if (!started) {
    return 1;
  }
  for (const std::string & refused : sentences(started->refused)) {  // then the loop runs without
    std::fprintf(stderr, "%s\n", refused.c_str());
  }
  Int64 image;
  for (int i = 0; i < 50; ++i) {
    camera->publish(image);
    std::this_thread::sleep_for(5ms);
  }
  std::this_thread::sleep_for(100ms);
  application.stop();
  application.wait();
  std::printf("%d images detected, %d logged\n", detected, logged);
  takt_rcl::shutdown();
  return logged > 0 ? 0 : 1;
}
