#include "adopt/recorder.hpp"

#include <rcl/client.h>
#include <rcl/error_handling.h>
#include <rcl/publisher.h>

#include <algorithm>
#include <set>

#include "adopt/entity.hpp"
#include "adopt/observe/hangs.hpp"
#include "adopt/observe/work_after_publish.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/number_table.hpp"

namespace takt_rclcpp
{
namespace
{

// Runs of this thread that have sent requests, the innermost last. The array is short because the
// loader has little thread-local space for a library that is opened late
// (takt_shared_library.cmake). A fifth nested run is not recorded.
struct AskingRuns
{
  std::array<const takt_core::Run *, 4> runs{};
  std::size_t count = 0;

  bool add(const takt_core::Run & run) noexcept
  {
    if (count > 0 && runs[count - 1] == &run) {
      return true;
    }
    if (count == runs.size()) {
      return false;
    }
    runs[count++] = &run;
    return true;
  }
  /// Removes `run` if it is the innermost one, and returns true then.
  bool remove(const takt_core::Run & run) noexcept
  {
    const bool was = count > 0 && runs[count - 1] == &run;
    count -= was ? 1 : 0;
    return was;
  }
};
thread_local AskingRuns t_asking;

// Returns a copy of `id` that is never destroyed: executors of the process name each other's
// callbacks, and may end at any time.
const std::string * stays(const std::string & id)
{
  static auto & g_mutex = *new std::mutex;
  static auto & g_ids = *new std::set<std::string>;
  const std::lock_guard lock(g_mutex);
  return &*g_ids.insert(id).first;
}

}  // namespace

// The slots of all recorders: a callback's number is unique in the process. Never destroyed:
// threads run until the process ends.
struct Recorder::Slots
{
  std::mutex mutex;
  takt_core::NumberTable<Slot> by_number;

  static Slots & of_process()
  {
    static auto & slots = *new Slots;
    return slots;
  }
};

void Recorder::measure_sleeps()
{
  static auto & wanted = *new takt_core::RunCostsWanted({false, true});
  static_cast<void>(wanted);
}

void TimeSummary::add(std::int64_t ns) noexcept
{
  min = count == 0 ? ns : std::min(min, ns);
  max = count == 0 ? ns : std::max(max, ns);
  sum += ns;
  ++count;
}

void ReleaseSpans::add(takt_rt::Time release) noexcept
{
  if (count_ > 0 && release < last_[(count_ - 1) % last_.size()]) {
    return;
  }
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    if (count_ < kSteps[i]) {
      break;
    }
    const std::int64_t span = (release - last_[(count_ - kSteps[i]) % last_.size()]).count();
    shortest_[i] = count_ == kSteps[i] ? span : std::min(shortest_[i], span);
  }
  last_[count_++ % last_.size()] = release;
}

std::vector<std::pair<std::size_t, std::int64_t>> ReleaseSpans::shortest() const
{
  std::vector<std::pair<std::size_t, std::int64_t>> shortest;
  for (std::size_t i = 0; i < kSteps.size() && count_ > kSteps[i]; ++i) {
    shortest.emplace_back(kSteps[i], shortest_[i]);
  }
  return shortest;
}

Recorder::Recorder(bool reported)
{
  if (reported) {
    costs_.emplace(takt_core::RunCostsWanted::Costs{.cpu = true});
  }
}

Recorder::~Recorder()
{
  Slots & slots = Slots::of_process();
  const std::lock_guard lock(slots.mutex);
  for (const auto & slot : slots_) {
    leave(*slot);
  }
}

// Call it with the mutex of all slots held.
void Recorder::leave(Slot & slot)
{
  Slots & slots = Slots::of_process();
  if (slots.by_number.find(slot.number) == &slot) {  // otherwise the number has a new callback
    slots.by_number.set(slot.number, nullptr);
  }
}

void Recorder::keep_waiting(const RunOwner * owner)
{
  const std::lock_guard lock(mutex_);
  for (const auto & slot : slots_) {
    const std::lock_guard own(slot->mutex);
    if (slot->record.facts.owner == owner && slot->entity != nullptr) {
      slot->record.waiting = slot->callback->message_counts().waiting;
    }
  }
}

