// The core's conformance suite (takt_core's test/support/suite.hpp) on takt_rclcpp::Executor: each
// callback of the suite is a waitable of an rclcpp node in a callback group.
// Not applicable: bindings and priorities that change during a spin (rclcpp has no call for them),
// the virtual clock, following threads (an option of the core only), and counting exceptions
// (executor_test has a test).
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <rclcpp/rclcpp.hpp>
#include <stdexcept>
#include <thread>

#include "support/suite.hpp"
#include "takt_rclcpp/executor.hpp"
#include "with_rclcpp.hpp"

namespace takt_core::test
{
namespace
{

/// Ready when a probe of the suite is announced.
class ProbeWaitable final : public rclcpp::Waitable
{
public:
  explicit ProbeWaitable(std::shared_ptr<Probe> probe) : probe_(std::move(probe)) {}

  void trigger(std::uint32_t count)
  {
    const std::lock_guard lock(mutex_);
    waiting_ += count;
    if (ready_) {
      ready_(count, 0);
    } else {
      untold_ += count;
    }
  }

  void add_to_wait_set(rcl_wait_set_t &) override {}
  bool is_ready(const rcl_wait_set_t &) override
  {
    const std::lock_guard lock(mutex_);
    return waiting_ > 0;
  }
  std::shared_ptr<void> take_data() override { return take_data_by_entity_id(0); }
  std::shared_ptr<void> take_data_by_entity_id(std::size_t) override
  {
    probe_->take(Run{});
    const std::lock_guard lock(mutex_);
    if (waiting_ == 0) {
      return nullptr;
    }
    --waiting_;
    return probe_;
  }
  void execute(const std::shared_ptr<void> & data) override
  {
    if (data != nullptr) {
      probe_->run(*current_run());
    }
  }
  void set_on_ready_callback(std::function<void(std::size_t, int)> callback) override
  {
    const std::lock_guard lock(mutex_);
    ready_ = std::move(callback);
    if (untold_ > 0) {
      ready_(std::exchange(untold_, 0), 0);
    }
  }
  void clear_on_ready_callback() override
  {
    const std::lock_guard lock(mutex_);
    ready_ = nullptr;
  }
  std::vector<rclcpp::TimerBase::SharedPtr> get_timers() const { return {}; }

private:
  const std::shared_ptr<Probe> probe_;
  std::mutex mutex_;
  std::function<void(std::size_t, int)> ready_;
  std::size_t waiting_ = 0;
  std::size_t untold_ = 0;
};

std::string schedule_of(const Setting & setting)
{
  std::string text = "version: 1\nexecutors:\n  main:\n    order: " +
                     std::string(takt_core::to_string(setting.order)) + "\n";
  switch (setting.shape) {
    case Shape::single:
      return text + "    threads: {one: {}}\n    default: one\n";
    case Shape::pool:
      return text + "    threads: {pool: {count: 3}}\n    default: pool\n";
    default:
      break;
  }
  // The callbacks go to the threads in turn. The suite's groups may span the threads, because all
  // have one OS priority.
  return text +
         "    threads: {a: {}, b: {}, c: {}}\n    default: a\n    callbacks:\n"
         "      - {match: '/suite:waitable(ProbeWaitable)#2', threads: b}\n"
         "      - {match: '/suite:waitable(ProbeWaitable)#3', threads: c}\n"
         "      - {match: '/suite:waitable(ProbeWaitable)#5', threads: b}\n"
         "      - {match: '/suite:waitable(ProbeWaitable)#6', threads: c}\n";
}

class RclcppEngine final : public Engine
{
public:
  explicit RclcppEngine(const Setting & setting)
  : path_(testing::TempDir() + "/conformance_test." + std::to_string(::getpid()) + ".yaml"),
    node_(std::make_shared<rclcpp::Node>(
      "suite", rclcpp::NodeOptions().start_parameter_services(false)))
  {
    std::ofstream(path_) << schedule_of(setting);
    executor_ = std::make_unique<takt_rclcpp::Executor>(rclcpp::ExecutorOptions(), path_);
    executor_->add_node(node_);
  }
  ~RclcppEngine() override
  {
    stop();
    std::remove(path_.c_str());
  }

