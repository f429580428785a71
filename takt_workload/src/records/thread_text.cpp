#include "records/thread_text.hpp"

#include <fmt/format.h>

namespace takt_workload
{

std::string describe(const takt_rt::ThreadAttributes & attributes)
{
  std::string text(takt_rt::to_string(attributes.policy));
  if (takt_rt::has_rt_priority(attributes.policy)) {
    text += fmt::format(" {}", attributes.priority);
  } else if (attributes.nice.value_or(0) != 0) {
    text += fmt::format(" nice {}", *attributes.nice);
  }
  if (!attributes.cores.empty()) {
    text += ", " + takt_rt::cores_words(attributes.cores);
  }
  return text;
}

std::string describe_without_cores(takt_rt::ThreadAttributes attributes)
{
  attributes.cores.clear();
  return describe(attributes);
}

}  // namespace takt_workload
