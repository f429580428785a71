// A ROS node: makes publishers, subscriptions, services, clients, timers and guard conditions.
//
// Names and argument order are rclcpp's. Set-up only and may block, unless a function says
// otherwise; any thread, also callbacks, also while the executor runs. The caller owns the entities
// that a node makes. An entity stops working when its owner or the node ends.
//
// A derived node declares its publishers, subscriptions, services, clients and timers after the
// members that their callbacks use: members are destroyed in reverse order, and each entity waits
// for its callback to end. (Except if one of its own callbacks destroys the node: see entity.hpp.)
#ifndef TAKT_RCL__NODE_HPP_
#define TAKT_RCL__NODE_HPP_

#include <chrono>
#include <concepts>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "takt_rcl/callback_group.hpp"
#include "takt_rcl/client.hpp"
#include "takt_rcl/clock.hpp"
#include "takt_rcl/generic_client.hpp"
#include "takt_rcl/generic_publisher.hpp"
#include "takt_rcl/generic_service.hpp"
#include "takt_rcl/generic_subscription.hpp"
#include "takt_rcl/guard_condition.hpp"
#include "takt_rcl/logger.hpp"
#include "takt_rcl/node_options.hpp"
#include "takt_rcl/node_parameters.hpp"
#include "takt_rcl/polling_subscription.hpp"
#include "takt_rcl/publisher.hpp"
#include "takt_rcl/service.hpp"
#include "takt_rcl/subscription.hpp"
#include "takt_rcl/timer.hpp"

namespace takt_rcl
{

class Context;
class Executor;
class NodeState;
class ParameterServices;

/// A node with rclcpp's names. Functions are set-up only and may block, unless stated otherwise.
class Node
{
public:
  using SharedPtr = std::shared_ptr<Node>;
  using UniquePtr = std::unique_ptr<Node>;
  using WeakPtr = std::weak_ptr<Node>;
  /// As rclcpp's.
  template <typename... Arguments>
  static SharedPtr make_shared(Arguments &&... arguments)
  {
    return std::make_shared<Node>(std::forward<Arguments>(arguments)...);
  }

  explicit Node(const std::string & name, const NodeOptions & options = {});
  Node(const std::string & name, const std::string & namespace_, const NodeOptions & options = {});
  /// First removes all callbacks from the executor: waits for those that run on other threads.
  virtual ~Node();
  Node(const Node &) = delete;
  Node & operator=(const Node &) = delete;

  /// The name, remapped and without the namespace.
  const char * get_name() const;
  /// The namespace, remapped.
  const char * get_namespace() const;
  /// Namespace and name, remapped. Real-time safe.
  const std::string & get_fully_qualified_name() const;
  /// The logger with the node's name.
  Logger get_logger() const;
  /// The context from the node's options. Never null.
  std::shared_ptr<Context> get_context() const;
  /// The node's clock: ROS time, simulated if `use_sim_time` is true. Never null.
  std::shared_ptr<Clock> get_clock() const;
  /// Real-time safe.
  Time now() const;

  /// `name` becomes a part of the group's id; empty: the group gets a number.
  CallbackGroup::SharedPtr create_callback_group(
    CallbackGroupType type, const std::string & name = "");
  /// `false`: see Executor::add_callback_group. (A template, because a name would convert to bool.)
  template <std::same_as<bool> Bool>
  CallbackGroup::SharedPtr create_callback_group(
    CallbackGroupType type, Bool automatically_add_to_executor_with_node,
    const std::string & name = "")
  {
    return make_group(type, automatically_add_to_executor_with_node, name);
  }
  /// The group of all callbacks without another group. It is mutually exclusive.
  CallbackGroup::SharedPtr get_default_callback_group() const;

  template <typename Msg>
  std::shared_ptr<Publisher<Msg>> create_publisher(
    const std::string & topic, const QoS & qos, const PublisherOptions & options = {})
  {
    return std::make_shared<Publisher<Msg>>(state_, topic, qos, options);
  }

