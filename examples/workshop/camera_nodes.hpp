// The nodes of the workshop's exercises 3-1 to 4-2, as plain rclcpp nodes.
//
//     /camera:timer --/image--> /perception: data logger, object detector
//     object detector --/actuation--> /actuation
//
// Messages carry the time at which their image was taken (monotonic clock, ns).
#ifndef CAMERA_NODES_HPP_
#define CAMERA_NODES_HPP_

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/int64.hpp>
#include <string>
#include <thread>

namespace workshop
{

using namespace std::chrono_literals;
using Nanoseconds = std::chrono::nanoseconds;
using std_msgs::msg::Int64;

inline std::int64_t now_ns()
{
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

/// Uses the calling thread's CPU for so long.
inline void work(Nanoseconds length)
{
  const auto used = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
  };
  for (const auto end = used() + length; used() < end;) {
  }
}

/// Gives the calling thread SCHED_FIFO, or says that it may not have it.
inline void become_realtime(int priority)
{
  const sched_param parameters{priority};
  if (::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &parameters) != 0) {
    std::fprintf(stderr, "warning: this process may not use SCHED_FIFO %d\n", priority);
  }
}

/// Times of one kind, without the first ones: threads and middleware begin. One writer at a time.
class Times
{
public:
  explicit Times(const char * name) : name_(name) {}
  ~Times()
  {
    if (count_ > 0) {
      std::printf(
        "%-14s %5d times, min %7.3f ms, avg %7.3f ms, max %7.3f ms\n", name_, count_, min_ * 1e-6,
        sum_ / count_ * 1e-6, max_ * 1e-6);
    }
  }
  void add(std::int64_t ns)
  {
    if (++begun_ <= kWarmUp) {
      return;
    }
    const auto value = static_cast<double>(ns);
    min_ = count_ == 0 ? value : std::min(min_, value);
    max_ = std::max(max_, value);
    sum_ += value;
    ++count_;
  }

private:
  static constexpr int kWarmUp = 15;

  const char * const name_;
  int begun_ = 0;
  int count_ = 0;
  double min_ = 0.0, max_ = 0.0, sum_ = 0.0;
};

class Camera : public rclcpp::Node
{
public:
  Camera() : Node("camera"), period_("period")
  {
    images_ = create_publisher<Int64>("/image", 10);
    timer_ = create_wall_timer(33333333ns, [this] { shoot(); });
  }

private:
  void shoot()
  {
    const std::int64_t now = now_ns();
    if (last_ != 0) {
      period_.add(now - last_);
    }
    last_ = now;
    Int64 image;
    image.data = now;
    images_->publish(image);
  }

  Times period_;
  std::int64_t last_ = 0;
  rclcpp::Publisher<Int64>::SharedPtr images_;
  rclcpp::TimerBase::SharedPtr timer_;
};

/// The logger's work in each run: random parts, and a sleep, as if it wrote to a disk.
struct Logging
{
  int parts;
  Nanoseconds least_part;
  Nanoseconds most_part;
  Nanoseconds sleep;
};

class Perception : public rclcpp::Node
{
public:
  explicit Perception(Logging logging)
  : Node("perception"),
    logging_(logging),
    logger_("DataLogger"),
    detector_("ObjectDetect")
  {
    actuations_ = create_publisher<Int64>("/actuation", 10);
    logger_group_ = create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
    detector_group_ = create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
    rclcpp::SubscriptionOptions options;
    options.callback_group = logger_group_;
    for_logger_ = create_subscription<Int64>(
      "/image", 10, [this](const Int64 & image) { log(image); }, options);
    options.callback_group = detector_group_;
    for_detector_ = create_subscription<Int64>(
      "/image", 10, [this](const Int64 & image) { detect(image); }, options);
  }

private:
  void log(const Int64 &)
  {
    const std::int64_t begin = now_ns();
    std::uniform_int_distribution<std::int64_t> part(
      logging_.least_part.count(), logging_.most_part.count());
    std::int64_t sum = 0;
    for (int i = 0; i < logging_.parts; ++i) {
      sum += part(random_);
    }
    work(Nanoseconds(sum));
    std::this_thread::sleep_for(logging_.sleep);
    logger_.add(now_ns() - begin);
  }

  void detect(const Int64 & image)
  {
    const std::int64_t begin = now_ns();
    work(3ms);
    actuations_->publish(image);
    detector_.add(now_ns() - begin);
  }

  const Logging logging_;
  Times logger_, detector_;
  std::mt19937 random_{2023};
  rclcpp::Publisher<Int64>::SharedPtr actuations_;
  rclcpp::CallbackGroup::SharedPtr logger_group_, detector_group_;
  rclcpp::Subscription<Int64>::SharedPtr for_logger_, for_detector_;
};

class Actuation : public rclcpp::Node
{
public:
  Actuation() : Node("actuation"), end_to_end_("EndToEndDelay")
  {
    actuations_ = create_subscription<Int64>("/actuation", 10, [this](const Int64 & image) {
      work(150us);
      end_to_end_.add(now_ns() - image.data);
    });
  }

private:
  Times end_to_end_;
  rclcpp::Subscription<Int64>::SharedPtr actuations_;
};

}  // namespace workshop

#endif  // CAMERA_NODES_HPP_
