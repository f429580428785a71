#include "adopt/recorder.hpp"

#include <rcl/client.h>
#include <rcl/error_handling.h>
#include <rcl/publisher.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <set>

#include "adopt/entity.hpp"
#include "adopt/observe/hangs.hpp"
#include "takt_rt/ready_time.hpp"

namespace takt_rclcpp
{
namespace
{

std::int64_t thread_cpu_time() noexcept
{
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

constinit std::atomic<bool> g_measures_sleeps{false};
// Opens a file at the thread's first run, which the end of the thread closes.
thread_local takt_rt::ReadyTime t_ready_time;

// Context switches of the thread's own will.
std::int64_t times_asleep() noexcept
{
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

// A callback may spin another executor, whose callbacks run inside it. The loader has little room for thread-local
// variables of a library that is opened late (takt_shared_library.cmake).
constexpr std::size_t kDeepestFrame = 4;
struct Frame
{
  std::int64_t began = 0;  // CPU time at the pick
  std::int64_t took = 0;   // CPU time of the take
  bool asked = false;      // sent a request
  bool measures_sleep = false;
  std::int64_t times_asleep = 0;    // at the start
  takt_rt::Duration ready_time{0};  // the same
  void * outer = nullptr;
  const takt_core::Callback * callback = nullptr;
  std::uint32_t thread = 0;
};
thread_local std::array<Frame, kDeepestFrame> t_frames{};
thread_local std::size_t t_frame_depth = 0;
// Bit d: the run at depth d has started. Also of runs that are too deep for a frame: a take that throws has no other end.
thread_local std::uint64_t t_started = 0;

std::uint64_t bit_of(std::size_t depth) noexcept
{
  return depth < 64 ? std::uint64_t{1} << depth : 0;
}

// Of the frame's run, which ends and did not work for `beside` of its time. A run that left its core against its will only
// was preempted, by another thread or by the host.
std::int64_t slept_in(const Frame & frame, std::int64_t beside) noexcept
{
  constexpr std::int64_t kNotWorthIt = 100'000;  // reading the account costs 2 us
  if (beside < kNotWorthIt || times_asleep() == frame.times_asleep) {
    return 0;
  }
  return std::max<std::int64_t>(beside - (t_ready_time.read() - frame.ready_time).count(), 0);
}

// A copy that is never destroyed: executors of the process name each other's callbacks, and end at any time.
const std::string * stays(const std::string & id)
{
  static auto & g_mutex = *new std::mutex;
  static auto & g_ids = *new std::set<std::string>;
  const std::lock_guard lock(g_mutex);
  return &*g_ids.insert(id).first;
}

}  // namespace

thread_local Recorder::Slot * Recorder::t_running = nullptr;

void Recorder::measure_sleeps() noexcept
{
  g_measures_sleeps.store(true, std::memory_order_relaxed);
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

Recorder::~Recorder() = default;

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

// Another owner may come to be at its address, and an executor that others share goes on. The housekeeping's records
// have no owner.
void Recorder::forget(const RunOwner * owner)
{
  const std::lock_guard lock(mutex_);
  std::erase_if(slots_, [&](const auto & slot) {
    const RunOwner * const of = slot->record.facts.owner;
    if (slot->callback != nullptr || (of != owner && of != nullptr)) {
      return false;
    }
    Slot * expected = slot.get();
    slot->place->compare_exchange_strong(expected, nullptr);
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
  // A callback that comes again goes on in its record.
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
  const std::size_t number = callback.number();
  std::atomic<Chunk *> & place = by_number_[number / kChunk % by_number_.size()];
  if (place.load() == nullptr) {
    chunks_.push_back(std::make_unique<Chunk>());
    place.store(chunks_.back().get());
  }
  slot.place = &(*place.load())[number % kChunk];
  slot.place->store(&slot);
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

// What the callback itself has counted since it was added.
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

Recorder::Slot * Recorder::find(const takt_core::Run & run) const noexcept
{
  const std::size_t number = run.callback->number();
  const Chunk * const chunk =
    by_number_[number / kChunk % by_number_.size()].load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : (*chunk)[number % kChunk].load(std::memory_order_acquire);
}

Recorder::NotOfTheRun::NotOfTheRun() noexcept : began_(thread_cpu_time())
{
}

Recorder::NotOfTheRun::~NotOfTheRun()
{
  if (t_frame_depth > 0 && t_frame_depth <= kDeepestFrame) {
    t_frames[t_frame_depth - 1].began += thread_cpu_time() - began_;
  }
}

void Recorder::on_picked(const takt_core::Run & run) noexcept
{
  if (t_frame_depth < kDeepestFrame) {
    Frame & frame = t_frames[t_frame_depth];
    frame = {};
    frame.began = thread_cpu_time();
    frame.outer = t_running;
    frame.callback = run.callback;
    frame.thread = run.thread;
  }
  t_started &= ~bit_of(t_frame_depth);
  ++t_frame_depth;
}

void Recorder::on_start(const takt_core::Run & run, takt_rt::Time) noexcept
{
  Slot * const slot = find(run);
  if (slot != nullptr && slot->entity != nullptr) {
    started_.fetch_add(1, std::memory_order_relaxed);
  }
  t_started |= bit_of(t_frame_depth - 1);
  if (t_frame_depth <= kDeepestFrame) {
    Frame & frame = t_frames[t_frame_depth - 1];
    const std::int64_t now = thread_cpu_time();
    frame.took = now - frame.began;
    t_running = slot;
    if (g_measures_sleeps.load(std::memory_order_relaxed)) {
      frame.ready_time = t_ready_time.read();
      frame.measures_sleep = t_ready_time.counted();
      frame.times_asleep = times_asleep();
      frame.began += thread_cpu_time() - now;  // not of the run
    }
  }
}

void Recorder::on_end(const takt_core::Run & run, takt_rt::Time end) noexcept
{
  if (--t_frame_depth >= kDeepestFrame) {
    return;
  }
  const Frame & frame = t_frames[t_frame_depth];
  const std::int64_t cpu = thread_cpu_time() - frame.began;
  const std::int64_t slept = frame.measures_sleep
                               ? slept_in(frame, (end - run.start).count() - (cpu - frame.took))
                               : CallbackRecord::kUnknownSleep;
  t_running = static_cast<Slot *>(frame.outer);
  if (frame.asked) {
    Hangs::ended(&frame);
  }
  if (Slot * const slot = find(run); slot != nullptr) {
    if (frame.asked) {
      note_waits(*slot, &frame, run.start);
    }
    const std::lock_guard lock(slot->mutex);
    slot->record.cpu.add(cpu);
    slot->record.take_cpu.add(frame.took);
    if (slot->histogram != nullptr) {
      slot->histogram->record(cpu);
    }
    slot->record.elapsed.add((end - run.start).count());
    slot->record.longest_sleep = std::max(slot->record.longest_sleep, slept);
    slot->record.waited.add((run.start - run.release).count());
    if (slot->entity != nullptr && run.release >= slot->entity->heard_from()) {
      if (slot->last_release != takt_rt::kNever && run.release >= slot->last_release) {
        slot->record.between.add((run.release - slot->last_release).count());
      }
      slot->last_release = run.release;
      slot->record.spans.add(run.release);
      if (slot->record.kind == takt_core::Kind::subscription) {
        slot->releases.add(takt_rt::to_ns(run.release));
      }
    }
    const auto period = slot->record.facts.period.count();
    if (slot->record.kind == takt_core::Kind::timer && period > 0) {
      slot->record.phase.add(takt_rt::to_ns(run.release), period);
    }
    slot->record.skipped_periods += run.skipped;
  }
}

void Recorder::note_waits(Slot & slot, const void * frame, takt_rt::Time start) noexcept
{
  std::array<AwaitedCall, CallLog::kMostOfOneRun> calls;
  const std::size_t count = CallLog::of_process().awaited(frame, start, calls);
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
  if (t_running == nullptr || t_frame_depth == 0 || t_frame_depth > kDeepestFrame) {
    return;
  }
  const char * const name = rcl_client_get_service_name(static_cast<const rcl_client_t *>(client));
  if (name == nullptr) {
    rcl_reset_error();
    return;
  }
  Frame & frame = t_frames[t_frame_depth - 1];
  frame.asked = true;
  CallLog::of_process().sent(&frame, name, client, number);
  Hangs::asked(&frame, frame.callback, frame.thread, client, name, number);
}

void Recorder::note_served(const char * service, std::int64_t number) noexcept
{
  if (t_running != nullptr) {
    CallLog::of_process().served(service, number, t_running->id);
  }
}

void Recorder::note_answered(const void * client, std::int64_t number) noexcept
{
  Hangs::answered(client, number);
  if (t_running != nullptr) {
    CallLog::of_process().answered(client, number, t_running->id);
  }
}

void Recorder::note(const void * key, bool within_process, const char * topic) noexcept
{
  Slot * const slot = t_running;
  const std::lock_guard lock(slot->mutex);
  for (Outlet & outlet : slot->outlets) {
    if (outlet.key == key) {
      ++outlet.published.count;
      return;
    }
  }
  if (slot->outlets.size() < kTopics) {
    slot->outlets.push_back({key, within_process, {topic, 1}});
  }
}

void Recorder::note_publish(const void * publisher) noexcept
{
  if (t_running == nullptr) {
    return;
  }
  const char * const name =
    rcl_publisher_get_topic_name(static_cast<const rcl_publisher_t *>(publisher));
  if (name == nullptr) {
    rcl_reset_error();
  } else {
    note(publisher, false, name);
  }
}

void Recorder::note_within_process(const void * taker, const char * topic) noexcept
{
  if (t_running != nullptr) {
    note(taker, true, topic);
  }
}

// Of one message each subscription of this process notes that it came, and the publisher notes it where it
// also goes to other processes: a topic has as many messages as the outlet with the most, and publishers add up.
std::vector<PublishedTopic> Recorder::published(const std::vector<Outlet> & outlets)
{
  std::vector<PublishedTopic> topics;
  std::vector<std::uint64_t> directly;  // the most of one taker
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
  --t_frame_depth;
  if (Slot * const slot = find(run); slot != nullptr) {
    const std::lock_guard lock(slot->mutex);
    ++slot->record.empty_takes;
  }
}

void Recorder::on_exception(const takt_core::Run & run, const std::exception_ptr &) noexcept
{
  // A take that threw has no other end.
  if ((t_started & bit_of(t_frame_depth - 1)) == 0) {
    --t_frame_depth;
  }
  if (Slot * const slot = find(run); slot != nullptr) {
    const std::lock_guard lock(slot->mutex);
    ++slot->record.exceptions;
  }
}

}  // namespace takt_rclcpp
