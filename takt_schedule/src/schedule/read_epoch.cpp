#include <string>

#include "schedule/read_executor.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{

void read_epoch(MapReader & map, Findings & findings, EpochSchedule & epoch)
{
  const YamlNode * const node = map.find("epoch");
  if (node == nullptr || !node->is_map()) {
    map.choice("epoch", epoch.from);
    return;
  }
  epoch = {takt_core::Epoch::tai, {}};
  MapReader of(findings, *node, "epoch", {"clock", "uncertainty"});
  if (const auto clock = of.require("clock", "tai") ? of.scalar("clock", "tai") : std::nullopt;
      clock && clock->text != "tai") {
    findings.fault(
      clock->at, "clock cannot be " + quoted(clock->text) +
                   "; tai is the one that several hosts have in common, and epoch: host the one "
                   "of a single host");
  }
  of.duration("uncertainty", false, epoch.uncertainty);
  if (!of.has("uncertainty")) {
    findings.warn(
      node->at,
      "bounds take the clocks of all hosts for equal; say how far they may be off, as in "
      "{clock: tai, uncertainty: 100us}");
  }
}

}  // namespace takt_schedule::detail
