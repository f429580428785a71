#include "records/fault_json.hpp"

#include <optional>
#include <utility>

namespace takt_workload
{

using nlohmann::json;
using takt_rt::Duration;
using takt_rt::Fault;
using takt_rt::Refusal;
using takt_rt::ThreadAttributes;

namespace
{

template <typename T>
json pack_optional(const std::optional<T> & value)
{
  return value ? json(*value) : json();
}

template <typename T>
std::optional<T> unpack_optional(const json & packed)
{
  return packed.is_null() ? std::nullopt : std::optional<T>(packed.get<T>());
}

json pack_refusal(const Refusal & refusal)
{
  return json::array(
    {refusal.attribute, refusal.error, refusal.right, refusal.tid, refusal.thread,
     pack_attributes(refusal.asked), pack_attributes(refusal.granted), pack_optional(refusal.limit),
     pack_optional(refusal.limit_of), refusal.online, refusal.program});
}

Refusal unpack_refusal(const json & packed)
{
  Refusal refusal;
  packed.at(0).get_to(refusal.attribute);
  packed.at(1).get_to(refusal.error);
  packed.at(2).get_to(refusal.right);
  packed.at(3).get_to(refusal.tid);
  packed.at(4).get_to(refusal.thread);
  refusal.asked = unpack_attributes(packed.at(5));
  refusal.granted = unpack_attributes(packed.at(6));
  refusal.limit = unpack_optional<std::int64_t>(packed.at(7));
  refusal.limit_of = unpack_optional<std::int64_t>(packed.at(8));
  packed.at(9).get_to(refusal.online);
  packed.at(10).get_to(refusal.program);
  return refusal;
}

}  // namespace

json pack_attributes(const ThreadAttributes & attributes)
{
  return json::array(
    {attributes.policy, attributes.priority, pack_optional(attributes.nice),
     attributes.runtime.count(), attributes.deadline.count(), attributes.period.count(),
     attributes.cores, attributes.name, attributes.stack_size});
}

json pack_faults(const takt_rt::Faults & faults)
{
  json list = json::array();
  for (const Fault & fault : faults) {
    list.push_back(json::array(
      {fault.kind, fault.file, fault.line, fault.column, fault.place, fault.text,
       fault.refusal ? pack_refusal(*fault.refusal) : json()}));
  }
  return list;
}

ThreadAttributes unpack_attributes(const json & packed)
{
  ThreadAttributes attributes;
  packed.at(0).get_to(attributes.policy);
  packed.at(1).get_to(attributes.priority);
  attributes.nice = unpack_optional<int>(packed.at(2));
  attributes.runtime = Duration(packed.at(3).get<std::int64_t>());
  attributes.deadline = Duration(packed.at(4).get<std::int64_t>());
  attributes.period = Duration(packed.at(5).get<std::int64_t>());
  packed.at(6).get_to(attributes.cores);
  packed.at(7).get_to(attributes.name);
  packed.at(8).get_to(attributes.stack_size);
  return attributes;
}

takt_rt::Faults unpack_faults(const json & packed)
{
  takt_rt::Faults faults;
  for (const json & one : packed) {
    Fault fault(one.at(0).get<takt_rt::FaultKind>(), one.at(5).get<std::string>());
    one.at(1).get_to(fault.file);
    one.at(2).get_to(fault.line);
    one.at(3).get_to(fault.column);
    one.at(4).get_to(fault.place);
    if (!one.at(6).is_null()) {
      fault.refusal = unpack_refusal(one.at(6));
    }
    faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace takt_workload