  /// Signatures of `callback`: see message_handler.hpp. Messages that wait when the subscription
  /// enters an executor are announced then.
  template <typename Msg, typename Callback>
  std::shared_ptr<Subscription<Msg>> create_subscription(
    const std::string & topic, const QoS & qos, Callback && callback,
    const SubscriptionOptions & options = {})
  {
    auto subscription = std::make_shared<Subscription<Msg>>(
      state_, topic, qos, std::forward<Callback>(callback), options);
    adopt(subscription);
    return subscription;
  }

  /// As above for a type by its name, such as "std_msgs/msg/Int32": see generic_publisher.hpp.
  GenericPublisher::SharedPtr create_generic_publisher(
    const std::string & topic, const std::string & type, const QoS & qos,
    const PublisherOptions & options = {})
  {
    return std::make_shared<GenericPublisher>(state_, topic, type, qos, options);
  }
  /// As above. `callback` takes a SerializedMessage.
  template <typename Callback>
  GenericSubscription::SharedPtr create_generic_subscription(
    const std::string & topic, const std::string & type, const QoS & qos, Callback && callback,
    const SubscriptionOptions & options = {})
  {
    auto subscription = std::make_shared<GenericSubscription>(
      state_, topic, type, qos, std::forward<Callback>(callback), options);
    adopt(subscription);
    return subscription;
  }

  /// A subscription without a callback: see polling_subscription.hpp. It enters no executor.
  template <typename Msg>
  std::shared_ptr<PollingSubscription<Msg>> create_polling_subscription(
    const std::string & topic, const QoS & qos, const PollingOptions & options = {})
  {
    return std::make_shared<PollingSubscription<Msg>>(state_, topic, qos, options);
  }

  /// Signatures of `callback`: see request_handler.hpp.
  template <typename Srv, typename Callback>
  std::shared_ptr<Service<Srv>> create_service(
    const std::string & name, Callback && callback, const ServiceOptions & options)
  {
    auto service =
      std::make_shared<Service<Srv>>(state_, name, std::forward<Callback>(callback), options);
    adopt(service);
    return service;
  }
  template <typename Srv, typename Callback>
  std::shared_ptr<Service<Srv>> create_service(
    const std::string & name, Callback && callback, const QoS & qos = ServicesQoS(),
    CallbackGroup::SharedPtr group = nullptr)
  {
    ServiceOptions options;
    options.qos = qos;
    options.callback_group = std::move(group);
    return create_service<Srv>(name, std::forward<Callback>(callback), options);
  }
  template <typename Srv>
  std::shared_ptr<Client<Srv>> create_client(
    const std::string & name, const ClientOptions & options)
  {
    auto client = std::make_shared<Client<Srv>>(state_, name, options);
    adopt(client);
    return client;
  }
  template <typename Srv>
  std::shared_ptr<Client<Srv>> create_client(
    const std::string & name, const QoS & qos = ServicesQoS(),
    CallbackGroup::SharedPtr group = nullptr)
  {
    ClientOptions options;
    options.qos = qos;
    options.callback_group = std::move(group);
    return create_client<Srv>(name, options);
  }

  /// A service of a type by its name, such as "std_srvs/srv/SetBool": see generic_service.hpp.
  GenericService::SharedPtr create_generic_service(
    const std::string & name, const std::string & type, GenericService::Function callback,
    const ServiceOptions & options = {})
  {
    auto service =
      std::make_shared<GenericService>(state_, name, type, std::move(callback), options);
    adopt(service);
    return service;
  }
  /// As above, a client: see generic_client.hpp.
  GenericClient::SharedPtr create_generic_client(
    const std::string & name, const std::string & type, const ClientOptions & options = {})
  {
    auto client = std::make_shared<GenericClient>(state_, name, type, options);
    adopt(client);
    return client;
  }

