#include "takt_schedule/topic_rules.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "schedule/rule_table.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule
{

struct TopicRules::Impl
{
  explicit Impl(const Schedule & schedule)
  : file(schedule.file),
    rules(schedule.topics),
    table(rules)
  {
  }

  const std::string file;
  const std::vector<TopicRule> rules;
  const detail::RuleTable table;
};

std::string_view to_string(TopicTransport transport) noexcept
{
  return transport == TopicTransport::shared_memory ? "shared_memory" : "middleware";
}

TopicRules::TopicRules(const Schedule & schedule) : impl_(std::make_unique<Impl>(schedule))
{
}
TopicRules::TopicRules(TopicRules &&) noexcept = default;
TopicRules & TopicRules::operator=(TopicRules &&) noexcept = default;
TopicRules::~TopicRules() = default;

bool TopicRules::empty() const noexcept
{
  return impl_->rules.empty();
}

takt_rt::Result<const TopicRule *> TopicRules::find(std::string_view topic) const
{
  const auto & rows = impl_->table.rows();
  const auto best = impl_->table.find(topic);
  if (best.tie) {
    return takt_rt::Faults{located(
      impl_->file, rows[*best.tie].source, "topic " + impl_->table.describe_tie(topic, best))};
  }
  return best.row ? &impl_->rules[rows[*best.row].rule] : nullptr;
}

takt_rt::Faults refuse_shared_memory(const Schedule & schedule)
{
  const auto rule = std::find_if(
    schedule.topics.begin(), schedule.topics.end(),
    [](const TopicRule & one) { return one.transport == TopicTransport::shared_memory; });
  if (rule == schedule.topics.end()) {
    return {};
  }
  return {located(
    schedule.file, rule->source,
    "topic " + quoted(rule->match.front()) +
      " has transport: shared_memory, and takt does not replace the publishers of rclcpp; omit it, "
      "or write the nodes with takt_rcl")};
}

}  // namespace takt_schedule
