#include "takt_rt/attribute_setter.hpp"

#include <cerrno>
#include <thread>

#include "takt_rt/refusal.hpp"

namespace takt_rt
{
namespace
{

class OwnRights final : public AttributeSetter
{
public:
  AttributeReport apply(const ThreadAttributes & attributes, pid_t tid) override
  {
    return takt_rt::apply(attributes, tid);
  }
  Faults refusals(const ThreadAttributes & attributes) override
  {
    if (has_rt_priority(attributes.policy) && !may_use_realtime(attributes.priority)) {
      return {make_refusal(RefusedAttribute::policy, attributes, EPERM, 0)};
    }
    if (attributes.policy != Policy::deadline) {
      return {};
    }
    // Policy deadline needs another right than a priority, and passes admission control, so the
    // real values are tried.
    ThreadAttributes tried = attributes;
    tried.cores.clear();
    tried.name.clear();
    Faults faults;
    std::thread([&] { faults = takt_rt::apply(tried).faults; }).join();
    return faults;
  }
  bool allow_realtime(int priority) override { return may_use_realtime(priority); }
};

}  // namespace

AttributeSetter & own_rights()
{
  // never destroyed: threads may start while the program ends
  static auto * const own = new OwnRights;
  return *own;
}

}  // namespace takt_rt
