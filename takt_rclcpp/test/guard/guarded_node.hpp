// The program of one case of the corpus, for both front ends: `front` is rclcpp or takt_rcl, and
// GUARDED_LOG its log line.
//
// The case's code runs in a timer, a subscription or a service; messages and requests come from a
// thread of its own. Beside it a clean timer runs, and this thread does outside of callbacks what
// none of them should do.
#ifndef GUARDED_NODE_HPP_
#define GUARDED_NODE_HPP_

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <std_msgs/msg/int32.hpp>
#include <string_view>
#include <thread>
#include <vector>

#include "faults.hpp"

namespace guarded
{

using namespace std::chrono_literals;

class Node : public front::Node
{
public:
  using Int32 = std_msgs::msg::Int32;
  using Asked = rcl_interfaces::srv::ListParameters;
  static constexpr int kRuns = 5;

  Node(const Case & one, std::function<void()> end)
  : front::Node("guarded"),
    case_(one),
    end_(std::move(end))
  {
    switch (case_.place) {
      case Place::timer:
        run_by_timer([this] { run(); });
        break;
      case Place::subscription:
        run_by_subscription([this](const Int32 &) { run(); });
        break;
      case Place::service:
        run_by_service(
          [this](const std::shared_ptr<Asked::Request>, std::shared_ptr<Asked::Response>) {
            run();
          });
        break;
    }
    clean_ = create_wall_timer(11ms, [this] { clean(); });
  }
  ~Node()
  {
    ends_ = true;
    if (outside_.joinable()) {
      outside_.join();
    }
  }

  /// What happens outside of callbacks.
  void start()
  {
    outside_ = std::thread([this] {
      while (!ends_) {
        std::this_thread::sleep_for(3ms);
        const std::vector<int> allocated(10);
        std::fprintf(stderr, "%s", allocated.empty() ? "x" : "");
        if (publisher_ != nullptr) {
          publisher_->publish(Int32());
        }
        if (client_ != nullptr && client_->service_is_ready()) {
          client_->async_send_request(std::make_shared<Asked::Request>());
        }
      }
    });
  }

protected:
  /// With the callback alone, which has to count its runs.
  explicit Node(std::function<void()> end) : front::Node("guarded"), case_(), end_(std::move(end))
  {
    clean_ = create_wall_timer(11ms, [this] { clean(); });
  }

  template <typename Callback>
  void run_by_timer(Callback callback)
  {
    timer_ = create_wall_timer(7ms, std::move(callback));
  }
  template <typename Callback>
  void run_by_subscription(Callback callback)
  {
    publisher_ = create_publisher<Int32>("numbers", 10);
    subscription_ = create_subscription<Int32>("numbers", 10, std::move(callback));
  }
  template <typename Callback>
  void run_by_service(Callback callback)
  {
    service_ = create_service<Asked>("asked", std::move(callback));
    client_ = create_client<Asked>("asked");
  }

  std::atomic<int> runs_{0};

private:
  void run()
  {
    if (runs_ >= kRuns) {
      return;
    }
    if (case_.run != nullptr) {
      case_.run();
    } else {
      GUARDED_LOG(get_logger(), "a log line");
    }
    ++runs_;
  }
  void clean()
  {
    sum_ = sum_ + 1.0;
    if (runs_ >= kRuns && ++clean_runs_ >= 2) {
      end_();
    }
  }

  const Case case_;
  const std::function<void()> end_;
  int clean_runs_ = 0;
  volatile double sum_ = 0;
  std::atomic<bool> ends_{false};
  std::thread outside_;
  front::TimerBase::SharedPtr timer_;
  front::TimerBase::SharedPtr clean_;
  front::Publisher<Int32>::SharedPtr publisher_;
  front::Subscription<Int32>::SharedPtr subscription_;
  front::Service<Asked>::SharedPtr service_;
  front::Client<Asked>::SharedPtr client_;
};

/// The case that the first argument names; null: it has none. Without an argument it prints the
/// names.
inline const Case * case_of(int argc, char ** argv)
{
  if (argc < 2) {
    for (const Case & one : kCases) {
      std::printf("%.*s\n", static_cast<int>(one.name.size()), one.name.data());
    }
    return nullptr;
  }
  const auto * const found = std::find_if(
    kCases.begin(), kCases.end(), [&](const Case & one) { return one.name == argv[1]; });
  return found == kCases.end() ? nullptr : found;
}

/// Locks all memory, with room on the heap, so that only the case of page faults has some. Says so
/// if it cannot.
inline void lock_memory()
{
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
  ::mallopt(M_MMAP_MAX, 0);
  std::free(std::malloc(8 << 20));
  if (::mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    std::fprintf(stderr, "memory is not locked\n");
  }
  prepare_untouched_memory();
}

/// Runs a node of type `One`, made of `what` and of a function that ends the run.
template <typename Executor, typename One, typename What>
void run_node(const What & what)
{
  Executor executor;
  const auto node = std::make_shared<One>(what, [&executor] { executor.cancel(); });
  executor.add_node(node);
  lock_memory();
  node->start();
  executor.spin();
}

}  // namespace guarded

#endif  // GUARDED_NODE_HPP_
