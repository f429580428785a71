// The request `set`: one change in all executors of the process that have its object, or in none.
#include <vector>

#include "requests.hpp"
#include "set_request.hpp"
#include "setting.hpp"

namespace takt_control
{
namespace
{

using nlohmann::json;
using takt_rt::Faults;

json document_of(const std::vector<Setting> & settings)
{
  json changed = json::array();
  for (const Setting & setting : settings) {
    for (json & one : setting.document()) {
      changed.push_back(std::move(one));
    }
  }
  return {{"changed", std::move(changed)}};
}

void append(Faults & to, const Faults & more)
{
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

Reply Requests::set(const std::string & payload)
{
  const auto request = read_set_request(payload);
  if (!request) {
    return error_reply(sentences(request.faults()));
  }
  std::vector<Setting> settings;
  Faults faults;
  for (const ExposedExecutor & one : executors_) {
    auto setting = Setting::plan(*request, one);
    append(faults, setting.faults());
    if (setting.ok() && *setting) {
      settings.push_back(std::move(**setting));
      append(faults, settings.back().check());
    }
  }
  if (!faults.empty()) {
    return error_reply(sentences(faults));
  }
  if (request->check_only) {
    return result_reply(document_of(settings));
  }
  std::vector<takt_core::Executor *> first;  // executors that nothing had changed before
  for (auto setting = settings.begin(); setting != settings.end(); ++setting) {
    takt_core::Executor & executor = setting->executor();
    if (!before_.contains(&executor)) {
      before_.emplace(&executor, executor.configuration());
      first.push_back(&executor);
    }
    if (faults = setting->carry_out(); faults.empty()) {
      continue;
    }
    while (setting != settings.begin()) {
      (--setting)->take_back();
    }
    for (const takt_core::Executor * const one : first) {
      before_.erase(one);
    }
    return error_reply(sentences(faults));
  }
  for (const Setting & setting : settings) {
    set_values_.note(setting.executor(), setting.document());
  }
  return result_reply(document_of(settings));
}

}  // namespace takt_control
