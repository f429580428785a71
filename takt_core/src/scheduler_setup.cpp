// Adding, removing, binding; what callbacks inherit from chains. Serialised by setup_mutex_, safe
// while threads dispatch.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <mutex>
#include <numeric>
#include <thread>

#include "scheduler_settings.hpp"

namespace takt_core
{

Scheduler::Scheduler(SchedulerOptions options, Waker & waker)
: threads_(static_cast<std::uint32_t>(options.thread_urgencies.size())),
  order_(options.order),
  window_timers_(options.window_timers),
  waker_(waker),
  own_sets_(std::make_unique<ThreadSets[]>(threads_ + 1))
{
  // Bits of `idle_` are given out by falling urgency, so that the lowest set bit is the thread to
  // wake. The visitor comes last.
  std::vector<std::uint32_t> order(threads_);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return options.thread_urgencies[a] > options.thread_urgencies[b];
  });
  order.push_back(threads_);
  for (std::uint32_t bit = 0; bit < order.size(); ++bit) {
    wake_order_[bit] = order[bit];
    wake_bit_[order[bit]] = bit;
  }
}

Scheduler::~Scheduler()
{
  for (const auto & [callback, settings] : settings_) {
    settings->callback->state_.fetch_and(~Callback::kMarks);
    settings->callback->where_.store(Callback::Where::nowhere, std::memory_order_relaxed);
    settings->callback->timer_place_ = UINT32_MAX;
    settings->callback->chain_deadlines_.store(nullptr);
    settings->callback->set_.store(nullptr);
    settings->callback->group_->part();
  }
  for (const auto & settings : retired_) {
    settings->callback->set_.store(nullptr);
  }
}

Scheduler::Settings & Scheduler::settings(const Callback & callback) const
{
  return *settings_.at(&callback);
}

// Whether there is or can be a thread set of these members. A fault leaves nothing behind.
void Scheduler::check_threads(ThreadMask threads, Faults & faults) const
{
  if (threads == 0) {
    threads = all_threads();
  }
  if ((threads & ~all_threads()) != 0) {
    faults.push_back(
      "binding names thread " + std::to_string(std::bit_width(threads) - 1) +
      ", but the executor has only " + std::to_string(threads_) + " (numbered from 0)");
    return;
  }
  bool shared = false;
  for (const auto & set : sets_) {
    if (set->members == threads) {
      return;
    }
    shared = shared || (set->members & threads) != 0;
  }
  if (has_windows(order_) && shared) {
    faults.push_back(
      "order " + std::string(to_string(order_)) +
      " has one window per thread set: a thread cannot be in two of them; bind callbacks to "
      "the same threads or to disjoint ones");
  } else if (sets_.size() == kMaxThreadSets) {
    faults.push_back("more than 64 distinct thread sets; bind callbacks to fewer combinations");
  }
}

// The thread set of these members, made if there is none yet. After `check_threads`.
ThreadSet & Scheduler::thread_set(ThreadMask threads)
{
  if (threads == 0) {
    threads = all_threads();
  }
  for (const auto & set : sets_) {
    if (set->members == threads) {
      return *set;
    }
  }
  auto owned = std::make_unique<ThreadSet>(threads, order_, window_timers_);
  ThreadSet & set = *owned;
  set.queue->reserve(settings_.size() + 1);
  set.timers.reserve(settings_.size() + 1);
  for (std::uint32_t t = 0; t <= threads_; ++t) {
    if (t == visitor() || (threads >> t & 1) != 0) {
      set.wake_members |= std::uint64_t{1} << wake_bit_[t];
    }
  }
  sets_.push_back(std::move(owned));
  for (std::uint32_t t = 0; t <= threads_; ++t) {
    if (t == visitor() || (threads >> t & 1) != 0) {
      ThreadSets & own = own_sets_[t];
      const std::uint32_t count = own.count.load(std::memory_order_relaxed);
      own.sets[count].store(&set, std::memory_order_relaxed);
      own.count.store(count + 1, std::memory_order_release);
    }
  }
  return set;
}

