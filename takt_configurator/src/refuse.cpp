#include "refuse.hpp"

#include <utility>

namespace takt_configurator
{

using takt_core::Policy;
using takt_core::Refusal;
using takt_core::RefusedAttribute;
using takt_core::ThreadAttributes;

namespace
{

RefusedAttribute asked_most(const ThreadAttributes & asked)
{
  if (asked.policy != Policy::inherit) {
    return RefusedAttribute::policy;
  }
  return asked.nice ? RefusedAttribute::nice : RefusedAttribute::cores;
}

}  // namespace

Refusal refuse(
  const ThreadAttributes & asked, takt_core::MissingRight right, std::string detail, int error)
{
  Refusal refusal;
  refusal.attribute = asked_most(asked);
  refusal.error = error;
  refusal.right = right;
  refusal.asked = asked;
  refusal.detail = std::move(detail);
  return refusal;
}

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
