#include "takt_rcl/node_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "takt_rcl/error.hpp"

namespace takt_rcl
{

ParameterChange detail::to_change(const Parameter & parameter)
{
  ParameterChange change{parameter.get_name(), std::nullopt};
  if (parameter.is_set()) {
    change.value = parameter.get_parameter_value();
  }
  return change;
}

namespace
{

// As the constants of rcl_interfaces/msg/ParameterType.
std::uint8_t type_of(const ParameterValue & value) noexcept
{
  return static_cast<std::uint8_t>(value.index() + 1);
}

std::string text(double value)
{
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

bool same(double one, double other) noexcept
{
  if (!std::isfinite(one) || !std::isfinite(other)) {
    return one == other;
  }
  const double scale = std::max({1.0, std::abs(one), std::abs(other)});
  return std::abs(one - other) <= 100 * std::numeric_limits<double>::epsilon() * scale;
}

// The sentence's end if `value` is outside of the range, "[from, to]" with its step.
std::string outside(std::int64_t value, const rcl_interfaces::msg::IntegerRange & range)
{
  const bool inside = value >= range.from_value && value <= range.to_value;
  const auto distance =
    static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(range.from_value);
  const bool on_step =
    range.step == 0 || value == range.to_value || (inside && distance % range.step == 0);
  if (inside && on_step) {
    return {};
  }
  return std::to_string(value) + " is not in " + std::to_string(range.from_value) + " to " +
         std::to_string(range.to_value) +
         (range.step > 1 ? " in steps of " + std::to_string(range.step) : "");
}

std::string outside(double value, const rcl_interfaces::msg::FloatingPointRange & range)
{
  const bool at_end = same(value, range.from_value) || same(value, range.to_value);
  const bool inside = at_end || (value >= range.from_value && value <= range.to_value);
  const double steps = range.step > 0 ? (value - range.from_value) / range.step : 0;
  if (inside && (at_end || range.step <= 0 || same(steps, std::round(steps)))) {
    return {};
  }
  return text(value) + " is not in " + text(range.from_value) + " to " + text(range.to_value) +
         (range.step > 0 ? " in steps of " + text(range.step) : "");
}

std::vector<Parameter> to_parameters(const std::vector<ParameterChange> & changes)
{
  std::vector<Parameter> parameters;
  for (const ParameterChange & one : changes) {
    parameters.push_back(one.value ? Parameter(one.name, *one.value) : Parameter(one.name));
  }
  return parameters;
}

std::vector<ParameterChange> to_changes(const std::vector<Parameter> & parameters)
{
  std::vector<ParameterChange> changes;
  for (const Parameter & one : parameters) {
    changes.push_back(detail::to_change(one));
  }
  return changes;
}

SetParametersResult refused(std::string reason)
{
  SetParametersResult result;
  result.successful = false;
  result.reason = std::move(reason);
  return result;
}

}  // namespace

// Callbacks that judge a change run meanwhile: they must not make another change.
class NodeParameters::Judging
{
public:
  explicit Judging(NodeParameters & parameters) : parameters_(parameters)
  {
    parameters_.must_not_judge();
    parameters_.judging_ = true;
  }
  ~Judging() { parameters_.judging_ = false; }
  Judging(const Judging &) = delete;
  Judging & operator=(const Judging &) = delete;

private:
  NodeParameters & parameters_;
};

NodeParameters::Handle::~Handle()
{
  if (const auto owner = owner_.lock(); owner != nullptr) {
    owner->remove(*this);
  }
}

std::string NodeParameters::named(const std::string & parameter) const
{
  return node_ + ": parameter '" + parameter + "'";
}

void NodeParameters::must_not_judge() const
{
  if (judging_) {
    throw Error(node_ + ": a callback that judges a change of parameters must not change one");
  }
}

std::string NodeParameters::judge(const Entry & entry, ParameterValue & value) const
{
  const ParameterDescriptor & descriptor = entry.descriptor;
  if (!descriptor.dynamic_typing && value.index() != entry.value.index()) {
    const auto * const integer = std::get_if<std::int64_t>(&value);
    if (integer == nullptr || !std::holds_alternative<double>(entry.value)) {
      return named(descriptor.name) + " is of type " + detail::type_name(entry.value) +
             ", and cannot become a " + detail::type_name(value);
    }
    value = static_cast<double>(*integer);
  }
  std::string fault;
  const auto * const integer = std::get_if<std::int64_t>(&value);
  const auto * const number = std::get_if<double>(&value);
  if (integer != nullptr && !descriptor.integer_range.empty()) {
    fault = outside(*integer, descriptor.integer_range.front());
  } else if (number != nullptr && !descriptor.floating_point_range.empty()) {
    fault = outside(*number, descriptor.floating_point_range.front());
  }
  return fault.empty() ? fault : named(descriptor.name) + ": " + fault;
}

std::string NodeParameters::judge_all(std::vector<ParameterChange> & changes) const
{
  const std::lock_guard lock(mutex_);
  for (ParameterChange & change : changes) {
    const auto found = entries_.find(change.name);
    if (found == entries_.end()) {
      return named(change.name) + " has not been declared";
    }
    const ParameterDescriptor & descriptor = found->second.descriptor;
    if (descriptor.read_only) {
      return named(change.name) + " is read-only";
    }
    if (!change.value && !descriptor.dynamic_typing) {
      return named(change.name) + " has a static type, and cannot be deleted";
    }
    if (change.value) {
      if (std::string fault = judge(found->second, *change.value); !fault.empty()) {
        return fault;
      }
    }
  }
  return {};
}

// A callback may add or remove callbacks, also itself.
template <typename Function>
void NodeParameters::for_each_handle(Function function)
{
  const std::vector<Handle *> all = handles_;
  for (Handle * const one : all) {
    if (std::find(handles_.begin(), handles_.end(), one) != handles_.end()) {
      function(*one);
    }
  }
}

void NodeParameters::prepare(std::vector<Parameter> & values)
{
  const Judging judging(*this);
  for_each_handle([&](Handle & handle) {
    if (handle.pre_ && !values.empty()) {
      const PreSet callback = handle.pre_;
      callback(values);
    }
  });
}

SetParametersResult NodeParameters::ask(const std::vector<Parameter> & values)
{
  SetParametersResult result;
  result.successful = true;
  const Judging judging(*this);
  for_each_handle([&](Handle & handle) {
    if (handle.on_ && result.successful) {
      const OnSet callback = handle.on_;  // it may remove itself
      result = callback(values);
    }
  });
  return result;
}

void NodeParameters::tell(const std::vector<Parameter> & values)
{
  for_each_handle([&](Handle & handle) {
    if (handle.post_) {
      const PostSet callback = handle.post_;
      callback(values);
    }
  });
}

void NodeParameters::declare(
  const std::string & name, ParameterValue value, const ParameterDescriptor & descriptor)
{
  const std::lock_guard changing(changing_);
  must_not_judge();
  if (name.empty()) {
    throw Error(node_ + ": a parameter needs a name");
  }
  if (has(name)) {
    throw Error(named(name) + " has been declared already");
  }
  Entry entry{value, descriptor};
  entry.descriptor.name = name;
  entry.descriptor.type = type_of(value);
  if (const std::string fault = judge(entry, value); !fault.empty()) {
    throw Error(fault);
  }
  const std::vector<Parameter> fresh{Parameter(name, value)};
  if (const SetParametersResult asked = ask(fresh); !asked.successful) {
    throw Error(named(name) + " is refused: " + asked.reason);
  }
  {
    const std::lock_guard lock(mutex_);
    entries_.emplace(name, std::move(entry));
  }
  tell(fresh);
  if (follower_) {
    follower_(fresh, {}, {});
  }
}

void NodeParameters::undeclare(const std::string & name)
{
  const std::lock_guard changing(changing_);
  must_not_judge();
  std::vector<ParameterChange> end{{name, std::nullopt}};
  if (const std::string fault = judge_all(end); !fault.empty()) {
    throw Error(fault);
  }
  apply(end);
  if (follower_) {
    follower_({}, {}, {name});
  }
}

// A parameter that the list sets and deletes ends.
void NodeParameters::apply(const std::vector<ParameterChange> & changes)
{
  const std::lock_guard lock(mutex_);
  for (const ParameterChange & one : changes) {
    if (one.value) {
      Entry & entry = entries_.at(one.name);
      entry.value = *one.value;
      entry.descriptor.type = type_of(entry.value);
    }
  }
  for (const ParameterChange & one : changes) {
    if (!one.value) {
      entries_.erase(one.name);
    }
  }
}

SetParametersResult NodeParameters::set(const std::vector<ParameterChange> & changes)
{
  const std::lock_guard changing(changing_);
  must_not_judge();
  SetParametersResult result;
  result.successful = true;
  if (changes.empty()) {
    return result;
  }
  std::vector<Parameter> values = to_parameters(changes);
  prepare(values);
  if (values.empty()) {
    return refused(node_ + ": a pre-set callback left no parameter in the list to set");
  }
  std::vector<ParameterChange> all = to_changes(values);
  if (std::string fault = judge_all(all); !fault.empty()) {
    return refused(std::move(fault));
  }
  values = to_parameters(all);  // an integer may have become a double
  if (SetParametersResult asked = ask(values); !asked.successful) {
    return asked;
  }
  apply(all);
  tell(values);
  if (follower_) {
    std::vector<Parameter> changed;
    std::vector<std::string> deleted;
    for (const Parameter & one : values) {
      if (one.is_set()) {
        changed.push_back(one);
      } else if (std::find(deleted.begin(), deleted.end(), one.get_name()) == deleted.end()) {
        deleted.push_back(one.get_name());
      }
    }
    follower_({}, changed, deleted);
  }
  return result;
}

bool NodeParameters::has(const std::string & name) const
{
  const std::lock_guard lock(mutex_);
  return entries_.contains(name);
}

std::optional<ParameterValue> NodeParameters::find(const std::string & name) const
{
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  return found != entries_.end() ? std::optional(found->second.value) : std::nullopt;
}

std::optional<ParameterDescriptor> NodeParameters::describe(const std::string & name) const
{
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  return found != entries_.end() ? std::optional(found->second.descriptor) : std::nullopt;
}

ListParametersResult NodeParameters::list(
  const std::vector<std::string> & prefixes, std::uint64_t depth) const
{
  const auto shallow = [depth](std::string_view rest) {
    return depth == 0 ||
           static_cast<std::uint64_t>(std::count(rest.begin(), rest.end(), '.')) < depth;
  };
  const auto chosen = [&](std::string_view name) {
    return (prefixes.empty() && shallow(name)) ||
           std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string & prefix) {
             return name == prefix ||
                    (name.starts_with(prefix + ".") && shallow(name.substr(prefix.size() + 1)));
           });
  };
  ListParametersResult result;
  const std::lock_guard lock(mutex_);
  for (const auto & [name, entry] : entries_) {
    if (!chosen(name)) {
      continue;
    }
    result.names.push_back(name);
    const std::size_t dot = name.rfind('.');
    if (dot != std::string::npos) {
      const std::string prefix = name.substr(0, dot);
      auto & all = result.prefixes;
      if (std::find(all.begin(), all.end(), prefix) == all.end()) {
        all.push_back(prefix);
      }
    }
  }
  return result;
}

