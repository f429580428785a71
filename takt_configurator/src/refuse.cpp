#include "refuse.hpp"

namespace takt_configurator
{

using takt_rt::Policy;
using takt_rt::ThreadAttributes;

std::string joined(const takt_rt::Faults & faults)
{
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < faults.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : "; ") + to_string(faults[i]);
  }
  return text + (faults.size() > kMost ? "; and more" : "");
}

std::string shown(const ThreadAttributes & asked)
{
  std::string text;
  if (asked.policy != Policy::inherit || asked.nice) {
    text = format_policy(asked);
  }
  if (!asked.cores.empty()) {
    text += (text.empty() ? "" : ", ") + takt_rt::cores_words(asked.cores);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace takt_configurator
