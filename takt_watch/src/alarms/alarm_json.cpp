#include "alarms/alarm_json.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "takt_rt/json_values.hpp"

namespace takt_watch
{
namespace
{

using nlohmann::json;
using takt_rt::or_null;
using takt_schedule::AlarmAction;

json text_or_null(const std::string & text)
{
  return text.empty() ? json(nullptr) : json(text);
}

const char * name_of(Cause::Kind kind)
{
  switch (kind) {
    case Cause::Kind::publisher_faster:
      return "publisher_faster";
    case Cause::Kind::too_little_processor_time:
      return "too_little_processor_time";
    case Cause::Kind::runs_longer:
      return "runs_longer";
    case Cause::Kind::runs_too_long:
      return "runs_too_long";
  }
  return "";
}

json cause_json(const Cause & cause)
{
  json who = json::array();
  for (const Cause::Share & one : cause.who) {
    who.push_back({{"name", one.name}, {"share", one.share}});
  }
  return {
    {"kind", name_of(cause.kind)},
    {"callback", text_or_null(cause.callback)},
    {"run_ns", or_null<json>(cause.run)},
    {"usual_run_ns", or_null<json>(cause.usual_run)},
    {"running_ns", or_null<json>(cause.running)},
    {"arrival_rate_hz", cause.arrival_rate},
    {"usual_rate_hz", or_null<json>(cause.usual_rate)},
    {"demand", cause.demand},
    {"who", std::move(who)}};
}

// The value as JSON: a number, a truth value or a list, if the schedule's author wrote one; else a
// text.
json parameter_value(const std::string & yaml)
{
  json value = json::parse(yaml, nullptr, false);
  return value.is_discarded() ? json(yaml) : value;
}

json action_json(const AlarmAction & action)
{
  switch (action.kind) {
    case AlarmAction::Kind::log:
      return {{"log", true}};
    case AlarmAction::Kind::publish:
      return {{"publish", true}};
    case AlarmAction::Kind::snapshot:
      return {{"snapshot", true}};
    case AlarmAction::Kind::ask:
      return {{"ask", true}};
    case AlarmAction::Kind::run:
      return {{"run", action.words}};
    case AlarmAction::Kind::set_parameter:
      return {
        {"set_parameter",
         {{"node", action.name},
          {"name", action.words.empty() ? std::string() : action.words.front()},
          {"value", parameter_value(action.value)}}}};
    case AlarmAction::Kind::priority:
      return {{"priority", action.number}};
    case AlarmAction::Kind::threads:
      return {{"threads", action.words}};
    case AlarmAction::Kind::thread_priority:
      return {{"thread", {{"name", action.name}, {"priority", action.number}}}};
    case AlarmAction::Kind::thread_nice:
      return {{"thread", {{"name", action.name}, {"nice", action.number}}}};
  }
  throw std::logic_error("an action of no kind");
}

}  // namespace

std::string alarm_json(const Alarm & alarm, std::uint64_t sequence, const ProcessFacts & process)
{
  json actions = json::array();
  for (const AlarmAction & action : alarm.actions) {
    actions.push_back(action_json(action));
  }
  const std::int64_t time = takt_rt::to_ns(alarm.time);
  const json all{
    {"schema", 1},
    {"sequence", sequence},
    {"time_ns", time},
    {"realtime_ns", time + process.to_realtime},
    {"pid", process.pid},
    {"program", process.program},
    {"host", process.host},
    {"executor", alarm.executor},
    {"callback", text_or_null(alarm.callback)},
    {"chain", text_or_null(alarm.chain)},
    {"thread", text_or_null(alarm.thread)},
    {"kind", to_string(alarm.kind)},
    {"state", alarm.raised ? "raised" : "cleared"},
    {"level", alarm.error ? "error" : "warn"},
    {"value", alarm.value},
    {"limit", alarm.limit},
    {"unit", alarm.unit},
    {"cause", alarm.cause ? cause_json(*alarm.cause) : json(nullptr)},
    {"silent_ns", or_null<json>(alarm.silent)},
    {"deadline_ns", or_null<json>(alarm.deadline)},
    {"from_arrival", alarm.from_arrival},
    {"stack", alarm.stack.empty() ? json(nullptr) : json(alarm.stack)},
    {"text", alarm.text},
    {"actions", std::move(actions)},
    {"fail_safe", alarm.fail_safe}};
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace takt_watch
