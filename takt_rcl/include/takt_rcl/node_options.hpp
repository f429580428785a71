// Options of a node at its creation: rclcpp's chained setters. Set-up only.
#ifndef TAKT_RCL__NODE_OPTIONS_HPP_
#define TAKT_RCL__NODE_OPTIONS_HPP_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "takt_rcl/parameter.hpp"

namespace takt_rcl
{

class Context;

/// As rclcpp's: whether an entity follows its node's `use_intra_process_comms`.
enum class IntraProcessSetting
{
  Enable,
  Disable,
  NodeDefault
};

/// Each setter returns the options.
class NodeOptions
{
public:
  /// Default: the default context.
  const std::shared_ptr<Context> & context() const noexcept { return context_; }
  NodeOptions & context(std::shared_ptr<Context> context)
  {
    context_ = std::move(context);
    return *this;
  }

  /// This node's own ROS arguments, e.g. {"--ros-args", "-r", "a:=b"}.
  const std::vector<std::string> & arguments() const noexcept { return arguments_; }
  NodeOptions & arguments(std::vector<std::string> arguments)
  {
    arguments_ = std::move(arguments);
    return *this;
  }

  /// Also use the context's arguments. Default: true.
  bool use_global_arguments() const noexcept { return use_global_arguments_; }
  NodeOptions & use_global_arguments(bool use)
  {
    use_global_arguments_ = use;
    return *this;
  }

  /// Parameter values with precedence over arguments and files.
  const std::vector<Parameter> & parameter_overrides() const noexcept { return overrides_; }
  NodeOptions & parameter_overrides(std::vector<Parameter> overrides)
  {
    overrides_ = std::move(overrides);
    return *this;
  }
  /// Adds one parameter value to `parameter_overrides`.
  template <typename T>
  NodeOptions & append_parameter_override(const std::string & name, T && value)
  {
    overrides_.emplace_back(name, std::forward<T>(value));
    return *this;
  }

  /// Declares every parameter with an override, with `dynamic_typing`. Default: false.
  bool automatically_declare_parameters_from_overrides() const noexcept { return declare_; }
  NodeOptions & automatically_declare_parameters_from_overrides(bool declare)
  {
    declare_ = declare;
    return *this;
  }

  /// Whether the node has the parameter services and publishes parameter events. Default: the node
  /// has both from the first `declare_parameter` or automatically declared parameter on
  /// (`use_sim_time` and `start_type_description_service` do not count).
  std::optional<bool> start_parameter_services() const noexcept { return parameter_services_; }
  NodeOptions & start_parameter_services(bool start)
  {
    parameter_services_ = start;
    return *this;
  }

  /// Default: true.
  bool enable_rosout() const noexcept { return enable_rosout_; }
  NodeOptions & enable_rosout(bool enable)
  {
    enable_rosout_ = enable;
    return *this;
  }

  /// Messages between publishers and subscriptions of one context go by pointer, if both have this
  /// option; see docs/own_node.md. Default: false, because publishers then have pools of messages.
  bool use_intra_process_comms() const noexcept { return intra_process_; }
  NodeOptions & use_intra_process_comms(bool use)
  {
    intra_process_ = use;
    return *this;
  }

private:
  std::shared_ptr<Context> context_;
  std::vector<std::string> arguments_;
  std::vector<Parameter> overrides_;
  std::optional<bool> parameter_services_{};
  bool use_global_arguments_ = true;
  bool declare_ = false;
  bool enable_rosout_ = true;
  bool intra_process_ = false;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__NODE_OPTIONS_HPP_