  /// Signatures of `callback`: void(), void(Timer &), void(const TimerInfo &), or the last two.
  /// `period` in any unit, also as a floating point number of it.
  template <typename Rep, typename Period, typename Callback>
  Timer::SharedPtr create_wall_timer(
    std::chrono::duration<Rep, Period> period, Callback && callback,
    CallbackGroup::SharedPtr group = nullptr, bool autostart = true)
  {
    return create_wall_timer(
      period, std::forward<Callback>(callback), timer_options(std::move(group), autostart));
  }
  template <typename Rep, typename Period, typename Callback>
  Timer::SharedPtr create_wall_timer(
    std::chrono::duration<Rep, Period> period, Callback && callback, const TimerOptions & options)
  {
    return add_timer(
      detail::timer_period(period), detail::timer_function(std::forward<Callback>(callback)),
      options, false);
  }

  /// In ROS time: see timer.hpp.
  template <typename Rep, typename Period, typename Callback>
  Timer::SharedPtr create_timer(
    std::chrono::duration<Rep, Period> period, Callback && callback,
    CallbackGroup::SharedPtr group = nullptr, bool autostart = true)
  {
    return create_timer(
      period, std::forward<Callback>(callback), timer_options(std::move(group), autostart));
  }
  template <typename Rep, typename Period, typename Callback>
  Timer::SharedPtr create_timer(
    std::chrono::duration<Rep, Period> period, Callback && callback, const TimerOptions & options)
  {
    return add_timer(
      detail::timer_period(period), detail::timer_function(std::forward<Callback>(callback)),
      options, true);
  }

  /// `callback` runs on an executor thread after GuardCondition::trigger.
  GuardCondition::SharedPtr create_guard_condition(
    GuardCondition::Function callback, const GuardConditionOptions & options = {});

  // ---- parameters: see node_parameters.hpp ----

