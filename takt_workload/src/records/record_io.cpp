#include "records/record_io.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <concepts>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <type_traits>

namespace takt_workload
{

using nlohmann::json;
using takt_rt::Duration;
using takt_rt::Fault;
using takt_rt::Time;

namespace
{

// The members of each type, in the order in which a file has their values. Types of takt_rt list
// theirs themselves.
template <typename T>
requires requires(const T & one)
{
  one.members();
}
auto members(const T & one)
{
  return one.members();
}
auto members(const RunRecord & r)
{
  return std::tie(
    r.callback, r.thread, r.process, r.skipped, r.release, r.start, r.end, r.work_asked, r.work_cpu,
    r.slept, r.work_end, r.taken, r.published, r.taken_from);
}
auto members(const PublisherRecord & p)
{
  return std::tie(p.topic, p.gid);
}
auto members(const ThreadRecord & t)
{
  return std::tie(
    t.process, t.name, t.tid, t.executor, t.number, t.asked, t.granted, t.faults, t.cpu,
    t.queue_wait, t.voluntary_switches, t.involuntary_switches);
}
auto members(const CallbackCounters & c)
{
  return std::tie(c.callback, c.overwritten, c.lost_messages);
}
auto members(const TimerRecord & t)
{
  return std::tie(t.callback, t.next);
}
auto members(const OriginalSample & s)
{
  return std::tie(
    s.callback, s.at, s.has_hot_path, s.hot_path, s.hot_path_drops, s.planner_start,
    s.planner_sequence, s.oldest);
}
auto members(const takt_core::PhaseState::Last & l)
{
  return std::tie(l.cause, l.callback, l.time);
}
auto members(const takt_core::PhaseState & s)
{
  return std::tie(s.disturbances, s.last, s.started, s.holds_from);
}
// Only the process that merges the records adds stalls and the reference timer's lateness.
auto members(const ProcessRecord & p)
{
  return std::tie(
    p.process, p.epoch, p.measured_from, p.measured_to, p.observed_to, p.runs, p.unrecorded_runs,
    p.threads, p.publishers, p.counters, p.timers, p.originals, p.order, p.executor_name,
    p.middleware_ceiling, p.phases, p.phases_before, p.warnings, p.defaulted_callbacks,
    p.schedule_fits, p.error, p.bad_input);
}

template <typename T>
concept Struct = requires(const T & one)
{
  members(one);
};
template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsList = false;
template <typename T>
inline constexpr bool kIsList<std::vector<T>> = true;

// Most values are those of runs, so members have no names.
template <typename T>
json pack(const T & value)
{
  if constexpr (std::same_as<T, Time>) {
    return takt_rt::to_ns(value);
  } else if constexpr (std::same_as<T, Duration>) {
    return value.count();
  } else if constexpr (kIsOptional<T>) {
    return value ? pack(*value) : json();
  } else if constexpr (kIsList<T>) {
    json list = json::array();
    for (const auto & one : value) {
      list.push_back(pack(one));
    }
    return list;
  } else if constexpr (Struct<T>) {
    json list = json::array();
    std::apply(
      [&](const auto &... member) { (list.push_back(pack(member)), ...); }, members(value));
    return list;
  } else {
    return value;
  }
}

template <typename T>
T blank()
{
  if constexpr (std::same_as<T, Fault>) {
    return Fault("");
  } else {
    return {};
  }
}

// Throws nlohmann::json::exception for JSON that `pack` did not make.
template <typename T>
void unpack(const json & packed, T & value)
{
  if constexpr (std::same_as<T, Time>) {
    value = takt_rt::from_ns(packed.get<std::int64_t>());
  } else if constexpr (std::same_as<T, Duration>) {
    value = Duration(packed.get<std::int64_t>());
  } else if constexpr (kIsOptional<T>) {
    value.reset();
    if (!packed.is_null()) {
      unpack(packed, value.emplace());
    }
  } else if constexpr (kIsList<T>) {
    for (const json & one : packed) {
      unpack(one, value.emplace_back(blank<typename T::value_type>()));
    }
  } else if constexpr (Struct<T>) {
    std::size_t i = 0;
    const auto next = [&](const auto & member) {
      // `value` is not const, so its member is not either.
      unpack(packed.at(i++), const_cast<std::remove_cvref_t<decltype(member)> &>(member));
    };
    std::apply([&](const auto &... member) { (next(member), ...); }, members(value));
  } else {
    packed.get_to(value);
  }
}

}  // namespace

takt_rt::Status write_record(const std::string & path, const ProcessRecord & record)
{
  std::ofstream file(path, std::ios::binary);
  const auto bytes = json::to_cbor(pack(record));
  file.write(
    reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) {
    return takt_rt::Faults{fmt::format("{}: cannot be written: {}", path, std::strerror(errno))};
  }
  return {};
}

takt_rt::Result<ProcessRecord> read_record(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  ProcessRecord record;
  try {
    unpack(json::from_cbor(bytes), record);
  } catch (const json::exception & error) {
    return takt_rt::Faults{fmt::format("{}: is not a record of a run: {}", path, error.what())};
  }
  return record;
}

}  // namespace takt_workload
