// A waitable as programs write them: a guard condition, and work that waits to be done.
#ifndef WORK_HPP_
#define WORK_HPP_

#include <atomic>
#include <functional>
#include <memory>
#include <rclcpp/detail/add_guard_condition_to_rcl_wait_set.hpp>
#include <rclcpp/rclcpp.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

class Work : public rclcpp::Waitable
{
public:
  enum class Announces
  {
    yes,
    no,        // the waitable has an empty function, as Kilted requires one
    throwing,  // the function throws, because the waitable does not announce
  };

  /// How the waitable announces; set it before an executor has the waitable.
  Announces announces = Announces::yes;
  bool added_by_condition = false;  // then the guard condition keeps the first wait set
  bool ready_whenever_asked = false;
  bool only_events = false;          // the waitable is made for an EventsExecutor
  std::function<void()> then;        // called after each run
  std::function<void()> when_asked;  // called when an executor asks whether the waitable is ready

  void give(int count = 1)
  {
    waiting_ += count;
    condition_.trigger();
  }
  int waiting() const { return waiting_; }
  int ran() const { return ran_; }

  std::size_t get_number_of_ready_guard_conditions() override { return only_events ? 0 : 1; }
  void add_to_wait_set(rcl_wait_set_t & set) override
  {
    if (only_events) {
      throw std::runtime_error("made for events");
    }
    if (waiting_ > 0) {
      condition_.trigger();  // for the work that is left
    }
    if (added_by_condition) {
      condition_.add_to_wait_set(set);
    } else {
      rclcpp::detail::add_guard_condition_to_rcl_wait_set(set, condition_);
    }
  }
  bool is_ready(const rcl_wait_set_t &) override
  {
    if (when_asked) {
      when_asked();
    }
    return ready_whenever_asked || waiting_ > 0;
  }
  std::shared_ptr<void> take_data() override { return nullptr; }
  std::shared_ptr<void> take_data_by_entity_id(std::size_t) override { return nullptr; }
  void execute(const std::shared_ptr<void> &) override
  {
    ++ran_;
    --waiting_;
    if (then) {
      then();
    }
  }
  void set_on_ready_callback(std::function<void(std::size_t, int)> ready) override
  {
    if (announces == Announces::throwing) {
      throw std::runtime_error("not for events");
    }
    if (announces == Announces::yes) {
      condition_.set_on_trigger_callback(
        [ready = std::move(ready)](std::size_t count) { ready(count, 0); });
    }
  }
  void clear_on_ready_callback() override { condition_.set_on_trigger_callback(nullptr); }
  // Pure virtual since rclcpp 29.5, unknown before, so this function cannot be marked `override`.
  virtual std::vector<std::shared_ptr<rclcpp::TimerBase>> get_timers() const { return timers; }

  // An executor runs these timers with the waitable.
  std::vector<std::shared_ptr<rclcpp::TimerBase>> timers;

private:
  rclcpp::GuardCondition condition_;
  std::atomic<int> waiting_{0};
  std::atomic<int> ran_{0};
};

/// A node with a `Work`.
struct Worker
{
  explicit Worker(const std::string & name, std::shared_ptr<Work> with = std::make_shared<Work>())
  : node(std::make_shared<rclcpp::Node>(name)),
    group(node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive)),
    work(std::move(with))
  {
    node->get_node_waitables_interface()->add_waitable(work, group);
  }

  rclcpp::Node::SharedPtr node;
  rclcpp::CallbackGroup::SharedPtr group;
  std::shared_ptr<Work> work;
};

#endif  // WORK_HPP_
