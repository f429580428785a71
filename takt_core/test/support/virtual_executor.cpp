#include "virtual_executor.hpp"

#include <algorithm>
#include <stdexcept>

namespace takt_core::test
{

using takt_rt::to_ns;

void VirtualExecutors::Host::wake(std::uint32_t thread) noexcept
{
  if (seam->passes_wake(thread) && thread < scheduler->thread_count()) {
    world->threads_[first_thread + thread].woken = true;
  }
}

std::size_t VirtualExecutors::add_executor(SchedulerOptions options, const SeamMaker & maker)
{
  auto host = std::make_unique<Host>();
  host->world = this;
  host->first_thread = thread_count();
  host->seam = maker();
  host->scheduler = std::make_unique<Scheduler>(options, *host);
  host->seam->attach(*host->scheduler);
  for (std::uint32_t t = 0; t < host->scheduler->thread_count(); ++t) {
    Thread thread;
    thread.host = host.get();
    thread.index = t;
    threads_.push_back(thread);
  }
  executors_.push_back(std::move(host));
  return executors_.size() - 1;
}

Status VirtualExecutors::add(
  const std::shared_ptr<VirtualCallback> & callback, const Binding & binding)
{
  return executors_[callback->executor]->scheduler->add(callback, binding, now_);
}

void VirtualExecutors::at(Time when, std::function<void()> action)
{
  const auto place = std::upper_bound(
    actions_.begin(), actions_.end(), when, [](Time t, const Action & a) { return t < a.when; });
  actions_.insert(place, {when, std::move(action)});
}

const Run * VirtualExecutors::running(std::uint32_t thread) const
{
  return threads_[thread].run ? &*threads_[thread].run : nullptr;
}

void VirtualExecutors::run_until(Time horizon)
{
  while (step(horizon)) {
  }
}

bool VirtualExecutors::step(Time horizon)
{
  if (!open_) {
    open_ = true;
    now_ = std::max(now_, epoch);
    for (const auto & host : executors_) {
      host->scheduler->open(epoch);
    }
    instant();
    return true;
  }
  const auto next = next_instant();
  if (!next || *next >= horizon || livelocked_) {
    return false;
  }
  advance(*next);
  instant();
  return true;
}

// The speed of the thread's run, as a fraction of a core.
std::pair<std::int64_t, std::int64_t> VirtualExecutors::rate(const Thread & thread) const
{
  if (!thread.run) {
    return {0, 1};
  }
  if (kernel_ == Kernel::fifo) {
    return {thread.on_core ? 1 : 0, 1};
  }
  const auto running = std::count_if(
    threads_.begin(), threads_.end(), [](const Thread & t) { return t.run.has_value(); });
  return kernel_ == Kernel::own || running <= cores_
           ? std::pair<std::int64_t, std::int64_t>{1, 1}
           : std::pair<std::int64_t, std::int64_t>{cores_, running};
}

std::optional<Time> VirtualExecutors::next_instant() const
{
  Time next = kNever;
  for (const Thread & thread : threads_) {
    const auto [part, whole] = rate(thread);
    if (thread.run && part > 0) {
      const std::int64_t work = thread.remaining.count() * whole;
      if (work % part != 0) {
        throw std::runtime_error("virtual time is too coarse for a share of the cores");
      }
      next = std::min(next, now_ + Duration(work / part));
    }
    if (!thread.run && !thread.queued && looks_ == Looks::when_woken) {
      next = std::min(next, thread.woken ? now_ : thread.wake_at);
    }
  }
  if (looks_ == Looks::every_instant) {
    for (const auto & host : executors_) {
      const Time timer = host->scheduler->next_timer(host->scheduler->visitor());
      next = std::min(next, timer > now_ ? timer : kNever);  // due timers wait for a thread
    }
  }
  if (!actions_.empty()) {
    next = std::min(next, actions_.front().when);
  }
  return next == kNever ? std::nullopt : std::optional(std::max(next, now_));
}

void VirtualExecutors::advance(Time to)
{
  const std::int64_t elapsed = (to - now_).count();
  std::vector<Duration> done;
  for (const Thread & thread : threads_) {
    const auto [part, whole] = rate(thread);
    if (part * elapsed % whole != 0) {
      throw std::runtime_error("virtual time is too coarse for a share of the cores");
    }
    done.push_back(Duration(part * elapsed / whole));
  }
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    threads_[t].remaining -= done[t];
  }
  now_ = to;
}

void VirtualExecutors::instant()
{
  while (!actions_.empty() && actions_.front().when <= now_) {
    const Action action = std::move(actions_.front());
    actions_.erase(actions_.begin());
    action.what();
  }
  for (Thread & thread : threads_) {
    if (thread.run && thread.remaining == Duration::zero()) {
      finish(thread);
    }
  }
  dispatch();
}

void VirtualExecutors::finish(Thread & thread)
{
  Run run = *thread.run;
  auto & callback = static_cast<VirtualCallback &>(*run.callback);
  {
    const ActivationScope scope(run.activations);
    std::optional<WakeDeferral> deferral;
    if (callback.publishes_last()) {
      deferral.emplace(*thread.host->scheduler, run.thread);
    }
    for (VirtualCallback * const reader : callback.readers) {
      executors_[reader->executor]->seam->ready(*reader, 1, now_);
    }
    if (callback.on_end) {
      callback.on_end(run);
    }
  }
  ends_.push_back({to_ns(now_), &callback, run});
  thread.run.reset();
  thread.woken = true;
  thread.host->seam->complete(run);
}

}  // namespace takt_core::test