// Called because a new owner may get the address of this one, and because other hosts may still use
// the executor. Also removes the records of the housekeeping, which have no owner, once it is
// removed.
void Recorder::forget(const RunOwner * owner)
{
  const std::lock_guard lock(mutex_);
  const std::lock_guard all(Slots::of_process().mutex);
  std::erase_if(slots_, [&](const auto & slot) {
    const RunOwner * const of = slot->record.facts.owner;
    if (slot->callback != nullptr || (of != owner && of != nullptr)) {
      return false;
    }
    leave(*slot);
    return true;
  });
}

std::vector<CallbackRecord> Recorder::records(const RunOwner * owner) const
{
  std::vector<CallbackRecord> records;
  const std::lock_guard lock(mutex_);
  for (const auto & slot : slots_) {
    const std::lock_guard own(slot->mutex);
    if (slot->record.facts.owner != owner) {
      continue;
    }
    records.push_back(slot->record);
    records.back().publishes = published(slot->outlets);
    records.back().fit = slot->releases.fit();
    for (const Awaited & one : slot->awaited) {
      records.back().waits_for.push_back(
        {one.service == nullptr ? "" : *one.service, *one.client, one.count, one.most,
         one.longest});
    }
    if (slot->histogram != nullptr) {
      slot->histogram->for_each_bucket([&](std::int64_t, std::int64_t upper, std::uint64_t count) {
        records.back().histogram.emplace_back(upper, count);
      });
    }
    if (slot->entity != nullptr) {
      add_counts(*slot, records.back());
      records.back().waiting = slot->callback->message_counts().waiting;
    }
  }
  return records;
}

std::vector<takt_rt::AttributeReport> Recorder::threads() const
{
  const std::lock_guard lock(mutex_);
  return threads_;
}

void Recorder::on_added(const takt_core::Callback & callback)
{
  const std::lock_guard lock(mutex_);
  const auto * const entity = dynamic_cast<const Entity *>(&callback);
  const RunOwner * const owner = entity == nullptr ? nullptr : entity->facts.owner;
  // A callback that is added again continues its old record.
  auto known = std::find_if(slots_.begin(), slots_.end(), [&](const auto & slot) {
    return slot->callback == nullptr && slot->record.facts.owner == owner &&
           slot->record.id == callback.id();
  });
  if (known == slots_.end()) {
    known = slots_.insert(known, std::make_unique<Slot>());
    CallbackRecord & record = (*known)->record;
    record.id = callback.id();
    (*known)->id = stays(record.id);
    record.chain_id = callback.chain_id();
    record.group = callback.group().id();
    record.kind = callback.kind();
    (*known)->outlets.reserve(kTopics);
    (*known)->awaited.reserve(CallLog::kMostOfOneRun);
    if (entity != nullptr) {
      record.facts = entity->facts;
      if (!entity->facts.follows_group) {
        (*known)->histogram = std::make_unique<takt_rt::LogHistogram>();
      }
    }
  }
  Slot & slot = **known;
  slot.callback = &callback;
  slot.entity = entity;
  Slots & slots = Slots::of_process();
  const std::lock_guard all(slots.mutex);
  slot.number = callback.number();
  slots.by_number.set(slot.number, &slot);
}

void Recorder::on_removed(const takt_core::Callback & callback)
{
  const std::lock_guard lock(mutex_);
  for (const auto & slot : slots_) {
    if (slot->callback == &callback) {
      const std::lock_guard own(slot->mutex);
      if (slot->entity != nullptr) {
        add_counts(*slot, slot->record);
      }
      slot->callback = nullptr;
      slot->entity = nullptr;
    }
  }
}