Status Scheduler::add(std::shared_ptr<Callback> callback, const Binding & binding, Time now)
{
  std::lock_guard setup(setup_mutex_);
  Callback & c = *callback;
  Faults faults;
  if (by_id_.count(c.id_) != 0) {
    faults.push_back("callback id " + c.id_ + " is used already; ids are unique in an executor");
  }
  if (by_id_.count(c.id_) == 0 && (c.state_.load() & Callback::kAdded) != 0) {
    faults.push_back(c.id_ + ": belongs to another executor; remove it there first");
  }
  if (c.kind_ == Kind::timer && c.timer_.period <= Duration::zero()) {
    faults.push_back(c.id_ + ": a timer needs a period above zero");
  }
  check_priority(c.id_, binding.priority, faults);
  check_threads(binding.threads, faults);
  if (faults.empty() && !c.group_->join(this)) {
    faults.push_back(
      c.id_ + ": group " + c.group_->id() +
      " has members in another executor; a group belongs to "
      "one executor");
  }
  if (!faults.empty()) {
    return faults;
  }
  ThreadSet & set = thread_set(binding.threads);

  c.registration_ = registrations_[static_cast<std::size_t>(c.kind_)]++;
  c.state_.fetch_and(~Callback::kMarks);
  c.withdrawn_ = false;
  c.returning_ = false;
  auto owned = std::make_unique<Settings>();
  owned->callback = callback;
  owned->binding = binding;
  settings_.emplace(&c, std::move(owned));
  by_id_.emplace(c.id_, &c);
  for (const auto & s : sets_) {
    std::lock_guard lock(s->mutex);
    s->queue->reserve(settings_.size());
    s->timers.reserve(settings_.size());
  }
  c.set_.store(&set, std::memory_order_release);
  {
    std::lock_guard lock(set.mutex);
    set.queue->attach(c);
  }
  inherit(c);
  for (const ChainOptions & chain : chains_) {
    if (!chain.path.empty() && chain.path.front() == c.id_) {
      for (const std::string & id : chain.path) {
        if (const auto member = by_id_.find(id); member != by_id_.end()) {
          inherit(*member->second);
        }
      }
    }
  }

  c.state_.fetch_or(Callback::kAdded, std::memory_order_seq_cst);
  if (c.kind_ == Kind::timer) {
    if (open_.load(std::memory_order_acquire)) {
      std::unique_lock lock(set.mutex);
      start_timer(set, c, std::max(now, epoch_));
      lock.unlock();
      attend_timers(set);
    }
  } else if (!c.arrivals_.empty()) {
    enqueue(c);
  }
  return {};
}

