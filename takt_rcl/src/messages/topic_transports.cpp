#include "messages/topic_transports.hpp"

#include <string>
#include <utility>

#include "takt_rcl/error.hpp"
#include "takt_rt/environment.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rcl
{

takt_rt::Faults TopicTransports::add(const takt_schedule::Schedule & schedule)
{
  takt_schedule::TopicRules rules(schedule);
  const std::lock_guard lock(mutex_);
  std::erase_if(by_middleware_, [](const auto & one) { return one.expired(); });
  for (const auto & weak : by_middleware_) {
    const auto topic = weak.lock();
    if (topic == nullptr) {
      continue;
    }
    const auto rule = rules.find(*topic);
    if (!rule) {
      return rule.faults();
    }
    if (
      rule.value() != nullptr &&
      rule.value()->transport == takt_schedule::TopicTransport::shared_memory) {
      return {takt_schedule::located(
        schedule.file, rule.value()->source,
        "topic '" + *topic +
          "' has transport: shared_memory, and the program made a publisher or a subscription of "
          "it "
          "before it had the schedule; make the executor before the nodes, or name the file in "
          "TAKT_SCHEDULE")};
    }
  }
  std::erase_if(added_, [&](const Added & one) { return one.file == schedule.file; });
  if (!rules.empty()) {
    added_.insert(added_.begin(), Added{schedule.file, std::move(rules)});
  }
  return {};
}

takt_rt::Faults TopicTransports::add_of_process()
{
  const std::string file = takt_rt::variable("TAKT_SCHEDULE");
  if (file.empty()) {
    return {};
  }
  takt_schedule::Machine machine;
  machine.executor = takt_rt::variable("TAKT_EXECUTOR");
  const auto schedule = takt_schedule::load_schedule(file, machine);
  return schedule ? add(schedule.value()) : takt_rt::Faults{};
}

bool TopicTransports::empty() const
{
  const std::lock_guard lock(mutex_);
  return added_.empty();
}

TopicTransports::Choice TopicTransports::choose(
  const std::string & topic, const Choice & options) const
{
  const std::lock_guard lock(mutex_);
  for (const Added & one : added_) {
    const auto rule = one.rules.find(topic);
    detail::throw_schedule_faults("cannot use the schedule", rule.faults());
    if (rule.value() != nullptr) {
      const bool shared = rule.value()->transport == takt_schedule::TopicTransport::shared_memory;
      return {shared ? Transport::shared_memory : Transport::middleware, rule.value()->copy_period};
    }
  }
  return options;
}

std::shared_ptr<const std::string> TopicTransports::note(const std::string & topic)
{
  auto noted = std::make_shared<const std::string>(topic);
  const std::lock_guard lock(mutex_);
  std::erase_if(by_middleware_, [](const auto & one) { return one.expired(); });
  by_middleware_.push_back(noted);
  return noted;
}

}  // namespace takt_rcl