std::shared_ptr<NodeParameters::Handle> NodeParameters::add(std::shared_ptr<Handle> handle)
{
  const std::lock_guard changing(changing_);
  handles_.insert(handles_.begin(), handle.get());  // the latest is asked first, as in rclcpp
  return handle;
}

std::shared_ptr<NodeParameters::Handle> NodeParameters::add_pre_set(PreSet callback)
{
  const std::shared_ptr<Handle> handle(new Handle(weak_from_this()));
  handle->pre_ = std::move(callback);
  return add(handle);
}

std::shared_ptr<NodeParameters::Handle> NodeParameters::add_on_set(OnSet callback)
{
  const std::shared_ptr<Handle> handle(new Handle(weak_from_this()));
  handle->on_ = std::move(callback);
  return add(handle);
}

std::shared_ptr<NodeParameters::Handle> NodeParameters::add_post_set(PostSet callback)
{
  const std::shared_ptr<Handle> handle(new Handle(weak_from_this()));
  handle->post_ = std::move(callback);
  return add(handle);
}

void NodeParameters::remove(const Handle & handle)
{
  const std::lock_guard changing(changing_);
  std::erase(handles_, &handle);
}

void NodeParameters::follow(Follower follower)
{
  const std::lock_guard changing(changing_);
  follower_ = std::move(follower);
}

}  // namespace takt_rcl
