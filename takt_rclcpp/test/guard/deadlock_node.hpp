// The program of one case of the deadlocks, for both front ends: `front` is rclcpp or takt_rcl. It
// ends without the callbacks' help, because they hang.
#ifndef DEADLOCK_NODE_HPP_
#define DEADLOCK_NODE_HPP_

#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <future>
#include <iterator>
#include <latch>
#include <memory>
#include <mutex>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <std_msgs/msg/int32.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "deadlocks.hpp"

namespace deadlocks
{

using namespace std::chrono_literals;

class Node : public front::Node
{
public:
  using Int32 = std_msgs::msg::Int32;
  using Asked = rcl_interfaces::srv::ListParameters;

  explicit Node(const Case & one) : front::Node("dead"), case_(one)
  {
    ::sem_init(&semaphore_, 0, 0);
    const auto exclusive = front::CallbackGroupType::MutuallyExclusive;
    first_group_ = create_callback_group(exclusive);
    second_group_ =
      one.other == Other::same_group ? first_group_ : create_callback_group(exclusive);
    first_ = create_wall_timer(
      50ms, [this] { wait(); }, first_group_);
    if (one.answers == "timer") {
      second_ = create_wall_timer(
        70ms, [this] { answer(); }, second_group_);
    } else if (one.answers == "idle timer") {
      second_ = create_wall_timer(
        70ms, [] {}, second_group_);
    } else if (one.answers == "subscription") {
      front::SubscriptionOptions options;
      options.callback_group = second_group_;
      publisher_ = create_publisher<Int32>("numbers", 10);
      subscription_ = create_subscription<Int32>(
        "numbers", 10, [this](const Int32 &) { answer(); }, options);
    } else {
      service_ = create_service<Asked>(
        "asked",
        [this](const std::shared_ptr<Asked::Request>, std::shared_ptr<Asked::Response>) {
          answer();
        },
        front::ServicesQoS(), second_group_);
      client_ = create_client<Asked>("asked");
    }
  }

  /// Sends what the second callback runs for, once the first one waits; and ends the process: the
  /// guard has said what it has to say, and had the time to name callbacks that it must not name.
  void drive()
  {
    while (!waits_) {
      std::this_thread::sleep_for(1ms);
    }
    int rest = 150;                               // the guard looks at waits every 25 rounds
    for (int i = 0; i < 6000 && rest > 0; ++i) {  // only a failing test takes a minute
      if (i % 20 == 0 && publisher_ != nullptr) {
        publisher_->publish(Int32());
      }
      if (i % 20 == 0 && client_ != nullptr && client_->service_is_ready()) {
        client_->async_send_request(std::make_shared<Asked::Request>());
      }
      std::this_thread::sleep_for(10ms);
      if (!said_) {
        said_ = is_said();
        if (said_ && case_.waits == "outside") {
          promise_.set_value();
        }
      }
      rest -= said_ && (answered_ || !case_.waits.ends_with("_for")) ? 1 : 0;
    }
    ::_exit(0);
  }

private:
  void wait()
  {
    if (waited_) {
      return;
    }
    waited_ = true;
    waits_ = true;
    if (case_.waits == "future" || case_.waits == "outside") {
      future_.wait();
    } else if (case_.waits == "future_for") {
      future_.wait_for(kTime);
    } else if (case_.waits == "condition") {
      std::unique_lock lock(mutex_);
      condition_.wait(lock, [this] { return may_go_on_; });
    } else if (case_.waits == "condition_for") {
      std::unique_lock lock(mutex_);
      condition_.wait_for(lock, kTime, [this] { return may_go_on_; });
    } else if (case_.waits == "semaphore") {
      ::sem_wait(&semaphore_);
    } else if (case_.waits == "atomic") {
      atomic_.wait(0);
    } else if (case_.waits == "latch") {
      latch_.wait();
    } else {
      const std::lock_guard one(mutex_);
      meet();
      const std::lock_guard two(other_mutex_);
    }
  }
  void answer()
  {
    if (case_.waits == "locks") {
      const std::lock_guard two(other_mutex_);
      meet();
      const std::lock_guard one(mutex_);
      return;
    }
    if (!waits_ || done_.exchange(true)) {
      return;
    }
    promise_.set_value();
    {
      const std::lock_guard lock(mutex_);
      may_go_on_ = true;
    }
    condition_.notify_all();
    ::sem_post(&semaphore_);
    atomic_ = 1;
    atomic_.notify_all();
    latch_.count_down();
    answered_ = true;
  }
  // Both callbacks have their first lock before either asks for its second one.
  void meet()
  {
    ++met_;
    while (met_ < 2) {
      std::this_thread::sleep_for(1ms);
    }
  }
  // Whether the guard has told of each wait that it notes. The test gives this program a file as
  // standard error.
  bool is_said() const
  {
    std::ifstream file("/proc/self/fd/2");
    const std::string said(std::istreambuf_iterator<char>(file), {});
    const auto tells_of = [&](const char * waiting) {
      return said.find(std::string("[takt] guard: ") + waiting + " has waited") !=
             std::string::npos;
    };
    if (case_.waits == "locks") {
      return tells_of("/dead:timer(50ms)") && tells_of("/dead:timer(70ms)");
    }
    return case_.is_deadlock || case_.waits == "outside" ? tells_of("/dead:timer(50ms)")
                                                         : answered_.load();
  }

  // A wait that ends by its time is long enough for the guard to note it on a busy machine.
  static constexpr auto kTime = 5s;

  const Case case_;
  bool waited_ = false;
  std::atomic<bool> waits_{false};
  std::atomic<bool> done_{false};
  std::atomic<bool> answered_{false};
  std::atomic<int> met_{0};
  bool said_ = false;
  std::promise<void> promise_;
  std::future<void> future_ = promise_.get_future();
  std::mutex mutex_;
  std::mutex other_mutex_;
  std::condition_variable condition_;
  bool may_go_on_ = false;
  sem_t semaphore_{};
  std::atomic<int> atomic_{0};
  std::latch latch_{1};
  front::CallbackGroup::SharedPtr first_group_;
  front::CallbackGroup::SharedPtr second_group_;
  front::TimerBase::SharedPtr first_;
  front::TimerBase::SharedPtr second_;
  front::Publisher<Int32>::SharedPtr publisher_;
  front::Subscription<Int32>::SharedPtr subscription_;
  front::Service<Asked>::SharedPtr service_;
  front::Client<Asked>::SharedPtr client_;
};

/// The case that the first argument names; null: none.
inline const Case * case_of(int argc, char ** argv)
{
  const auto * const found = std::find_if(kCases.begin(), kCases.end(), [&](const Case & one) {
    return argc > 1 && one.name == argv[1];
  });
  return found == kCases.end() ? nullptr : found;
}

}  // namespace deadlocks

#endif  // DEADLOCK_NODE_HPP_