  Status add(const std::shared_ptr<Probe> & probe, const Binding &) override
  {
    kept_.push_back(probe);
    auto & group = groups_[&probe->group()];
    if (group == nullptr) {
      group = node_->create_callback_group(
        probe->group().exclusive() ? rclcpp::CallbackGroupType::MutuallyExclusive
                                   : rclcpp::CallbackGroupType::Reentrant);
    }
    const auto waitable = std::make_shared<ProbeWaitable>(probe);
    {
      const std::lock_guard lock(mutex_);
      waitables_[probe.get()] = waitable;
      if (const auto early = early_.find(probe.get()); early != early_.end()) {
        waitable->trigger(early->second);
        early_.erase(early);
      }
    }
    node_->get_node_waitables_interface()->add_waitable(waitable, group);
    return {};
  }
  // rclcpp promises that an entity does not run once no code holds it.
  void remove(Probe & probe) override
  {
    std::weak_ptr<ProbeWaitable> gone;
    {
      const std::lock_guard lock(mutex_);
      gone = waitables_.at(&probe);
      waitables_.erase(&probe);
    }
    while (!gone.expired()) {
      std::this_thread::yield();
    }
  }
  Status bind(Probe &, ThreadMask) override { return Faults{"rclcpp has no call for it"}; }
  Status set_priority(Probe &, std::optional<int>) override
  {
    return Faults{"rclcpp has no call for it"};
  }
  void ready(Probe & probe, std::uint32_t count) override
  {
    probe.announced.fetch_add(count);
    const std::lock_guard lock(mutex_);
    if (const auto found = waitables_.find(&probe); found != waitables_.end()) {
      found->second->trigger(count);
    } else {
      early_[&probe] += count;
    }
  }
  void start() override
  {
    ending_ = false;
    thread_ = std::thread([this] {
      try {
        while (!ending_) {
          executor_->spin();
        }
      } catch (const std::exception & error) {
        ADD_FAILURE() << error.what();  // waiting probes stay waiting, and the suite reports them
      }
    });
  }
  bool run_until(const std::function<bool()> & done) override
  {
    const Time guard = now() + std::chrono::minutes(1);
    while (!done()) {
      if (now() > guard) {
        return false;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return true;
  }
  void stop() override
  {
    ending_ = true;
    executor_->cancel();
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  bool cancel_and_restart() override
  {
    std::thread other([this] { executor_->cancel(); });
    executor_->cancel();
    other.join();
    return true;
  }
  void let_pass() override { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }
  void let_pass_closed() override { let_pass(); }
  Scheduler & scheduler() override { throw std::logic_error("takt_rclcpp hides its scheduler"); }

private:
  const std::string path_;
  const rclcpp::Node::SharedPtr node_;
  std::unique_ptr<takt_rclcpp::Executor> executor_;
  std::vector<std::shared_ptr<Probe>> kept_;  // so that no address is used by two probes or groups
  std::map<const Group *, rclcpp::CallbackGroup::SharedPtr> groups_;
  std::mutex mutex_;
  std::map<const Probe *, std::shared_ptr<ProbeWaitable>> waitables_;
  std::map<const Probe *, std::uint32_t> early_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

class Conformance : public takt_rclcpp::WithRclcpp<Setting>
{
protected:
  static void expect_kept(Check check)
  {
    RclcppEngine engine(GetParam());
    const Verdict verdict = check(engine, GetParam());
    EXPECT_TRUE(verdict.good()) << verdict;
  }
};

TEST_P(Conformance, consumes_everything_once_in_exclusive_groups)
{
  expect_kept(consumes_everything_once_in_exclusive_groups);
}
TEST_P(Conformance, keeps_the_order_of_releases)
{
  if (GetParam().order == Order::fifo && GetParam().shape == Shape::single) {
    expect_kept(keeps_the_order_of_releases);
  }
}
TEST_P(Conformance, runs_nothing_before_the_gate)
{
  expect_kept(runs_nothing_before_the_gate);
}
TEST_P(Conformance, removes_for_good)
{
  expect_kept(removes_for_good);
}
TEST_P(Conformance, survives_adding_and_removing)
{
  expect_kept(survives_adding_and_removing);
}
TEST_P(Conformance, survives_cancel_storms)
{
  expect_kept(survives_cancel_storms);
}
TEST_P(Conformance, wakes_for_every_message)
{
  expect_kept(wakes_for_every_message);
}

std::vector<Setting> settings()
{
  std::vector<Setting> all;
  for (const Order order : {Order::priority, Order::fifo, Order::edf, Order::window}) {
    for (const Shape shape : {Shape::single, Shape::pool, Shape::partitioned}) {
      all.push_back({order, shape, true});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(all, Conformance, testing::ValuesIn(settings()), [](const auto & test) {
  return to_string(test.param);
});

}  // namespace
}  // namespace takt_core::test