  /// The override for `name`, or else `default_value`. Throws `Error` if the override has another
  /// type (an integer also serves as a double), if the parameter is declared already, or if its
  /// range or an on-set callback refuses the value.
  template <typename T>
  detail::KeptAs<T> declare_parameter(
    const std::string & name, const T & default_value,
    const ParameterDescriptor & descriptor = ParameterDescriptor(), bool ignore_override = false)
  {
    using Kept = detail::KeptAs<T>;
    Kept value = detail::to_parameter_value(default_value);
    const ParameterValue * const given = ignore_override ? nullptr : find_override(name);
    if (given != nullptr) {
      value = detail::parameter_as<Kept>(named(name), *given);
    }
    declare(name, ParameterValue(value), descriptor);
    return value;
  }
  /// As above for a required value: also throws `Error` without an override.
  template <typename T>
  detail::KeptAs<T> declare_parameter(
    const std::string & name, const ParameterDescriptor & descriptor = ParameterDescriptor())
  {
    auto value = detail::parameter_as<detail::KeptAs<T>>(named(name), need_override(name));
    declare(name, ParameterValue(value), descriptor);
    return value;
  }
  /// Calls no callback. Throws `Error` if the parameter is not declared, is read-only, or has a
  /// static type.
  void undeclare_parameter(const std::string & name);
  /// Sets all or none; deletes parameters without a value. On a refusal the result has the reason
  /// as a sentence.
  SetParametersResult set_parameters_atomically(const std::vector<Parameter> & parameters);
  /// One by one; as many results as parameters.
  std::vector<SetParametersResult> set_parameters(const std::vector<Parameter> & parameters);
  SetParametersResult set_parameter(const Parameter & parameter);
  /// Throws `Error` if not declared.
  ParameterDescriptor describe_parameter(const std::string & name) const;
  std::vector<ParameterDescriptor> describe_parameters(
    const std::vector<std::string> & names) const;
  /// `PARAMETER_NOT_SET` for undeclared parameters.
  std::vector<std::uint8_t> get_parameter_types(const std::vector<std::string> & names) const;
  /// Throws `Error` if one is not declared.
  std::vector<Parameter> get_parameters(const std::vector<std::string> & names) const;
  /// As rclcpp's: names below `prefixes`, with fewer than `depth` dots after the prefix; 0: any
  /// number.
  ListParametersResult list_parameters(
    const std::vector<std::string> & prefixes, std::uint64_t depth) const;
  /// The callback may change the values before they are judged. It lasts as long as its handle,
  /// whose end waits for a change on another thread. Changes by the parameter services run on
  /// threads of the group `parameters`.
  std::shared_ptr<PreSetParametersCallbackHandle> add_pre_set_parameters_callback(
    NodeParameters::PreSet callback);
  /// As above. The callback accepts or refuses the values, also of declarations.
  std::shared_ptr<OnSetParametersCallbackHandle> add_on_set_parameters_callback(
    NodeParameters::OnSet callback);
  /// As above. The callback sees the values that have been set.
  std::shared_ptr<PostSetParametersCallbackHandle> add_post_set_parameters_callback(
    NodeParameters::PostSet callback);
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle * handle);
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle * handle);
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle * handle);
  /// True if the parameter is declared.
  bool has_parameter(const std::string & name) const;
  /// Throws `Error` if not declared.
  Parameter get_parameter(const std::string & name) const;
  /// False, with `value` unchanged, if not declared. Throws `Error` if the parameter has another
  /// type.
  template <typename T>
  bool get_parameter(const std::string & name, T & value) const
  {
    if (!has_parameter(name)) {
      return false;
    }
    value = detail::parameter_as<T>(named(name), get_parameter(name).get_parameter_value());
    return true;
  }
  /// `alternative` if not declared.
  template <typename T>
  T get_parameter_or(const std::string & name, const T & alternative) const
  {
    T value = alternative;
    get_parameter(name, value);
    return value;
  }
  /// As `get_parameter`. Sets `value` to `alternative` if not declared.
  template <typename T>
  bool get_parameter_or(const std::string & name, T & value, const T & alternative) const
  {
    value = alternative;
    return get_parameter(name, value);
  }
  /// All overrides, declared or not.
  const ParameterMap & get_parameter_overrides() const;

  // ---- graph ----

  /// Names are expanded and remapped.
  std::size_t count_publishers(const std::string & topic) const;
  /// As `count_publishers`.
  std::size_t count_subscribers(const std::string & topic) const;
  /// All discovered topics of this domain with their types, and names with namespaces.
  std::map<std::string, std::vector<std::string>> get_topic_names_and_types() const;
  /// All discovered nodes of this domain, with namespaces.
  std::vector<std::string> get_node_names() const;

private:
  friend class Executor;

  CallbackGroup::SharedPtr make_group(
    CallbackGroupType type, bool automatic, const std::string & name);
  static TimerOptions timer_options(CallbackGroup::SharedPtr group, bool autostart);
  Timer::SharedPtr add_timer(
    takt_rt::Duration period, Timer::Function function, const TimerOptions & options,
    bool ros_time);
  void adopt(const std::shared_ptr<Entity> & entity);
  // "/node: parameter 'name'", for messages.
  std::string named(const std::string & parameter) const;
  const ParameterValue * find_override(const std::string & name) const;
  const ParameterValue & need_override(const std::string & name) const;
  void declare(
    const std::string & name, ParameterValue value, const ParameterDescriptor & descriptor);
  void start_parameter_services();
  void start_type_description_service();

  ParameterMap overrides_;  // before the state, whose constructor fills it
  std::shared_ptr<NodeState> state_;
  std::shared_ptr<Clock> clock_;
  std::shared_ptr<NodeParameters> parameters_;
  const std::optional<bool> wants_services_;
  std::once_flag services_started_;
  std::unique_ptr<ParameterServices> services_;
  std::shared_ptr<Entity> type_descriptions_;
  std::shared_ptr<SubscriptionBase> clock_subscription_;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__NODE_HPP_
