// Adds and finds callbacks. Serialised by setup_mutex_, safe while threads dispatch.
#include <algorithm>
#include <cassert>
#include <mutex>
#include <utility>

#include "scheduler/scheduler_settings.hpp"
#include "scheduler/sequence_slots.hpp"

namespace takt_core
{

Scheduler::Scheduler(SchedulerOptions options, Waker & waker, Scheduler * sibling)
: threads_(static_cast<std::uint32_t>(options.thread_urgencies.size())),
  order_(options.order),
  window_timers_(options.window_timers),
  epoch_of_timers_(options.epoch),
  clock_ahead_(options.clock_ahead),
  phases_(options.phases),
  own_sets_(std::make_unique<ThreadSets[]>(threads_ + 1)),
  sequence_(sibling == nullptr ? own_sequence_ : sibling->sequence_),
  sleepers_(options.thread_urgencies, waker),
  walks_(std::make_unique<SequenceWalk[]>(threads_))
{
  for (std::uint32_t t = 0; !has_steps_ && t < threads_; ++t) {
    walks_[t].slots.set_taking(true);  // set-up may take callbacks out at any time
  }
}

Scheduler::~Scheduler()
{
  sleepers_.clear();  // no thread is left to wake
  {
    std::lock_guard setup(setup_mutex_);  // no other thread is here; callees assert the lock
    for (const auto & [entry, settings] : settings_) {
      CallbackEntry & gone = settings->entry();
      take_out(gone);
      gone.rank_ = UINT32_MAX;
      gone.set_.store(nullptr);
    }
    for (const auto & settings : retired_) {
      forget(*settings);
    }
  }
  // Free the callbacks while all members live: their destructors may call this scheduler, which has
  // no callbacks then.
  by_id_.clear();
  aliases_.clear();
  const auto added = std::exchange(settings_, {});
  const auto removed = std::exchange(retired_, {});
}

Scheduler::Settings & Scheduler::settings(const CallbackEntry & entry) const
{
  assert(setup_mutex_.held());
  return *settings_.at(&entry);
}

Status Scheduler::add(
  std::shared_ptr<Callback> callback, const Binding & binding, Time now,
  const std::function<void()> & accepted)
{
  if (callback == nullptr) {
    return Faults{"there is no callback to add: the pointer is null"};
  }
  std::lock_guard setup(setup_mutex_);
  CallbackEntry & c = CallbackEntry::of(*callback);
  const std::string & id = callback->id();
  Faults faults;
  if (by_id_.count(id) != 0) {
    faults.push_back("callback id " + id + " is used already; ids are unique in an executor");
  } else if ((c.state_.load() & CallbackEntry::kAdded) != 0) {
    faults.push_back(id + ": belongs to another executor; remove it there first");
  } else if (running(*callback)) {
    faults.push_back(id + ": was removed but still runs; add it again once that run is over");
  }
  check_timer(*callback, faults);
  check_priority(id, binding.priority, faults);
  check_deadline(id, binding.deadline, faults);
  check_boost(*callback, binding.boost, faults);
  check_sequence(*callback, binding, order_, faults);
  if (const auto & place = binding.sequence) {  // only then: the loop looks at all callbacks
    for (const auto & [entry, others] : settings_) {
      const auto & other = others->binding.sequence;
      if (other && other->sequence == place->sequence && other->graph != place->graph) {
        faults.push_back(
          id + ": its sequence is " +
          (other->graph ? "a graph for " + entry->callback().id() + ", and none"
                        : "no graph for " + entry->callback().id() + ", and one") +
          " for this callback; it is one for all of its callbacks or for none");
        break;
      }
    }
  }
  check_non_triggering(*callback, binding.non_triggering, order_, faults);
  check_spread(*callback, c.group_->condition_.get(), !binding.non_triggering, faults);
  if (order_ == Order::stock && c.group_->condition_ != nullptr) {
    faults.push_back(
      id +
      ": order stock is that of ROS 2's own executors, which know no conditions of groups; use "
      "another order");
  }
  check_threads(binding.threads, {}, faults);
  if (faults.empty() && !c.group_->join(this)) {
    faults.push_back(
      id + ": group " + c.group_->id() +
      " has members in another executor, or one that was removed there and still runs; a group "
      "belongs to one executor");
  }
  if (!faults.empty()) {
    return faults;
  }
  ThreadSet & set = thread_set(binding.threads);

  c.registration_ = registrations_[static_cast<std::size_t>(c.kind_)]++;
  c.state_.fetch_and(~CallbackEntry::kMarks);
  c.withdrawn_ = false;
  c.publishes_last_ = binding.publishes_last;
  c.phased_ = binding.phased;
  give_place(c, binding.sequence);
  c.seen_overwritten_ = c.arrivals_.overwritten();
  c.seen_lost_ = callback->message_counts().overwritten;
  c.comes_ = CallbackEntry::Comes::released;
  c.visit_ = 0;
  c.inputs_ = nullptr;
  c.expiry_ = kNever;
  c.due_ = kNever;
  auto owned = std::make_unique<Settings>();
  owned->callback = callback;
  owned->binding = binding;
  owned->added = ++added_;
  if (owned->binding.non_triggering) {
    c.non_triggering_ = &*owned->binding.non_triggering;
    c.state_.fetch_or(CallbackEntry::kNonTriggering, std::memory_order_seq_cst);
    c.group_->share();  // takers enter the group, too
  } else {
    c.non_triggering_ = nullptr;
  }
  settings_.emplace(&c, std::move(owned));
  by_id_.emplace(id, &c);
  if (callback->chain_id() != id) {
    aliases_.push_back(&c);
  }
  for (const auto & s : sets_) {
    s->queue->reserve(settings_.size());
    s->timers.reserve(settings_.size());
    if (c.group_->shared()) {
      std::lock_guard pass(s->mutex);  // no thread enters the group as its only member any more
    }
  }
  if (c.group_->shared()) {
    await_steps();  // nor leaves it
  }
  ++set.users;
  c.set_.store(&set, std::memory_order_release);
  {
    std::lock_guard lock(set.mutex);
    c.boost_ = binding.boost;
    c.boost_step_ = 0;
    c.boosted_starts_ = 0;
    c.raised_.store(0, std::memory_order_relaxed);
    attach(set, c);
  }
  inherit(c);
  link_inputs(c);
  join_condition(c);
  if (binding.non_triggering || c.conditional()) {
    c.arrivals_.push_aside();  // takers and conditions count by the places in the ring
  }

  if (accepted) {
    accepted();
  }
  c.state_.fetch_or(CallbackEntry::kAdded, std::memory_order_seq_cst);
  if (c.kind_ == Kind::timer) {
    if (open_.load(std::memory_order_acquire)) {
      std::unique_lock lock(set.mutex);
      start_timer(set, c, std::max(now, epoch_));
      lock.unlock();
      sleepers_.attend(set);
    }
  } else if (mark_again(c)) {  // the condition may have released its messages before it was added
    put_in(c, kNoThread);
  } else if (c.conditional() && !c.arrivals_.empty()) {
    arrived_under_condition(c, std::min(now, c.arrivals_.newest_stamp()), now, kNoThread);
  }
  return {};
}

void Scheduler::start_timer(ThreadSet & set, CallbackEntry & timer, Time from) noexcept
{
  assert(set.mutex.held());
  if (timer.timer_active_ && !TimerHeap::armed(timer)) {
    timer.expiry_ = first_release(timer.timer_, from);
    timer.on_grid_ = true;
    arm(set, timer);
    publish_hints(set);
  }
}

void Scheduler::open(Time epoch)
{
  std::lock_guard setup(setup_mutex_);
  if (open_.load(std::memory_order_relaxed)) {
    return;
  }
  epoch_ = epoch;
  open_.store(true, std::memory_order_release);
  for (const auto & [entry, settings] : settings_) {
    CallbackEntry & c = settings->entry();
    if (c.kind_ == Kind::timer) {
      ThreadSet & set = *c.set_.load(std::memory_order_relaxed);
      std::unique_lock lock(set.mutex);
      start_timer(set, c, epoch);
      lock.unlock();
      sleepers_.attend(set);
    } else if (c.conditional()) {
      look_at_condition(*c.group_, epoch);
    }
  }
}

std::shared_ptr<Callback> Scheduler::find(std::string_view id) const
{
  std::lock_guard setup(setup_mutex_);
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : settings(*found->second).callback;
}

std::vector<std::shared_ptr<Callback>> Scheduler::callbacks() const
{
  std::lock_guard setup(setup_mutex_);
  std::vector<const Settings *> sorted;
  sorted.reserve(settings_.size());
  for (const auto & [entry, settings] : settings_) {
    sorted.push_back(settings.get());
  }
  std::sort(sorted.begin(), sorted.end(), [](const Settings * a, const Settings * b) {
    return a->added < b->added;
  });
  std::vector<std::shared_ptr<Callback>> all;
  all.reserve(sorted.size());
  for (const Settings * const settings : sorted) {
    all.push_back(settings->callback);
  }
  return all;
}

void Scheduler::add_to(PhasedTimers & timers) const
{
  std::lock_guard setup(setup_mutex_);
  for (const auto & [entry, settings] : settings_) {
    if (entry->kind_ == Kind::timer && entry->phased_ != Phased::no) {
      if (ThreadSet * const set = lock_set(*entry)) {
        const TimerOptions timer = entry->timer_;
        set->mutex.unlock();
        timers.add(timer);
      }
    }
  }
}

Result<Binding> Scheduler::binding(const Callback & callback) const
{
  std::lock_guard setup(setup_mutex_);
  const auto found = settings_.find(&CallbackEntry::of(callback));
  if (found == settings_.end()) {
    return Faults{callback.id() + " is not in this executor"};
  }
  return found->second->binding;
}

}  // namespace takt_core
