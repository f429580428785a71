// Finds the rule of a list that decides for an id.
#ifndef TAKT_SCHEDULE__SRC__RULE_TABLE_HPP_
#define TAKT_SCHEDULE__SRC__RULE_TABLE_HPP_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "takt_schedule/pattern.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

class RuleTable
{
public:
  /// Leaves out patterns that do not compile: parsing has refused them. `names`: matches OS thread
  /// names instead of ids.
  template <typename Rule>
  explicit RuleTable(const std::vector<Rule> & rules, bool names = false)
  {
    for (std::size_t i = 0; i < rules.size(); ++i) {
      for (const std::string & text : rules[i].match) {
        add(i, text, rules[i].source, names);
      }
    }
  }

  /// One pattern of one rule.
  struct Row
  {
    std::size_t rule;
    Pattern pattern;
    Source source;
  };

  /// Rows by index: the most specific match, another rule's equally specific one, and all matches.
  struct Best
  {
    std::optional<std::size_t> row;
    std::optional<std::size_t> tie;
    std::vector<std::size_t> matches;
  };

  /// Tries each pattern with stars; looks up exact ids.
  Best find(std::string_view id) const;
  const std::vector<Row> & rows() const { return rows_; }

  /// "'/a:b(c)' is matched equally by '...' (line 3) and '...' (line 5); ...".
  std::string describe_tie(std::string_view id, const Best & best) const;

private:
  void add(std::size_t rule, std::string_view text, const Source & source, bool names);
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::vector<std::size_t>> exact_;  // rows by id
  std::vector<std::size_t> patterns_;                                // rows with stars
};

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__RULE_TABLE_HPP_
