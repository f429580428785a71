#include "isolation/model_process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "isolation/memory_use.hpp"
#include "isolation/spin.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_core/adapter/placer.hpp"
#include "takt_rt/kernel_accounts.hpp"
#include "takt_rt/monotonic_clock.hpp"

namespace takt_bench::isolation
{

using nlohmann::ordered_json;
using takt_rt::Duration;
using takt_rt::Faults;
using takt_rt::Time;

namespace
{

constexpr Duration kShortestTail = std::chrono::milliseconds(100);

void sleep_until(Time time)
{
  while (takt_rt::now() < time) {
    takt_rt::MonotonicClock::sleep_until(time);
  }
}

/// The longest time for an activation after the measurement: two periods.
Duration tail_of(const PlanOfMessages & plan)
{
  Duration longest = kShortestTail;
  for (const ChainEnds & chain : plan.chains) {
    longest = std::max(longest, 2 * chain.period);
  }
  return longest;
}

ordered_json thread_json(const takt_rt::ThreadAccount & account, const char * role)
{
  return {
    {"role", role},
    {"name", account.name},
    {"policy", to_string(account.policy)},
    {"priority", account.rt_priority},
    {"voluntary", account.counters.voluntary_switches},
    {"involuntary", account.counters.involuntary_switches},
    {"cpu_ns", account.counters.cpu_time.count()}};
}

}  // namespace

ModelProcess::ModelProcess(
  const Setting & setting, const PlanOfMessages & plan, Neighbours neighbours)
: setting_(setting),
  plan_(plan),
  neighbours_(std::move(neighbours))
{
}

ModelProcess::~ModelProcess()
{
  if (hosted_ != nullptr) {
    core().cancel();
    core().wait();
  }
  if (receiver_.joinable()) {
    send(neighbours_.wires[neighbours_.own].write.get(), Message{});
    receiver_.join();
  }
}

Faults ModelProcess::prepare()
{
  const std::string & name = plan_.executors[neighbours_.own];
  // All processes start at a common epoch, and due releases count from it.
  takt_schedule::Schedule schedule = setting_.schedule;
  for (takt_schedule::ExecutorSchedule & one : schedule.executors) {
    one.epoch = {};
  }
  auto hosted = takt_host::HostedExecutor::of_schedule({}, schedule, name, {});
  if (!hosted.ok()) {
    return hosted.faults();
  }
  hosted_ = std::move(hosted.value());
  if (Faults faults = add_callbacks(); !faults.empty()) {
    return faults;
  }
  connect();
  if (neighbours_.receives[neighbours_.own]) {
    receiver_ = std::thread([this] { receive_messages(); });
    receiver_tid_.wait(0);
    return placer().entity_made().faults();
  }
  return {};
}

Faults ModelProcess::add_callbacks()
{
  std::map<std::string, std::shared_ptr<takt_core::Group>> groups;
  for (const takt_schedule::GroupModel & group : setting_.system.groups) {
    groups[group.id] = std::make_shared<takt_core::Group>(group.kind, group.id);
  }
  for (std::uint32_t i = 0; i < setting_.system.callbacks.size(); ++i) {
    callbacks_.emplace_back();
    if (plan_.process[i] != neighbours_.own) {
      continue;
    }
    const takt_schedule::CallbackModel & model = setting_.system.callbacks[i];
    takt_core::CallbackOptions options;
    options.id = model.id;
    options.kind = model.kind();
    options.depth = model.depth;
    options.group = model.group.empty() ? std::make_shared<takt_core::Group>(
                                            takt_core::GroupKind::mutually_exclusive,
                                            takt_core::adapter::own_group_id(model.id))
                                        : groups.at(model.group);
    const auto settings = placer().place(model.id, options.kind, options.group->id());
    if (!settings) {
      return settings.faults();
    }
    if (model.is_timer()) {
      options.timer = takt_core::TimerOptions{.period = *model.period, .offset = model.offset};
      if (settings->offset) {
        options.timer->offset = settings->offset;
      }
    }
    if (const auto settled = takt_core::adapter::settle(core(), *options.group, *settings);
        !settled) {
      return settled.faults();
    }
    callbacks_.back() = std::make_shared<ModelCallback>(
      std::move(options), spin_iterations(model.time.worst, setting_.iterations_per_us), roots_);
    roots_.add(callbacks_.back()->number(), i);
    if (const auto added = core().add(callbacks_.back(), settings->binding); !added) {
      return added.faults();
    }
  }
  return {};
}

void ModelProcess::connect()
{
  for (std::uint32_t i = 0; i < callbacks_.size(); ++i) {
    for (const std::uint32_t subscriber : plan_.subscribers[i]) {
      if (callbacks_[i] == nullptr) {
        continue;
      }
      if (callbacks_[subscriber] != nullptr) {
        callbacks_[i]->publish_here(core(), *callbacks_[subscriber]);
      } else {
        callbacks_[i]->publish_there(
          neighbours_.wires[plan_.process[subscriber]].write.get(), subscriber);
      }
    }
  }
  for (const ChainEnds & chain : plan_.chains) {
    chains_.emplace_back();
    if (callbacks_[chain.last] == nullptr) {
      continue;
    }
    const Duration all = setting_.warmup + setting_.duration + 2 * tail_of(plan_);
    chains_.back() =
      std::make_unique<ChainRecord>(chain.root, static_cast<std::size_t>(all / chain.period) + 16);
    callbacks_[chain.last]->ends(*chains_.back());
  }
}

void ModelProcess::receive_messages()
{
  ::pthread_setname_np(::pthread_self(), "receiver");
  receiver_tid_ = ::gettid();
  receiver_tid_.notify_all();
  Message message;
  while (receive(neighbours_.wires[neighbours_.own].read.get(), message)) {
    if (message.target == Message::kEnd) {
      return;
    }
    const takt_core::ActivationSet activations = activations_of(message);
    const takt_core::ActivationScope scope(activations);
    core().ready(*callbacks_[message.target]);
  }
}

takt_rt::Result<ordered_json> ModelProcess::measure(Time epoch)
{
  if (const auto started = core().start(epoch); !started) {
    return started.faults();
  }
  placer().started();
  const Time from = epoch + setting_.warmup;
  const Time to = from + setting_.duration;
  sleep_until(from);
  const auto before = takt_rt::read_accounts();
  sleep_until(to);
  const auto after = takt_rt::read_accounts();
  const MemoryUse memory = memory_use();
  sleep_until(to + tail_of(plan_));
  const std::vector<pid_t> executor_threads = core().thread_ids();

  ordered_json told = found(from, to);
  told["rss_kib"] = memory.resident_kib;
  told["pss_kib"] = memory.proportional_kib ? ordered_json(*memory.proportional_kib) : nullptr;
  told["threads"] = ordered_json::array();
  for (const takt_rt::AccountChange & change : takt_rt::changes_between(before, after)) {
    const pid_t tid = change.account.tid;
    const bool own =
      std::find(executor_threads.begin(), executor_threads.end(), tid) != executor_threads.end();
    if (own || tid == receiver_tid_) {
      told["threads"].push_back(thread_json(change.account, own ? "executor" : "receiver"));
    }
  }
  core().cancel();
  core().wait();
  return told;
}

ordered_json ModelProcess::found(Time from, Time to) const
{
  ordered_json chains = ordered_json::object();
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    if (chains_[i] == nullptr) {
      continue;
    }
    ordered_json responses = ordered_json::array();
    for (const auto & [release, response] : chains_[i]->samples()) {
      if (release >= from && release < to) {
        responses.push_back(response);
      }
    }
    chains[plan_.chains[i].name] = std::move(responses);
  }
  std::uint64_t overwritten = 0;
  std::uint64_t skipped = 0;
  for (const auto & callback : callbacks_) {
    overwritten += callback == nullptr ? 0 : callback->overwritten();
    skipped += callback == nullptr ? 0 : callback->skipped_periods();
  }
  Faults refused = core().refusals();
  for (const takt_rt::AttributeReport & report : core().attributes()) {
    refused.insert(refused.end(), report.faults.begin(), report.faults.end());
  }
  return {
    {"executor", plan_.executors[neighbours_.own]},
    {"responses_ns", std::move(chains)},
    {"overwritten", overwritten},
    {"skipped_periods", skipped},
    {"refused", sentences(refused)},
    {"warnings", sentences(placer().warnings())}};
}

}  // namespace takt_bench::isolation
