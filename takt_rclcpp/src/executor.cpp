#include "takt_rclcpp/executor.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "adopt/entities/group_nodes.hpp"
#include "adopt/host_access.hpp"
#include "adopt/process_settings.hpp"
#include "adopt/spin/adoption.hpp"
#include "adopt/spin/end_of_context.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rclcpp
{
namespace
{

// Sets `spinning` as rclcpp's own spins do, so that a cancel from this moment on ends the spin.
class Spinning
{
public:
  Spinning(
    std::atomic_bool & flag, const char * what, const std::shared_ptr<rclcpp::Context> & context)
  : holds_(context),
    flag_(flag)
  {
    if (flag_.exchange(true)) {
      throw std::runtime_error(std::string(what) + "() called while already spinning");
    }
  }
  ~Spinning() { flag_.store(false); }
  Spinning(const Spinning &) = delete;
  Spinning & operator=(const Spinning &) = delete;

private:
  const HoldsTheEnd holds_;
  std::atomic_bool & flag_;
};

}  // namespace

struct Executor::Impl
{
  ProcessSettings settings;
  std::size_t threads = 1;
  std::mutex mutex;  // guards the next two
  std::unique_ptr<Adoption> adoption;
  bool cancelled = false;  // the program cancelled before the adoption was made
};

Executor::Executor(
  const rclcpp::ExecutorOptions & options, const std::string & schedule_file,
  const std::string & executor_name, std::size_t number_of_threads)
: rclcpp::Executor(options),
  impl_(std::make_unique<Impl>())
{
  impl_->threads = number_of_threads;
  impl_->settings.executor = executor_name;
  impl_->settings.report_directory = process_settings().report_directory;
  impl_->settings.observe = process_settings().observe;
  if (schedule_file.empty()) {
    return;
  }
  takt_schedule::Machine machine;
  machine.executor = executor_name;
  auto schedule = takt_schedule::load_schedule(schedule_file, machine);
  if (!schedule.ok()) {
    throw std::invalid_argument(sentences("the schedule cannot be used:", schedule.faults()));
  }
  impl_->settings.schedule = std::move(schedule.value());
  if (const auto & executors = impl_->settings.schedule->executors; executor_name.empty()) {
    if (executors.size() != 1) {
      throw std::invalid_argument(
        schedule_file + " has " + std::to_string(executors.size()) +
        " executors; name the one for this program (executor_name)");
    }
    impl_->settings.executor = executors.front().name;
  }
}

namespace
{

template <typename T>
T parameter(rclcpp::Node & node, const std::string & name, const T & otherwise)
{
  return node.has_parameter(name) ? node.get_parameter(name).get_value<T>()
                                  : node.declare_parameter<T>(name, otherwise);
}

}  // namespace

std::shared_ptr<Executor> Executor::from_parameters(
  rclcpp::Node & node, const rclcpp::ExecutorOptions & options)
{
  const auto schedule = parameter<std::string>(node, "schedule_file", "");
  const auto name = parameter<std::string>(node, "executor_name", "");
  const auto threads = parameter<std::int64_t>(node, "thread_num", 1);
  if (threads < 1) {
    throw std::invalid_argument("thread_num must be at least 1, not " + std::to_string(threads));
  }
  return std::make_shared<Executor>(options, schedule, name, static_cast<std::size_t>(threads));
}

Executor::~Executor()
{
  cancel();
}

// Makes the adoption at the first spin. It stays, so that no message is lost between two spins.
Executor::Impl & Executor::adopted()
{
  Impl & impl = *impl_;
  if (impl.adoption != nullptr) {
    return impl;
  }
  auto made = Adoption::create(*this, HostKind::own, impl.settings, impl.threads);
  if (!made.ok()) {
    throw std::runtime_error(sentences("the schedule does not fit:", made.faults()));
  }
  const std::lock_guard lock(impl.mutex);
  impl.adoption = std::move(made.value());
  if (std::exchange(impl.cancelled, false)) {
    impl.adoption->cancel();
  }
  return impl;
}

void Executor::add_callback_group(Added::Group group_ptr, Added::Node node_ptr, bool notify)
{
  remember_node(group_ptr, node_ptr);
  rclcpp::Executor::add_callback_group(group_ptr, node_ptr, notify);
  changed();
}

void Executor::add_node(Added::Node node_ptr, bool notify)
{
  rclcpp::Executor::add_node(node_ptr, notify);
  changed();
}

void Executor::remove_callback_group(Added::Group group_ptr, bool notify)
{
  rclcpp::Executor::remove_callback_group(group_ptr, notify);
  changed();
}

// Tells the adoption of the change, because rclcpp's functions notify no one if `notify` is false
// (as in `spin_node_some`).
void Executor::changed()
{
  const std::lock_guard lock(impl_->mutex);
  if (impl_->adoption != nullptr) {
    impl_->adoption->changed();
  }
}

// Checks the node first, because rclcpp's function marks it as free before it finds that another
// executor has it.
void Executor::remove_node(Added::Node node_ptr, bool notify)
{
  get_all_callback_groups();  // applies pending additions and removals
  const auto nodes = CollectorAccess::nodes_of(collector_);
  if (std::find(nodes.begin(), nodes.end(), node_ptr) == nodes.end()) {
    throw std::runtime_error(
      std::string("Node '") + node_ptr->get_fully_qualified_name() +
      "' needs to be associated with " +
      (node_ptr->get_associated_with_executor_atomic().load() ? "this" : "an") + " executor.");
  }
  rclcpp::Executor::remove_node(node_ptr, notify);
  changed();
}

void Executor::spin()
{
  const Spinning spinning_now(spinning, "spin", context_);
  if (const auto faults = adopted().adoption->spin(); !faults.empty()) {
    throw std::runtime_error(sentences("takt cannot spin:", faults));
  }
}

void Executor::spin_ready(std::chrono::nanoseconds max_duration, bool again)
{
  const auto until = std::chrono::steady_clock::now() + max_duration;
  Adoption & adoption = *adopted().adoption;
  for (;;) {
    const auto left =
      max_duration.count() == 0 ? max_duration : until - std::chrono::steady_clock::now();
    if (max_duration.count() != 0 && left.count() <= 0) {
      return;
    }
    if (!adoption.spin_some(left) || !again) {
      return;
    }
  }
}

void Executor::spin_some(std::chrono::nanoseconds max_duration)
{
  const Spinning spinning_now(spinning, "spin_some", context_);
  spin_ready(max_duration, false);
}

void Executor::spin_all(std::chrono::nanoseconds max_duration)
{
  if (max_duration.count() < 0) {
    throw std::invalid_argument("max_duration must be greater than or equal to 0");
  }
  const Spinning spinning_now(spinning, "spin_all", context_);
  spin_ready(max_duration, true);
}

void Executor::spin_once(std::chrono::nanoseconds timeout)
{
  const Spinning spinning_now(spinning, "spin_once", context_);
  spin_once_impl(timeout);
}

rclcpp::FutureReturnCode Executor::spin_until_future_complete_impl(
  std::chrono::nanoseconds timeout,
  const std::function<std::future_status(std::chrono::nanoseconds)> & wait_for_future)
{
  const auto complete = [&] {
    return wait_for_future(std::chrono::nanoseconds(0)) == std::future_status::ready;
  };
  if (complete()) {
    return rclcpp::FutureReturnCode::SUCCESS;
  }
  const Spinning spinning_now(spinning, "spin_until_future_complete", context_);
  const auto until = std::chrono::steady_clock::now() + timeout;
  auto left = timeout;
  while (rclcpp::ok(context_) && spinning.load()) {
    spin_once_impl(left);
    if (complete()) {
      return rclcpp::FutureReturnCode::SUCCESS;
    }
    if (timeout.count() < 0) {
      continue;
    }
    left = until - std::chrono::steady_clock::now();
    if (left.count() <= 0) {
      return rclcpp::FutureReturnCode::TIMEOUT;
    }
  }
  return rclcpp::FutureReturnCode::INTERRUPTED;
}

void Executor::spin_once_impl(std::chrono::nanoseconds timeout)
{
  adopted().adoption->spin_once(timeout);
}

void Executor::cancel()
{
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->adoption != nullptr) {
      impl_->adoption->cancel();
    } else {
      impl_->cancelled = true;
    }
  }
  rclcpp::Executor::cancel();
}

}  // namespace takt_rclcpp
