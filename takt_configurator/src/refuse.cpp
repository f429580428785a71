#include "refuse.hpp"

namespace takt_configurator
{

using takt_core::Policy;
using takt_core::ThreadAttributes;

std::string joined(const takt_core::Faults & faults)
{
  std::string text;
  for (const std::string & sentence : sentences(faults)) {
    text += (text.empty() ? "" : "; ") + sentence;
  }
  return text;
}

std::string shown(const ThreadAttributes & asked)
{
  std::string text;
  if (asked.policy != Policy::inherit || asked.nice) {
    text = format_policy(asked);
  }
  if (!asked.cores.empty()) {
    text += (text.empty() ? "cores " : ", cores ") + takt_core::format_cores(asked.cores);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace takt_configurator
