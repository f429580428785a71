#include "alarms/alarm_text.hpp"

#include <cmath>
#include <cstdio>

#include "takt_rt/readable.hpp"

namespace takt_watch
{
namespace
{

using takt_rt::exactly;
using takt_rt::human;

std::string number(double value, int digits = 0)
{
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string percent(double share)
{
  return number(share * 100) + " %";
}

// A duration of the schedule.
std::string limit_text(double ns)
{
  return exactly(takt_rt::Duration(std::llround(ns)));
}

std::string count(double value, const char * one, const char * many)
{
  return number(value) + (value == 1 ? one : many);
}

std::string rate(double hz)
{
  return number(hz, hz < 10 ? 1 : 0) + " times a second";
}

std::string subject(const Alarm & alarm)
{
  return alarm.chain.empty() ? alarm.callback : "chain " + alarm.chain;
}

std::string who(const Cause & cause)
{
  std::string text;
  for (std::size_t i = 0; i < cause.who.size() && i < 3; ++i) {
    text += (i == 0 ? "" : ", ") + cause.who[i].name + " had " + percent(cause.who[i].share);
  }
  return text;
}

std::string longer(const Cause & cause)
{
  const std::string & of = cause.callback;
  if (cause.running) {
    return (of.empty() ? std::string("its run") : "the run of " + of) + " has not returned for " +
           human(*cause.running) + (cause.usual_run ? ", usually " + human(*cause.usual_run) : "");
  }
  return (of.empty() ? std::string("its runs take") : "the runs of " + of + " take") + " longer" +
         (cause.run ? ": " + human(*cause.run) : "") +
         (cause.usual_run ? ", usually " + human(*cause.usual_run) : "");
}

std::string why(const Alarm & alarm)
{
  if (!alarm.cause) {
    return "";
  }
  const Cause & cause = *alarm.cause;
  const std::string & of = cause.callback;  // the callback, if the alarm is about a chain
  if (cause.kind == Cause::Kind::runs_longer) {
    return ": " + longer(cause);
  }
  if (cause.kind == Cause::Kind::runs_too_long) {
    return (of.empty() ? std::string(": its runs take ") : ": the runs of " + of + " take ") +
           (cause.run ? human(*cause.run) : "longer") + ", and messages come " +
           rate(cause.arrival_rate);
  }
  if (cause.kind == Cause::Kind::publisher_faster) {
    std::string text =
      (of.empty() ? std::string(": messages come ") : ": messages for " + of + " come ") +
      rate(cause.arrival_rate);
    if (cause.usual_rate && cause.arrival_rate > 1.25 * *cause.usual_rate) {
      text += " instead of " + number(*cause.usual_rate, *cause.usual_rate < 10 ? 1 : 0);
    }
    if (cause.demand > 0.95) {
      text += ", and " + (of.empty() ? std::string("the callback") : of) + " needs " +
              percent(cause.demand) + " of a core for that";
    }
    return text;
  }
  const std::string had = who(cause);
  return ": " + (of.empty() ? std::string("the callback") : of) + " got too little processor time" +
         (had.empty() ? "" : "; " + had);
}

std::string silence(const Alarm & alarm)
{
  if (!alarm.silent || !alarm.deadline) {
    return "";
  }
  return "an activation has not ended after " + human(*alarm.silent) + ", deadline " +
         exactly(*alarm.deadline) + "; ";
}

// With all digits where three of them are those of the limit.
std::string above(const Alarm & alarm)
{
  const std::string text = human(alarm.value);
  return text == human(alarm.limit) ? limit_text(alarm.value) : text;
}

std::string what(const Alarm & alarm)
{
  switch (alarm.kind) {
    case AlarmKind::backlog:
      return count(alarm.value, " message waits for it", " messages wait for it") + " (limit " +
             number(alarm.limit) + ")";
    case AlarmKind::age:
      return "its oldest message waits for " + above(alarm) + " (limit " + limit_text(alarm.limit) +
             ")";
    case AlarmKind::rate:
      return number(alarm.value, 2) + " messages come for each that it takes (limit " +
             number(alarm.limit, 2) + ")";
    case AlarmKind::lost:
      return count(alarm.value, " message was lost", " messages were lost");
    case AlarmKind::deadline:
      return silence(alarm) + count(alarm.value, " response", " responses") +
             " missed the deadline" +
             (alarm.limit > 0 ? " (limit " + number(alarm.limit) + ")" : "") +
             (alarm.from_arrival ? ", from the arrival in this process" : "");
    case AlarmKind::overrun:
      return "a run took " + above(alarm) + " (budget " + limit_text(alarm.limit) + ")";
    case AlarmKind::stall:
      return "a run goes on for " + above(alarm) + " (limit " + limit_text(alarm.limit) +
             ") on thread " + alarm.thread;
    case AlarmKind::skipped:
      return count(alarm.value, " period was skipped", " periods were skipped");
    case AlarmKind::guard:
      return "the guard noted " + count(alarm.value, " event", " events") +
             " that real-time code should not have";
  }
  return "";
}

std::string about(AlarmKind kind)
{
  switch (kind) {
    case AlarmKind::backlog:
      return "few messages wait for it again";
    case AlarmKind::age:
      return "its messages are young again";
    case AlarmKind::rate:
      return "it takes as many messages as come again";
    case AlarmKind::lost:
      return "it loses no messages any more";
    case AlarmKind::deadline:
      return "it meets its deadline again";
    case AlarmKind::overrun:
      return "its runs keep to their budget again";
    case AlarmKind::stall:
      return "the long run is over";
    case AlarmKind::skipped:
      return "it skips no periods any more";
    case AlarmKind::guard:
      return "the guard notes nothing of it any more";
  }
  return "";
}

}  // namespace

std::string alarm_text(const Alarm & alarm)
{
  return subject(alarm) + ": " + what(alarm) + why(alarm);
}

std::string cleared_text(const Alarm & alarm)
{
  return subject(alarm) + ": " + about(alarm.kind);
}

std::string unwatched_text(const Alarm & alarm)
{
  return subject(alarm) + ": the schedule has another limit for it now, or none";
}

std::string vanished_text(const Alarm & alarm)
{
  return subject(alarm) + " is there no longer";
}

}  // namespace takt_watch
