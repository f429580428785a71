#include "chain_ids.hpp"

#include <algorithm>
#include <string_view>

#include "callback_id.hpp"
#include "text.hpp"

namespace takt_schedule::detail
{

ChainIds::ChainIds(const Schedule & schedule, const ExecutorSchedule & executor)
: file_(schedule.file),
  chains_(schedule.chains)
{
  for (const ExecutorSchedule & one : schedule.executors) {
    const bool own = one.name == executor.name;
    alone_ = alone_ && own;
    for (const CallbackRule & rule : one.callbacks) {
      for (const std::string & text : rule.match) {
        const std::string_view node = node_of(text);
        if (node.find('*') == std::string_view::npos) {
          (own ? own_nodes_ : other_nodes_).emplace(node);
        }
      }
    }
  }
}

std::vector<std::string> ChainIds::unmatched(const std::vector<std::string> & here) const
{
  Nodes present;
  for (const std::string & id : here) {
    present.emplace(node_of(id));
  }
  const auto must_be_here = [&](std::string_view id) {
    const std::string_view node = node_of(id);
    return alone_ || present.contains(node) ||
           (own_nodes_.contains(node) && !other_nodes_.contains(node));
  };
  std::vector<std::string> result;
  for (const ChainSchedule & chain : chains_) {
    for (std::size_t i = 0; i < chain.options.path.size(); ++i) {
      const std::string & id = chain.options.path[i];
      if (!must_be_here(id) || std::find(here.begin(), here.end(), id) != here.end()) {
        continue;
      }
      const Source & at = i < chain.path_sources.size() ? chain.path_sources[i] : chain.source;
      const std::string best = closest(id, here);
      result.push_back(located(
        file_, at,
        "chain " + quoted(chain.options.name) + ": " + quoted(id) + " matches no callback" +
          (best.empty() ? std::string() : "; did you mean " + quoted(best) + "?")));
    }
  }
  return result;
}

}  // namespace takt_schedule::detail
