#include "set_request.hpp"

#include <cstddef>

#include "takt_control/json_fields.hpp"
#include "takt_core/adapter/callback_ids.hpp"

namespace takt_control
{
namespace
{

using nlohmann::json;
using Object = SetRequest::Object;
using Value = SetRequest::Value;

constexpr std::size_t kMostThreads = 64;
constexpr int kMostPriority = 255;  // of chains and callbacks

std::vector<std::string> names_in(const json & value)
{
  if (!value.is_array() || value.empty() || value.size() > kMostThreads) {
    throw BadField{"'threads' must be a list of one name or more"};
  }
  std::vector<std::string> names;
  for (const json & name : value) {
    if (!name.is_string()) {
      throw BadField{"'threads' must be a list of names"};
    }
    names.push_back(name.get<std::string>());
  }
  return names;
}

bool is_for(Object object, Value value)
{
  return value == Value::priority ||
         (object == Object::callback ? value == Value::threads
                                     : object == Object::thread && value == Value::nice);
}

Object object_of(const json & request)
{
  const bool chain = request.contains("chain");
  const bool callback = request.contains("callback");
  if (chain + callback + request.contains("thread") != 1) {
    throw BadField{"the request must name one of 'chain', 'callback' and 'thread'"};
  }
  return chain ? Object::chain : callback ? Object::callback : Object::thread;
}

Value value_of(const json & request, Object object)
{
  const bool priority = request.contains("priority");
  const bool threads = request.contains("threads");
  if (priority + threads + request.contains("nice") != 1) {
    throw BadField{"the request must have one of 'priority', 'threads' and 'nice'"};
  }
  const Value value = priority ? Value::priority : threads ? Value::threads : Value::nice;
  if (!is_for(object, value)) {
    throw BadField{
      "a chain has a priority, a callback a priority or threads, and a thread a priority or a "
      "nice level"};
  }
  return value;
}

SetRequest read(const json & request)
{
  SetRequest result;
  result.object = object_of(request);
  result.value = value_of(request, result.object);
  constexpr const char * const kKeys[] = {"chain", "callback", "thread"};
  result.name = text_of(request, kKeys[static_cast<int>(result.object)]);
  if (result.object == Object::callback) {
    result.name = takt_core::adapter::normal_id(result.name);
  }
  if (const auto executor = request.find("executor");
      executor != request.end() && !executor->is_null()) {
    result.executor = text_of(request, "executor");
  }
  result.check_only = flag_of(request, "check_only");
  if (result.value == Value::threads) {
    result.threads = names_in(request["threads"]);
    return result;
  }
  const char * const key = result.value == Value::nice ? "nice" : "priority";
  // A callback's priority may be null: then it takes its chains' priority.
  result.number = result.object == Object::callback ? optional_number<int>(request, key)
                                                    : required_number<int>(request, key);
  const bool of_thread = result.object == Object::thread;
  if (!of_thread && result.number && (*result.number < 0 || *result.number > kMostPriority)) {
    throw BadField{"priority " + std::to_string(*result.number) + " is out of range; use 0 to 255"};
  }
  return result;
}

}  // namespace

takt_rt::Result<SetRequest> read_set_request(const std::string & payload)
{
  try {
    return read(request_object(payload));
  } catch (const BadField & bad) {
    return takt_rt::Faults{"the request to set something is wrong: " + bad.what};
  }
}

}  // namespace takt_control
