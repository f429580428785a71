// spin_once and spin_some: callbacks on the calling thread, which visits every thread set.
#include "executor/executor_impl.hpp"
#include "takt_core/futex.hpp"

namespace takt_core
{

SpinOutcome Executor::spin_once(Duration timeout, bool * ran)
{
  Impl & impl = *impl_;
  if (ran != nullptr) {
    *ran = false;
  }
  Impl::Use none = Impl::Use::none;
  if (!impl.use.compare_exchange_strong(none, Impl::Use::visitor)) {
    return {{impl.options.name + ": already spinning"}, nullptr, false};
  }
  const Time begin = now();
  const Time until = timeout < Duration::zero() ? kNever : add_saturated(begin, timeout);
  impl.scheduler.open(begin);

  const std::uint32_t visitor = impl.scheduler.visitor();
  ExecutorThread & self = impl.threads[visitor];
  Run run;
  while (!impl.cancelled()) {
    if (impl.scheduler.next(visitor, now(), run)) {
      impl.execute(run);
      if (ran != nullptr) {
        *ran = true;
      }
      break;
    }
    Time wake_at = kNever;
    const Time t = now();
    if (t >= until) {
      break;
    }
    if (impl.scheduler.begin_idle(visitor, t, wake_at)) {
      if (!impl.cancelled()) {
        futex_wait(self.wake, 0, std::min(wake_at, until));
      }
      self.wake.store(0, std::memory_order_seq_cst);
      impl.scheduler.end_idle(visitor);
    }
  }
  impl.scheduler.leave(visitor);
  const bool cancelled = impl.cancel.exchange(0) != 0;
  SpinOutcome outcome{{}, impl.take_exception(), cancelled};
  impl.use.store(Impl::Use::none);
  impl.scheduler.reap();
  return outcome;
}

SpinOutcome Executor::spin_some(Duration limit, std::size_t * ran)
{
  Impl & impl = *impl_;
  if (ran != nullptr) {
    *ran = 0;
  }
  Impl::Use none = Impl::Use::none;
  if (!impl.use.compare_exchange_strong(none, Impl::Use::visitor)) {
    return {{impl.options.name + ": already spinning"}, nullptr, false};
  }
  const Time begin = now();
  const Time until = limit == Duration::zero() ? kNever : add_saturated(begin, limit);
  impl.scheduler.open(begin);

  const std::uint32_t visitor = impl.scheduler.visitor();
  Run run;
  const std::uint64_t collected = impl.scheduler.begin_visit(begin);
  while (!impl.cancelled() && impl.scheduler.next(visitor, now(), run, collected)) {
    impl.execute(run);
    if (ran != nullptr) {
      ++*ran;
    }
    if (until != kNever && now() >= until) {
      break;
    }
  }
  impl.scheduler.release_held();
  impl.scheduler.leave(visitor);
  const bool cancelled = impl.cancel.exchange(0) != 0;
  SpinOutcome outcome{{}, impl.take_exception(), cancelled};
  impl.use.store(Impl::Use::none);
  impl.scheduler.reap();
  return outcome;
}

}  // namespace takt_core
