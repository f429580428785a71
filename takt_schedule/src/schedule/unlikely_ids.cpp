#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "ids/callback_id.hpp"
#include "takt_schedule/check.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/pattern.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_schedule
{
namespace
{

bool is_one_of(
  const std::vector<ListedCallback> & callbacks, std::string_view id, const Pattern & pattern)
{
  return std::any_of(callbacks.begin(), callbacks.end(), [&](const ListedCallback & one) {
    return one.id == id || pattern.match(one.id);
  });
}

/// The correct content of the brackets for a callback without a name in code; empty if it is
/// correct.
std::string meant(std::string_view kind, std::string_view what)
{
  if (what.empty()) {
    return {};
  }
  if (kind == "timer") {
    std::string tight{what};
    std::erase(tight, ' ');
    if (std::all_of(
          tight.begin(), tight.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
      tight += "ms";
    }
    return tight != what && parse_duration(tight).ok() ? tight : std::string();
  }
  const bool named = kind == "sub" || kind == "service" || kind == "client";
  return named && what.front() != '/' && what.front() != '*' && what.front() != '~'
           ? "/" + std::string(what)
           : std::string();
}

}  // namespace

takt_rt::Faults unlikely_ids(
  const Schedule & schedule, const std::vector<ListedCallback> & callbacks)
{
  takt_rt::Faults faults;
  const auto judge = [&](const std::string & text, const Source & source) {
    const std::string_view kind = detail::kind_word(text);
    const std::string_view what = detail::bracketed(text);
    const std::string right = meant(kind, what);
    const auto pattern = Pattern::compile(text);
    if (right.empty() || !pattern || is_one_of(callbacks, text, pattern.value())) {
      return;
    }
    const std::size_t open = text.find('(') + 1;
    const std::string id = text.substr(0, open) + right + text.substr(open + what.size());
    faults.push_back(located(
      schedule.file, source,
      quoted(text) + " is the id of no " + (kind == "timer" ? "timer" : "topic or service") +
        "; did you mean " + quoted(id) + "? If the code names this callback " + quoted(what) +
        ", check the schedule against its system model"));
  };
  for (const ExecutorSchedule & executor : schedule.executors) {
    for (const CallbackRule & rule : executor.callbacks) {
      for (const std::string & text : rule.match) {
        judge(text, rule.source);
      }
    }
  }
  for (const ChainSchedule & chain : schedule.chains) {
    for (const std::string & id : chain.options.path) {
      judge(id, chain.source);
    }
  }
  return faults;
}

}  // namespace takt_schedule
