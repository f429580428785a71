#include "parts_reply.hpp"

#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace takt_control
{

using nlohmann::json;
using takt_schedule::AppliedPart;

json parts_json(const PartsByExecutor & executors)
{
  json all = json::array();
  for (const auto & [name, parts] : executors) {
    json own = json::array();
    for (const AppliedPart & part : parts) {
      own.push_back({{"what", part.what}, {"outcome", to_string(part.outcome)}, {"why", part.why}});
    }
    all.push_back({{"name", name}, {"parts", std::move(own)}});
  }
  return all;
}

void keep_unmatched_by_all(std::vector<AppliedPart> & parts, std::size_t executors)
{
  // Each executor may add another guess.
  const auto rule = [](const AppliedPart & part) {
    return part.what == "rule" ? part.why.substr(0, part.why.find(" matches no ")) : std::string();
  };
  std::map<std::string, std::size_t> count;
  for (const AppliedPart & part : parts) {
    ++count[rule(part)];
  }
  std::erase_if(parts, [&](const AppliedPart & part) {
    const std::string place = rule(part);
    return !place.empty() && std::exchange(count[place], 0) != executors;
  });
}

void append(std::vector<AppliedPart> & all, std::vector<AppliedPart> parts)
{
  all.insert(
    all.end(), std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
}

}  // namespace takt_control
