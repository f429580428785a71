#include <utility>

#include "takt_control/configurator_messages.hpp"

namespace takt_control
{
namespace
{

using takt_core::Policy;
using takt_core::RefusedAttribute;

RefusedAttribute asked_most(const takt_core::ThreadAttributes & asked)
{
  if (asked.policy != Policy::inherit) {
    return RefusedAttribute::policy;
  }
  return asked.nice ? RefusedAttribute::nice : RefusedAttribute::cores;
}

}  // namespace

takt_core::Refusal refuse(
  const takt_core::ThreadAttributes & asked, takt_core::MissingRight right, std::string detail,
  int error)
{
  takt_core::Refusal refusal;
  refusal.attribute = asked_most(asked);
  refusal.error = error;
  refusal.right = right;
  refusal.asked = asked;
  refusal.detail = std::move(detail);
  return refusal;
}

}  // namespace takt_control
