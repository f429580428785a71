#include "records/record_io.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "records/fault_json.hpp"

namespace takt_workload
{

using nlohmann::json;
using takt_rt::Duration;
using takt_rt::from_ns;
using takt_rt::to_ns;

namespace
{

// Most records are runs, so runs are arrays without names.
json pack(const RunRecord & r)
{
  return json::array(
    {r.callback, r.thread, r.process, r.skipped, to_ns(r.release), to_ns(r.start), to_ns(r.end),
     r.work_asked.count(), r.work_cpu.count(), r.taken, r.published, r.taken_from,
     to_ns(r.work_end), r.slept.count()});
}

RunRecord unpack_run(const json & j)
{
  RunRecord r;
  j.at(0).get_to(r.callback);
  j.at(1).get_to(r.thread);
  j.at(2).get_to(r.process);
  j.at(3).get_to(r.skipped);
  r.release = from_ns(j.at(4).get<std::int64_t>());
  r.start = from_ns(j.at(5).get<std::int64_t>());
  r.end = from_ns(j.at(6).get<std::int64_t>());
  r.work_asked = Duration(j.at(7).get<std::int64_t>());
  r.work_cpu = Duration(j.at(8).get<std::int64_t>());
  j.at(9).get_to(r.taken);
  j.at(10).get_to(r.published);
  j.at(11).get_to(r.taken_from);
  r.work_end = from_ns(j.at(12).get<std::int64_t>());
  r.slept = Duration(j.at(13).get<std::int64_t>());
  return r;
}

json pack(const ThreadRecord & t)
{
  return json::array(
    {t.process, t.name, t.tid, t.executor, t.number, t.asked ? pack_attributes(*t.asked) : json(),
     pack_attributes(t.granted), pack_faults(t.faults), t.cpu.count(), t.queue_wait.count(),
     t.voluntary_switches, t.involuntary_switches});
}

ThreadRecord unpack_thread(const json & j)
{
  ThreadRecord t;
  j.at(0).get_to(t.process);
  j.at(1).get_to(t.name);
  j.at(2).get_to(t.tid);
  j.at(3).get_to(t.executor);
  j.at(4).get_to(t.number);
  if (!j.at(5).is_null()) {
    t.asked = unpack_attributes(j.at(5));
  }
  t.granted = unpack_attributes(j.at(6));
  t.faults = unpack_faults(j.at(7));
  t.cpu = Duration(j.at(8).get<std::int64_t>());
  t.queue_wait = Duration(j.at(9).get<std::int64_t>());
  j.at(10).get_to(t.voluntary_switches);
  j.at(11).get_to(t.involuntary_switches);
  return t;
}

json pack(const OriginalSample & s)
{
  return json::array(
    {s.callback, to_ns(s.at), s.has_hot_path, s.hot_path.count(), s.hot_path_drops,
     to_ns(s.planner_start), s.planner_sequence, s.oldest.count()});
}

OriginalSample unpack_original(const json & j)
{
  OriginalSample s;
  j.at(0).get_to(s.callback);
  s.at = from_ns(j.at(1).get<std::int64_t>());
  j.at(2).get_to(s.has_hot_path);
  s.hot_path = Duration(j.at(3).get<std::int64_t>());
  j.at(4).get_to(s.hot_path_drops);
  s.planner_start = from_ns(j.at(5).get<std::int64_t>());
  j.at(6).get_to(s.planner_sequence);
  s.oldest = Duration(j.at(7).get<std::int64_t>());
  return s;
}

json pack(const TimerRecord & t)
{
  return json::array({t.callback, to_ns(t.next)});
}

template <typename T>
json pack_all(const std::vector<T> & items)
{
  json list = json::array();
  for (const T & item : items) {
    list.push_back(pack(item));
  }
  return list;
}

json pack(const PublisherRecord & p)
{
  return json::array({p.topic, p.gid});
}
json pack(const CallbackCounters & c)
{
  return json::array({c.callback, c.overwritten, c.lost_messages});
}

json pack(const std::optional<takt_core::PhaseState> & state)
{
  if (!state) {
    return nullptr;
  }
  return json::array(
    {state->disturbances, state->started,
     state->holds_from ? json(to_ns(*state->holds_from)) : json(),
     state->last
       ? json::array(
           {static_cast<int>(state->last->cause), state->last->callback, to_ns(state->last->time)})
       : json()});
}

std::optional<takt_core::PhaseState> unpack_phases(const json & j)
{
  if (j.is_null()) {
    return std::nullopt;
  }
  takt_core::PhaseState state;
  j.at(0).get_to(state.disturbances);
  j.at(1).get_to(state.started);
  if (!j.at(2).is_null()) {
    state.holds_from = from_ns(j.at(2).get<std::int64_t>());
  }
  if (const json & last = j.at(3); !last.is_null()) {
    state.last = {
      static_cast<takt_core::Disturbance>(last.at(0).get<int>()), last.at(1),
      from_ns(last.at(2).get<std::int64_t>())};
  }
  return state;
}

}  // namespace

takt_rt::Status write_record(const std::string & path, const ProcessRecord & record)
{
  json publishers = json::array();
  json counters = json::array();
  for (const PublisherRecord & one : record.publishers) {
    publishers.push_back(pack(one));
  }
  for (const CallbackCounters & one : record.counters) {
    counters.push_back(pack(one));
  }
  const json all = {
    {"process", record.process},
    {"epoch", to_ns(record.epoch)},
    {"from", to_ns(record.measured_from)},
    {"to", to_ns(record.measured_to)},
    {"observed", to_ns(record.observed_to)},
    {"runs", pack_all(record.runs)},
    {"unrecorded", record.unrecorded_runs},
    {"threads", pack_all(record.threads)},
    {"publishers", publishers},
    {"counters", counters},
    {"timers", pack_all(record.timers)},
    {"originals", pack_all(record.originals)},
    {"order", record.order},
    {"executor", record.executor_name},
    {"ceiling", record.middleware_ceiling},
    {"phases", pack(record.phases)},
    {"phases_before", pack(record.phases_before)},
    {"warnings", pack_faults(record.warnings)},
    {"defaulted", record.defaulted_callbacks},
    {"fits", record.schedule_fits},
    {"error", record.error},
    {"bad_input", record.bad_input}};
  std::ofstream file(path, std::ios::binary);
  const auto bytes = json::to_cbor(all);
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
    const json all = json::from_cbor(bytes);
    all.at("process").get_to(record.process);
    record.epoch = from_ns(all.at("epoch").get<std::int64_t>());
    record.measured_from = from_ns(all.at("from").get<std::int64_t>());
    record.measured_to = from_ns(all.at("to").get<std::int64_t>());
    record.observed_to = from_ns(all.at("observed").get<std::int64_t>());
    for (const json & one : all.at("runs")) {
      record.runs.push_back(unpack_run(one));
    }
    all.at("unrecorded").get_to(record.unrecorded_runs);
    for (const json & one : all.at("threads")) {
      record.threads.push_back(unpack_thread(one));
    }
    for (const json & one : all.at("publishers")) {
      record.publishers.push_back({one.at(0), one.at(1)});
    }
    for (const json & one : all.at("counters")) {
      record.counters.push_back({one.at(0), one.at(1), one.at(2)});
    }
    for (const json & one : all.at("timers")) {
      record.timers.push_back({one.at(0), from_ns(one.at(1).get<std::int64_t>())});
    }
    for (const json & one : all.at("originals")) {
      record.originals.push_back(unpack_original(one));
    }
    all.at("order").get_to(record.order);
    all.at("executor").get_to(record.executor_name);
    all.at("ceiling").get_to(record.middleware_ceiling);
    record.phases = unpack_phases(all.at("phases"));
    record.phases_before = unpack_phases(all.at("phases_before"));
    record.warnings = unpack_faults(all.at("warnings"));
    all.at("defaulted").get_to(record.defaulted_callbacks);
    all.at("fits").get_to(record.schedule_fits);
    all.at("error").get_to(record.error);
    all.at("bad_input").get_to(record.bad_input);
  } catch (const json::exception & error) {
    return takt_rt::Faults{fmt::format("{}: is not a record of a run: {}", path, error.what())};
  }
  return record;
}

}  // namespace takt_workload
