#include "schedule/rule_table.hpp"

#include <algorithm>

#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{

void RuleTable::add(std::size_t rule, std::string_view text, const Source & source, bool names)
{
  auto pattern = names ? Pattern::compile_name(text) : Pattern::compile(text);
  if (pattern) {
    if (pattern->exact()) {
      exact_[std::string(text)].push_back(rows_.size());
    } else {
      patterns_.push_back(rows_.size());
    }
    rows_.push_back({rule, std::move(pattern.value()), source});
  }
}

RuleTable::Best RuleTable::find(std::string_view id) const
{
  Best best;
  if (const auto exact = exact_.find(std::string(id)); exact != exact_.end()) {
    best.matches = exact->second;
  }
  for (const std::size_t i : patterns_) {
    if (rows_[i].pattern.match(id)) {
      best.matches.push_back(i);
    }
  }
  std::sort(best.matches.begin(), best.matches.end());
  for (const std::size_t i : best.matches) {
    const Row & row = rows_[i];
    if (!best.row || row.pattern.specificity() > rows_[*best.row].pattern.specificity()) {
      best.row = i;
      best.tie.reset();
    } else if (
      row.pattern.specificity() == rows_[*best.row].pattern.specificity() &&
      row.rule != rows_[*best.row].rule && !best.tie) {
      best.tie = i;
    }
  }
  return best;
}

std::string RuleTable::describe_tie(std::string_view id, const Best & best) const
{
  const Row & one = rows_[*best.row];
  const Row & other = rows_[*best.tie];
  return quoted(id) + " is matched equally well by " + quoted(one.pattern.text()) + " (line " +
         std::to_string(one.source.line) + ") and " + quoted(other.pattern.text()) + " (line " +
         std::to_string(other.source.line) + "); make one of them more specific";
}

}  // namespace takt_schedule::detail