// Adds the counts that the callback itself has kept since it was added.
void Recorder::add_counts(const Slot & slot, CallbackRecord & record)
{
  record.overwritten += slot.callback->message_counts().overwritten;
  record.lost += slot.callback->lost().value_or(0);
  record.message_bytes = std::max(record.message_bytes, slot.entity->largest_message());
  if (const ArrivalSpans * const arrivals = slot.entity->arrival_spans.get()) {
    record.arrivals += arrivals->count();
    for (const auto & [steps, span] : arrivals->shortest()) {
      const auto known = std::find_if(
        record.arrival_spans.begin(), record.arrival_spans.end(),
        [&, &wanted = steps](const auto & one) { return one.first == wanted; });
      if (known == record.arrival_spans.end()) {
        record.arrival_spans.emplace_back(steps, span);
      } else {
        known->second = std::min(known->second, span);
      }
    }
  }
}

void Recorder::on_thread(std::uint32_t thread, const takt_rt::AttributeReport & report)
{
  const std::lock_guard lock(mutex_);
  threads_.resize(std::max<std::size_t>(threads_.size(), thread + 1));
  threads_[thread] = report;
}

Recorder::Slot * Recorder::find(const takt_core::Run & run) noexcept
{
  return Slots::of_process().by_number.find(run.callback->number());
}

Recorder::Slot * Recorder::running() noexcept
{
  const takt_core::Run * const run = takt_core::current_run();
  return run == nullptr ? nullptr : find(*run);
}

void Recorder::on_start(const takt_core::Run & run, takt_rt::Time) noexcept
{
  const Slot * const slot = find(run);
  if (slot != nullptr && slot->entity != nullptr) {
    started_.fetch_add(1, std::memory_order_relaxed);
  }
}

void Recorder::on_end(const takt_core::Run & run, takt_rt::Time end) noexcept
{
  const bool asked = t_asking.remove(run);
  if (asked) {
    Hangs::ended(&run);
  }
  const auto work = WorkAfterPublish::ends(run);
  Slot * const slot = find(run);
  if (slot == nullptr) {
    return;
  }
  if (asked) {
    note_waits(*slot, &run, run.start);
  }
  const std::lock_guard lock(slot->mutex);
  CallbackRecord & record = slot->record;
  const std::int64_t elapsed = (end - run.start).count();
  if (run.costs != nullptr && run.costs->cpu >= 0) {
    record.cpu.add(run.costs->cpu);
    record.take_cpu.add(run.costs->take_cpu);
    if (slot->histogram != nullptr) {
      slot->histogram->record(run.costs->cpu);
    }
    record.longest_sleep = std::max(record.longest_sleep, run.costs->slept(elapsed));
  }
  if (work) {
    ++record.publishing_runs;
    record.published_last += *work <= CallbackRecord::kLastWork ? 1 : 0;
  }
  record.elapsed.add(elapsed);
  record.waited.add((run.start - run.release).count());
  if (slot->entity != nullptr && run.release >= slot->entity->heard_from()) {
    if (slot->last_release != takt_rt::kNever && run.release >= slot->last_release) {
      record.between.add((run.release - slot->last_release).count());
    }
    slot->last_release = run.release;
    record.spans.add(run.release);
    if (record.kind == takt_core::Kind::subscription) {
      slot->releases.add(takt_rt::to_ns(run.release));
    }
  }
  const auto period = record.facts.period.count();
  if (record.kind == takt_core::Kind::timer && period > 0) {
    record.phase.add(takt_rt::to_ns(run.release), period);
  }
  record.skipped_periods += run.skipped;
}

void Recorder::note_waits(Slot & slot, const void * run, takt_rt::Time start) noexcept
{
  std::array<AwaitedCall, CallLog::kMostOfOneRun> calls;
  const std::size_t count = CallLog::of_process().awaited(run, start, calls);
  std::array<std::uint64_t, CallLog::kMostOfOneRun> in_this_run{};
  const std::lock_guard lock(slot.mutex);
  for (std::size_t i = 0; i < count; ++i) {
    const auto & [service, client, waited] = calls[i];
    auto known = std::find_if(slot.awaited.begin(), slot.awaited.end(), [&](const Awaited & one) {
      return one.service == calls[i].service && one.client == calls[i].client;
    });
    if (known == slot.awaited.end()) {
      if (slot.awaited.size() == CallLog::kMostOfOneRun) {
        continue;
      }
      known = slot.awaited.insert(known, {service, client, 0, 0, 0});
    }
    ++known->count;
    known->most =
      std::max(known->most, ++in_this_run[static_cast<std::size_t>(known - slot.awaited.begin())]);
    known->longest = std::max(known->longest, waited.count());
  }
}

