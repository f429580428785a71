#include "parts_reply.hpp"

#include <iterator>
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

void append(std::vector<AppliedPart> & all, std::vector<AppliedPart> parts)
{
  all.insert(
    all.end(), std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
}

}  // namespace takt_control
