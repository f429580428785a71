#include "rule_table.hpp"

#include "text.hpp"

namespace takt_schedule::detail
{

void RuleTable::add(std::size_t rule, std::string_view text, const Source & source, bool names)
{
  auto pattern = names ? Pattern::compile_name(text) : Pattern::compile(text);
  if (pattern) {
    rows_.push_back({rule, std::move(pattern.value()), source});
  }
}

RuleTable::Best RuleTable::find(std::string_view id) const
{
  Best best;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row & row = rows_[i];
    if (!row.pattern.match(id)) {
      continue;
    }
    best.matches.push_back(i);
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
