// The node of one case of inlined.hpp, for both front ends; see guarded_node.hpp.
#ifndef INLINED_NODE_HPP_
#define INLINED_NODE_HPP_

#include "guarded_node.hpp"
#include "inlined.hpp"

namespace guarded
{

// The compiler does not know that nobody reads the value, and keeps the allocation.
inline void use(const void * value)
{
  asm volatile("" : : "r"(value) : "memory");
}

class InlinedNode : public Node
{
public:
  InlinedNode(std::string_view name, std::function<void()> end) : Node(std::move(end))
  {
    using Request = std::shared_ptr<Asked::Request>;
    using Response = std::shared_ptr<Asked::Response>;
    if (name == "timer_allocates") {
      run_by_timer([this] {
        const std::vector<double> values(10, static_cast<double>(sum_));
        use(values.data());
        ++runs_;
      });
    } else if (name == "timer_prints_last") {
      run_by_timer([this] {
        ++runs_;
        std::puts("a line");  // of this call the compiler makes a jump
      });
    } else if (name == "timer_with_arguments_prints_last") {
      run_by_timer([this](GUARDED_TIMER_ARGUMENTS) {
        ++runs_;
        std::puts("a line");
      });
    } else if (name == "timer_is_clean") {
      run_by_timer([this] {
        sum_ = sum_ * 0.5;
        ++runs_;
      });
    } else if (name == "subscription_allocates") {
      run_by_subscription([this](const Int32 & number) {
        {
          const std::vector<int> values(10, number.data);
          use(values.data());
        }
        ++runs_;  // behind the vector's end: rclcpp's templates do not name this lambda
      });
    } else if (name == "pointer_subscription_allocates") {
      run_by_subscription([this](std::shared_ptr<const Int32> number) {
        const std::vector<int> values(10, number->data);
        use(values.data());
        ++runs_;
      });
    } else if (name == "subscription_is_clean") {
      run_by_subscription([this](const Int32 & number) {
        sum_ = sum_ + number.data;
        ++runs_;
      });
    } else if (name == "service_allocates") {
      run_by_service([this](const Request, Response) {
        const std::vector<double> values(10, static_cast<double>(sum_));
        use(values.data());
        ++runs_;
      });
    } else if (name == "service_is_clean") {
      run_by_service([this](const Request, Response) {
        sum_ = sum_ + 1.0;
        ++runs_;
      });
    }
  }

private:
  volatile double sum_ = 0;
};

}  // namespace guarded

#endif  // INLINED_NODE_HPP_
