#include "ids/chain_ids.hpp"

#include <unordered_set>

#include "ids/callback_id.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{

ChainIds::ChainIds(const Schedule & schedule)
: file_(schedule.file),
  chains_(schedule.chains),
  alone_(schedule.executors.size() == 1)
{
  for (const ExecutorSchedule & one : schedule.executors) {
    for (const CallbackRule & rule : one.callbacks) {
      for (const std::string & text : rule.match) {
        const std::string_view node = node_of(text);
        if (node.find('*') != std::string_view::npos) {
          continue;
        }
        const auto [owner, fresh] = owners_.try_emplace(std::string(node), one.name);
        if (!fresh && owner->second != one.name) {
          owner->second.clear();
        }
      }
    }
  }
}

takt_rt::Faults ChainIds::unmatched(
  const std::vector<std::string> & here, std::string_view executor, const Awaited & awaited,
  std::size_t * left_out) const
{
  std::unordered_set<std::string_view> present;
  for (const std::string & id : here) {
    present.insert(node_of(id));
  }
  const auto must_be_here = [&](std::string_view id) {
    const std::string_view node = node_of(id);
    const auto owner = owners_.find(node);
    return alone_ || present.contains(node) ||
           (owner != owners_.end() && owner->second == executor);
  };
  const std::unordered_set<std::string_view> known(here.begin(), here.end());
  takt_rt::Faults result;
  Guesses guesses;
  for (const ChainSchedule & chain : chains_) {
    for (std::size_t i = 0; i < chain.options.path.size(); ++i) {
      const std::string & id = chain.options.path[i];
      if (known.contains(id) || !must_be_here(id)) {
        continue;
      }
      if (awaited && awaited(id)) {
        if (left_out != nullptr) {
          ++*left_out;
        }
        continue;
      }
      const Source & at = i < chain.path_sources.size() ? chain.path_sources[i] : chain.source;
      const std::string best = guesses.closest(id, here);
      result.push_back(located(
        file_, at,
        {takt_rt::FaultKind::unmatched,
         "chain " + quoted(chain.options.name) + ": " + quoted(id) + " matches no callback" +
           (best.empty() ? std::string() : "; did you mean " + quoted(best) + "?")}));
    }
  }
  return result;
}

}  // namespace takt_schedule::detail
