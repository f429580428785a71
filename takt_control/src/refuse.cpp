#include <utility>

#include "takt_control/configurator_messages.hpp"

namespace takt_control
{
namespace
{

using takt_rt::Policy;
using takt_rt::RefusedAttribute;

RefusedAttribute asked_most(const takt_rt::ThreadAttributes & asked)
{
  if (asked.policy != Policy::inherit) {
    return RefusedAttribute::policy;
  }
  return asked.nice ? RefusedAttribute::nice : RefusedAttribute::cores;
}

}  // namespace

takt_rt::Refusal refuse(
  const takt_rt::ThreadAttributes & asked, takt_rt::MissingRight right, std::string detail,
  int error)
{
  takt_rt::Refusal refusal;
  refusal.attribute = asked_most(asked);
  refusal.error = error;
  refusal.right = right;
  refusal.asked = asked;
  refusal.detail = std::move(detail);
  return refusal;
}

}  // namespace takt_control