void Recorder::note_request(const void * client, std::int64_t number) noexcept
{
  const takt_core::Run * const run = takt_core::current_run();
  if (run == nullptr || find(*run) == nullptr) {
    return;
  }
  const char * const name = rcl_client_get_service_name(static_cast<const rcl_client_t *>(client));
  if (name == nullptr) {
    rcl_reset_error();
    return;
  }
  if (t_asking.add(*run)) {
    CallLog::of_process().sent(run, name, client, number);
    Hangs::asked(run, run->callback, run->thread, client, name, number);
  }
}

void Recorder::note_served(const char * service, std::int64_t number) noexcept
{
  if (const Slot * const slot = running()) {
    CallLog::of_process().served(service, number, slot->id);
  }
}

void Recorder::note_answered(const void * client, std::int64_t number) noexcept
{
  Hangs::answered(client, number);
  if (const Slot * const slot = running()) {
    CallLog::of_process().answered(client, number, slot->id);
  }
}

void Recorder::note(Slot & slot, const void * key, bool within_process, const char * topic) noexcept
{
  const std::lock_guard lock(slot.mutex);
  for (Outlet & outlet : slot.outlets) {
    if (outlet.key == key) {
      ++outlet.published.count;
      return;
    }
  }
  if (slot.outlets.size() < kTopics) {
    slot.outlets.push_back({key, within_process, {topic, 1}});
  }
}

void Recorder::note_publish(const void * publisher) noexcept
{
  Slot * const slot = running();
  if (slot == nullptr) {
    return;
  }
  const char * const name =
    rcl_publisher_get_topic_name(static_cast<const rcl_publisher_t *>(publisher));
  if (name == nullptr) {
    rcl_reset_error();
  } else {
    note(*slot, publisher, false, name);
  }
}

void Recorder::note_within_process(const void * taker, const char * topic) noexcept
{
  WorkAfterPublish::published_within_process();
  if (Slot * const slot = running()) {
    note(*slot, taker, true, topic);
  }
}

// A message counts once for each subscription of this process that gets it, and once for its
// publisher if it also goes to other processes. So a topic's count is the largest count within the
// process, or the sum of its publishers if that is larger.
std::vector<PublishedTopic> Recorder::published(const std::vector<Outlet> & outlets)
{
  std::vector<PublishedTopic> topics;
  std::vector<std::uint64_t> directly;  // the largest count of one subscription
  for (const Outlet & outlet : outlets) {
    auto known = std::find_if(topics.begin(), topics.end(), [&](const PublishedTopic & one) {
      return one.topic == outlet.published.topic;
    });
    if (known == topics.end()) {
      known = topics.insert(known, {outlet.published.topic, 0});
      directly.push_back(0);
    }
    if (outlet.within_process) {
      auto & most = directly[static_cast<std::size_t>(known - topics.begin())];
      most = std::max(most, outlet.published.count);
    } else {
      known->count += outlet.published.count;
    }
  }
  for (std::size_t i = 0; i < topics.size(); ++i) {
    topics[i].count = std::max(topics[i].count, directly[i]);
  }
  return topics;
}

void Recorder::on_empty_take(const takt_core::Run & run) noexcept
{
  if (Slot * const slot = find(run); slot != nullptr) {
    const std::lock_guard lock(slot->mutex);
    ++slot->record.empty_takes;
  }
}

void Recorder::on_exception(const takt_core::Run & run, const std::exception_ptr &) noexcept
{
  if (Slot * const slot = find(run); slot != nullptr) {
    const std::lock_guard lock(slot->mutex);
    ++slot->record.exceptions;
  }
}

}  // namespace takt_rclcpp
