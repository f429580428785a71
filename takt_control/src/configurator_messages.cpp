#include "takt_control/configurator_messages.hpp"

#include <utility>

#include "message_words.hpp"
#include "takt_control/frame.hpp"
#include "takt_control/json_fields.hpp"
#include "takt_core/names.hpp"

namespace takt_control
{
namespace
{

using nlohmann::json;
using takt_rt::MissingRight;
using takt_rt::Refusal;
using takt_rt::RefusedAttribute;
using takt_rt::ThreadAttributes;

constexpr std::size_t kMostCores = 4096;
constexpr std::size_t kMostRefusals = 16;

json to_json(const ThreadAttributes & attributes)
{
  json out = {{"policy", to_string(attributes.policy)}};
  if (attributes.priority != 0) {
    out["priority"] = attributes.priority;
  }
  if (attributes.nice) {
    out["nice"] = *attributes.nice;
  }
  for (const auto & [key, value] :
       {std::pair{"runtime", attributes.runtime}, std::pair{"deadline", attributes.deadline},
        std::pair{"period", attributes.period}}) {
    if (value != takt_rt::Duration{}) {
      out[key] = value.count();  // nanoseconds
    }
  }
  if (!attributes.cores.empty()) {
    out["cores"] = attributes.cores;
  }
  return out;
}

const json & object_in(const json & object, const char * key)
{
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object()) {
    throw BadField{std::string("'") + key + "' must be an object"};
  }
  return *found;
}

ThreadAttributes to_attributes(const json & object)
{
  ThreadAttributes attributes;
  const std::string policy = text_of(object, "policy");
  const auto known = takt_core::from_string<takt_rt::Policy>(policy);
  if (!known) {
    throw BadField{"'policy' must be the name of a policy"};
  }
  attributes.policy = *known;
  attributes.priority = optional_number<int>(object, "priority").value_or(0);
  attributes.nice = optional_number<int>(object, "nice");
  const auto duration = [&](const char * key) {
    return takt_rt::Duration{optional_number<std::int64_t>(object, key).value_or(0)};
  };
  attributes.runtime = duration("runtime");
  attributes.deadline = duration("deadline");
  attributes.period = duration("period");
  attributes.cores = numbers_of(object, "cores", kMostCores);
  return attributes;
}

json to_json(const Refusal & refusal)
{
  json out = {
    {"attribute", word_of<RefusedAttribute>(refusal.attribute, kAttributes)},
    {"right", word_of<MissingRight>(refusal.right, kRights)},
    {"error", refusal.error},
    {"asked", to_json(refusal.asked)},
    {"granted", to_json(refusal.granted)},
  };
  if (refusal.limit) {
    out["limit"] = *refusal.limit;
  }
  if (refusal.limit_of) {
    out["limit_of"] = *refusal.limit_of;
  }
  if (!refusal.online.empty()) {
    out["online"] = refusal.online;
  }
  if (!refusal.detail.empty()) {
    out["detail"] = refusal.detail;
  }
  return out;
}

Refusal to_refusal(const json & object)
{
  if (!object.is_object()) {
    throw BadField{"a refusal must be an object"};
  }
  Refusal refusal;
  refusal.attribute =
    value_of<RefusedAttribute>(text_of(object, "attribute"), kAttributes, RefusedAttribute::policy);
  refusal.right = value_of<MissingRight>(text_of(object, "right"), kRights, MissingRight::unknown);
  refusal.error = optional_number<int>(object, "error").value_or(0);
  refusal.asked = to_attributes(object_in(object, "asked"));
  refusal.granted = to_attributes(object_in(object, "granted"));
  refusal.limit = optional_number<std::int64_t>(object, "limit");
  refusal.limit_of = optional_number<std::int64_t>(object, "limit_of");
  refusal.online = text_of(object, "online");
  refusal.detail = text_of(object, "detail");
  return refusal;
}

/// Replaces bytes that are not UTF-8.
std::string dump(const json & value)
{
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Applies `read` to the payload's object; turns any exception into a fault.
template <typename Read>
auto read_object(std::string_view payload, const Read & read)
  -> takt_rt::Result<decltype(read(json{}))>
{
  try {
    const json object = json::parse(payload, nullptr, false);
    if (!object.is_object()) {
      return takt_rt::Faults{"the payload is not a JSON object"};
    }
    return read(object);
  } catch (const BadField & bad) {
    return takt_rt::Faults{bad.what};
  } catch (const std::exception & error) {
    return takt_rt::Faults{std::string("the payload cannot be read: ") + error.what()};
  }
}

}  // namespace

std::string to_payload(const AttributeRequest & request)
{
  return dump(
    {{"id", request.id}, {"tid", request.tid}, {"attributes", to_json(request.attributes)}});
}

std::string to_payload(const LimitRequest & request)
{
  return dump({{"id", request.id}, {"priority", request.priority}});
}

std::string to_payload(const Answer & answer)
{
  json refusals = json::array();
  for (std::size_t i = 0; i < answer.refusals.size() && i < kMostRefusals; ++i) {
    refusals.push_back(to_json(answer.refusals[i]));
  }
  json out = {{"id", answer.id}, {"refusals", std::move(refusals)}};
  if (!answer.error.empty()) {
    out["error"] = answer.error;
  }
  std::string text = dump(out);
  if (text.size() > kMostPayload) {
    text = dump({{"id", answer.id}, {"error", "the answer is too long for a frame"}});
  }
  return text;
}

takt_rt::Result<AttributeRequest> read_attribute_request(std::string_view payload)
{
  return read_object(payload, [](const json & object) {
    AttributeRequest request;
    request.id = required_number<std::uint64_t>(object, "id");
    request.tid = required_number<pid_t>(object, "tid");
    request.attributes = to_attributes(object_in(object, "attributes"));
    return request;
  });
}

takt_rt::Result<LimitRequest> read_limit_request(std::string_view payload)
{
  return read_object(payload, [](const json & object) {
    LimitRequest request;
    request.id = required_number<std::uint64_t>(object, "id");
    request.priority = required_number<int>(object, "priority");
    return request;
  });
}

takt_rt::Result<Answer> read_answer(std::string_view payload)
{
  return read_object(payload, [](const json & object) {
    Answer answer;
    answer.id = required_number<std::uint64_t>(object, "id");
    answer.error = text_of(object, "error");
    if (const auto found = object.find("refusals"); found != object.end()) {
      if (!found->is_array() || found->size() > kMostRefusals) {
        throw BadField{"'refusals' must be a list"};
      }
      for (const json & one : *found) {
        answer.refusals.push_back(to_refusal(one));
      }
    }
    return answer;
  });
}

}  // namespace takt_control
