#include "takt_schedule/reader/format_version.hpp"

#include <string>

#include "takt_schedule/reader/text.hpp"

namespace takt_schedule
{

bool check_version(MapReader & map, Findings & findings, int known)
{
  if (!map.has("version")) {
    findings.fault(map.at(), "no format version; add 'version: " + std::to_string(known) + "'");
    return true;
  }
  const auto word = map.scalar("version", "a number");
  if (word && word->text != std::to_string(known)) {
    findings.fault(
      word->at, "format version " + quoted(word->text) + " is unknown; this takt reads " +
                  std::to_string(known));
    return false;
  }
  return true;
}

}  // namespace takt_schedule
