// An executor of one's own: see docs/workshop/own_executor.md.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <std_msgs/msg/int64.hpp>
#include <string>
#include <thread>

#include "takt_rcl/takt_rcl.hpp"
#include "takt_rt/semaphore.hpp"
#include "takt_rt/spsc_ring.hpp"
#include "takt_rt/thread_attributes.hpp"

using std_msgs::msg::Int64;
using namespace std::chrono_literals;

int main(int argc, char ** argv)
{
  takt_rcl::init(argc, argv);
  const auto node = std::make_shared<takt_rcl::Node>("perception");
  takt_rt::SpscRing<Int64> for_logger(16), for_detector(16);
  takt_rt::Semaphore wait_set;
  // takt's executor takes the images, on its own thread, and hands them to the loop.
  const auto hand_to = [&](takt_rt::SpscRing<Int64> & ring) {
    return [&](const Int64 & image) {
      ring.try_push(image);
      wait_set.post();
    };
  };
  const auto logger = node->create_subscription<Int64>("/image", 10, hand_to(for_logger));
  const auto detector = node->create_subscription<Int64>("/image", 10, hand_to(for_detector));

  int detected = 0, logged = 0;
  std::atomic<bool> stop{false};
  std::thread loop([&] {
    takt_rt::ThreadAttributes asked;
    asked.policy = takt_rt::Policy::fifo;
    asked.priority = 60;
    asked.name = "executor";
    for (const std::string & refused : sentences(takt_rt::apply(asked).faults)) {
      std::fprintf(stderr, "%s\n", refused.c_str());  // then the loop runs without
    }
    Int64 image;
    const auto run_next = [&] {
      if (for_detector.try_pop(image)) {  // all that wait, before anything else
        ++detected;
      } else if (logged < detected && for_logger.try_pop(image)) {  // never before the detector
        ++logged;
      } else {
        return false;
      }
      return true;
    };
    for (wait_set.wait(); !stop; wait_set.wait()) {
      while (run_next()) {
      }
    }
  });

  takt_rcl::Executor executor;
  executor.add_node(node);
  const auto camera = node->create_publisher<Int64>("/image", 10);  // stands for another program
  Int64 image;
  const auto timer = node->create_wall_timer(5ms, [&] {
    if (++image.data <= 50) {
      camera->publish(image);
    } else if (image.data > 70) {
      executor.cancel();
    }
  });
  executor.spin();
  stop = true;
  wait_set.post();
  loop.join();
  std::printf("%d images detected, %d logged\n", detected, logged);
  takt_rcl::shutdown();
  return logged > 0 ? 0 : 1;
}
