// The parameters of one node: values, descriptors, and the callbacks that judge and follow changes.
//
// A change comes from the program or from the node's parameter services. Changes of one node happen
// one after the other. Each is judged first: the parameter is declared and not read-only, the type
// is the declared one (an integer also serves as a double), and the value is in its range. Then the
// pre-set callbacks have had their say, the on-set callbacks may refuse it, and the post-set
// callbacks learn of it. A parameter that a change deletes is in their lists without a value: its
// `is_set()` is false. Any thread. Set-up only: allocates, and waits for other changes.
#ifndef TAKT_RCL__NODE_PARAMETERS_HPP_
#define TAKT_RCL__NODE_PARAMETERS_HPP_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <rcl_interfaces/msg/list_parameters_result.hpp>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <rcl_interfaces/msg/set_parameters_result.hpp>
#include <string>
#include <vector>

#include "takt_rcl/parameter.hpp"

namespace takt_rcl
{

using ParameterDescriptor = rcl_interfaces::msg::ParameterDescriptor;
using SetParametersResult = rcl_interfaces::msg::SetParametersResult;
using ListParametersResult = rcl_interfaces::msg::ListParametersResult;

/// A new value of one parameter; absent: the parameter is to end.
struct ParameterChange
{
  std::string name;
  std::optional<ParameterValue> value;
};

namespace detail
{

ParameterChange to_change(const Parameter & parameter);

}  // namespace detail

/// A node's parameters.
class NodeParameters : public std::enable_shared_from_this<NodeParameters>
{
public:
  /// May change the list of values before they are judged. An empty list is refused. Must not
  /// change parameters.
  using PreSet = std::function<void(std::vector<Parameter> &)>;
  /// Accepts or refuses; sees the values before they are set. Must not change parameters.
  using OnSet = std::function<SetParametersResult(const std::vector<Parameter> &)>;
  /// Sees values that have been set. May change parameters.
  using PostSet = std::function<void(const std::vector<Parameter> &)>;
  /// Learns of a successful change, after all callbacks.
  using Follower = std::function<void(
    const std::vector<Parameter> & fresh, const std::vector<Parameter> & changed,
    const std::vector<std::string> & deleted)>;

  /// The hold of one callback. Its end removes the callback, and waits for a change on another
  /// thread.
  class Handle
  {
  public:
    ~Handle();
    Handle(const Handle &) = delete;
    Handle & operator=(const Handle &) = delete;

  private:
    friend class NodeParameters;
    explicit Handle(std::weak_ptr<NodeParameters> owner) : owner_(std::move(owner)) {}

    const std::weak_ptr<NodeParameters> owner_;
    PreSet pre_;
    OnSet on_;
    PostSet post_;
  };

  explicit NodeParameters(std::string node) : node_(std::move(node)) {}

  /// Throws `Error` if the parameter is declared already, or if its value is refused.
  void declare(
    const std::string & name, ParameterValue value, const ParameterDescriptor & descriptor);
  /// Calls no callback. Throws `Error` if the parameter is not declared, is read-only, or has a
  /// static type.
  void undeclare(const std::string & name);
  bool has(const std::string & name) const;
  /// Absent: not declared.
  std::optional<ParameterValue> find(const std::string & name) const;
  std::optional<ParameterDescriptor> describe(const std::string & name) const;
  /// As rclcpp's list_parameters.
  ListParametersResult list(const std::vector<std::string> & prefixes, std::uint64_t depth) const;
  /// All or none. Throws `Error` within a pre-set or on-set callback.
  SetParametersResult set(const std::vector<ParameterChange> & changes);

  std::shared_ptr<Handle> add_pre_set(PreSet callback);
  std::shared_ptr<Handle> add_on_set(OnSet callback);
  std::shared_ptr<Handle> add_post_set(PostSet callback);
  void remove(const Handle & handle);
  /// Replaces the follower.
  void follow(Follower follower);

private:
  struct Entry
  {
    ParameterValue value;
    ParameterDescriptor descriptor;
  };
  class Judging;

  std::string named(const std::string & parameter) const;
  // The sentence of the refusal; empty: accepted. Makes an integer a double where one is declared.
  std::string judge(const Entry & entry, ParameterValue & value) const;
  std::string judge_all(std::vector<ParameterChange> & changes) const;
  void must_not_judge() const;
  void prepare(std::vector<Parameter> & values);
  SetParametersResult ask(const std::vector<Parameter> & values);
  void tell(const std::vector<Parameter> & values);
  std::shared_ptr<Handle> add(std::shared_ptr<Handle> handle);
  template <typename Function>
  void for_each_handle(Function function);
  void apply(const std::vector<ParameterChange> & changes);

  const std::string node_;
  mutable std::recursive_mutex changing_;  // held for a whole change, with its callbacks
  bool judging_ = false;
  std::vector<Handle *> handles_;
  Follower follower_;
  mutable std::mutex mutex_;  // of the entries; no callback runs meanwhile
  std::map<std::string, Entry> entries_;
};

using PreSetParametersCallbackHandle = NodeParameters::Handle;
using OnSetParametersCallbackHandle = NodeParameters::Handle;
using PostSetParametersCallbackHandle = NodeParameters::Handle;

}  // namespace takt_rcl

#endif  // TAKT_RCL__NODE_PARAMETERS_HPP_