void Scheduler::start_timer(ThreadSet & set, Callback & timer, Time from) noexcept
{
  if (timer.timer_active_ && !TimerHeap::armed(timer)) {
    timer.expiry_ = add_saturated(from, timer.timer_.offset.value_or(timer.timer_.period));
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
  for (const auto & [callback, settings] : settings_) {
    Callback & c = *settings->callback;
    if (c.kind_ == Kind::timer) {
      ThreadSet & set = *c.set_.load(std::memory_order_relaxed);
      std::unique_lock lock(set.mutex);
      start_timer(set, c, epoch);
      lock.unlock();
      attend_timers(set);
    }
  }
}

// Takes the callback out of wherever it waits; false if it is on its way between two places. With
// the mutex of its set held.
bool Scheduler::unlink(Callback & callback) noexcept
{
  ThreadSet & set = *callback.set_.load(std::memory_order_relaxed);
  drain(set);
  bool out = false;
  if (callback.where_.load(std::memory_order_relaxed) == Callback::Where::queue) {
    set.queue->remove(callback);
    out = true;
  } else if (callback.where_.load(std::memory_order_relaxed) == Callback::Where::held) {
    std::lock_guard lock(held_mutex_);
    for (Callback ** at = &held_; *at != nullptr; at = &(*at)->next_) {
      if (*at == &callback) {
        *at = callback.next_;
        out = true;
        break;
      }
    }
  }
  bool was_parked = false;
  Callback * const handed = callback.group_->forget(callback, was_parked);
  if (handed != nullptr) {
    handed->returning_ = true;
    put_in(*handed, kNoThread);
  }
  if (out || was_parked) {
    callback.where_.store(Callback::Where::nowhere, std::memory_order_relaxed);
    callback.state_.fetch_and(~Callback::kQueued, std::memory_order_seq_cst);
  }
  return (callback.state_.load(std::memory_order_seq_cst) & Callback::kQueued) == 0;
}

std::shared_ptr<Callback> Scheduler::remove(Callback & callback)
{
  std::lock_guard setup(setup_mutex_);
  const auto found = settings_.find(&callback);
  if (found == settings_.end()) {
    const auto earlier = std::find_if(retired_.begin(), retired_.end(), [&](const auto & settings) {
      return settings->callback.get() == &callback;
    });
    return earlier == retired_.end() ? nullptr : (*earlier)->callback;
  }
  callback.state_.fetch_or(Callback::kClosed, std::memory_order_seq_cst);
  for (;;) {
    ThreadSet & set = lock_set(callback);
    if (TimerHeap::armed(callback)) {
      set.timers.disarm(callback);
    }
    const bool out = unlink(callback);
    if (out) {
      set.queue->detach(callback);
    }
    publish_hints(set);
    set.mutex.unlock();
    if (set.may_have_work.load(std::memory_order_seq_cst)) {
      wake_one(set);  // a thread that looked while the intake was being emptied here saw nothing
    }
    if (out) {
      break;
    }
    // It lies in the intake of a set it was bound to before, or some thread is between marking it
    // queued and linking it; that takes a few instructions unless the thread is preempted there.
    drain_all();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  callback.state_.fetch_and(~Callback::kAdded, std::memory_order_seq_cst);
  callback.group_->part();
  by_id_.erase(callback.id_);
  std::shared_ptr<Callback> removed = found->second->callback;
  if (running(callback)) {
    retired_.push_back(std::move(found->second));
    retiring_.store(true, std::memory_order_release);
  }
  settings_.erase(found);
  return removed;
}

bool Scheduler::reap()
{
  if (!retiring_.load(std::memory_order_acquire)) {
    return false;
  }
  std::vector<std::unique_ptr<Settings>> ended;  // freed after the mutex: destructors call back
  std::lock_guard setup(setup_mutex_);
  const auto first = std::partition(
    retired_.begin(), retired_.end(), [this](const auto & s) { return running(*s->callback); });
  std::move(first, retired_.end(), std::back_inserter(ended));
  retired_.erase(first, retired_.end());
  retiring_.store(!retired_.empty(), std::memory_order_release);
  return !retired_.empty();
}

// Brings everything in the intakes to where it belongs, whether or not threads dispatch.
void Scheduler::drain_all() noexcept
{
  for (const auto & set : sets_) {
    set->mutex.lock();
    drain(*set);
    publish_hints(*set);
    set->mutex.unlock();
    if (set->may_have_work.load(std::memory_order_seq_cst)) {
      wake_one(*set);
    }
  }
}

Status Scheduler::bind(Callback & callback, ThreadMask threads)
{
  std::lock_guard setup(setup_mutex_);
  if (settings_.count(&callback) == 0) {
    return Faults{callback.id_ + " is not in this executor"};
  }
  Faults faults;
  check_threads(threads, faults);
  if (!faults.empty()) {
    return faults;
  }
  ThreadSet * const to = &thread_set(threads);
  settings(callback).binding.threads = threads;
  ThreadSet & from = *callback.set_.load(std::memory_order_relaxed);  // changes only here
  if (&from == to) {
    return {};
  }
  // Two sets' mutexes are held only here, in the order of their addresses.
  const bool from_first = std::less<ThreadSet *>{}(&from, to);
  (from_first ? from : *to).mutex.lock();
  (from_first ? *to : from).mutex.lock();
  drain(from);  // else it would wait for the next look of a thread it is no longer bound to
  const bool queued = callback.where_.load(std::memory_order_relaxed) == Callback::Where::queue;
  if (queued) {
    from.queue->remove(callback);
    callback.where_.store(Callback::Where::nowhere, std::memory_order_relaxed);
  }
  const bool armed = TimerHeap::armed(callback);
  if (armed) {
    from.timers.disarm(callback);
  }
  from.queue->detach(callback);
  to->queue->attach(callback);
  callback.set_.store(to, std::memory_order_release);
  if (armed) {
    arm(*to, callback);
  }
  publish_hints(from);
  publish_hints(*to);
  to->mutex.unlock();
  from.mutex.unlock();
  if (from.may_have_work.load(std::memory_order_seq_cst)) {
    wake_one(from);
  }
  if (queued) {
    put_in(callback, kNoThread);  // still marked queued: nobody else could link it meanwhile
  }
  if (armed) {
    attend_timers(*to);
  }
  return {};
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
  std::vector<std::shared_ptr<Callback>> all;
  all.reserve(settings_.size());
  for (const auto & [callback, settings] : settings_) {
    all.push_back(settings->callback);
  }
  std::sort(all.begin(), all.end(), [](const auto & a, const auto & b) {
    return a->number() < b->number();
  });
  return all;
}

std::vector<ChainOptions> Scheduler::chains() const
{
  std::lock_guard setup(setup_mutex_);
  return chains_;
}

Binding Scheduler::binding(const Callback & callback) const
{
  std::lock_guard setup(setup_mutex_);
  return settings(callback).binding;
}

}  // namespace takt_core
