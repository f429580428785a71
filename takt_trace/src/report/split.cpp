#include "report/split.hpp"

#include <algorithm>

#include "saturating.hpp"

namespace takt_trace::detail
{
namespace
{

__extension__ typedef __int128 Wide;  // NOLINT: `using` does not accept `__extension__`

/// A group without a name may be exclusive or not.
bool excludes(const TracedCallback & callback)
{
  return callback.exclusive && !callback.group.empty();
}

/// `value` * `part` / `whole`, rounded down; not negative, `part` at most `whole`.
std::int64_t share(std::int64_t value, std::int64_t part, std::int64_t whole)
{
  return whole == 0 ? 0 : static_cast<std::int64_t>(Wide{value} * part / whole);
}

}  // namespace

Split & Split::operator+=(const Split & other)
{
  for (const auto part :
       {&Split::middleware, &Split::group, &Split::queue, &Split::core, &Split::ran,
        &Split::blocked}) {
    this->*part = saturating_add(this->*part, other.*part);
  }
  return *this;
}

/// Splits one step.
class Splitter::Parts
{
public:
  Parts(const Splitter & splitter, const ActivationStep & step, Names * names)
  : splitter_(splitter),
    index_(splitter.index_),
    step_(step),
    run_(index_.runs()[step.run]),
    core_(core_of(index_.start_of(run_))),
    names_(names)
  {
  }

  Split split()
  {
    split_.middleware = step_.released - step_.from;
    split_wait();
    split_run();
    return split_;
  }

private:
  // From the arrival to the pick.
  void split_wait()
  {
    FreeTime wait(step_.released, step_.picked);
    if (const TracedCallback * const own = index_.callback_of(run_); own && excludes(*own)) {
      const auto group = splitter_.groups_.find({run_.process, own->executor, own->group});
      if (group != splitter_.groups_.end()) {
        split_.group = claim(group->second, wait, WaitedFor::group);
      }
    }
    const RunTimes & thread = splitter_.runs_of_thread(run_.process, run_.thread);
    split_.queue = claim(thread, wait, WaitedFor::queue);
    split_.core = wait.left();
    if (names_ == nullptr || split_.core == 0) {
      return;
    }
    const auto kernel = index_.kernel_wait_of(run_);
    const bool known = kernel && kernel->a >= 0;
    const std::int64_t ready = known ? std::min(kernel->a, split_.core) : split_.core;
    const std::int64_t others = name_runs_of_core(std::move(wait), ready);
    if (known) {
      name(WaitedFor::core, "threads that the trace does not have" + on_core(), ready - others);
      name(WaitedFor::core, "the wake-up of the thread", split_.core - ready);
    } else {
      name(
        WaitedFor::core,
        "the wake-up of the thread, or threads that the trace does not have" + on_core(),
        ready - others);
    }
  }

  // Splits the time from the pick on. Measurements are of the whole run: up to a publish that
  // carries on, the body has its share.
  void split_run()
  {
    const Measured measured = measure();
    const std::int64_t take_core = std::min(measured.take_wait, step_.start - step_.picked);
    split_.middleware += step_.start - step_.picked - take_core;
    const std::int64_t part = step_.end - step_.start;
    const std::int64_t body_core = share(measured.body_wait, part, measured.body);
    split_.ran = share(measured.body_cpu, part, measured.body);
    split_.blocked = part - split_.ran - body_core;
    // The node kept the message until its other input came.
    split_.blocked += step_.until - step_.end;
    const std::int64_t no_core = take_core + body_core;
    split_.core += no_core;
    if (names_ != nullptr && no_core > 0) {
      const std::int64_t others = name_runs_of_core({step_.picked, step_.end}, no_core);
      name(WaitedFor::core, "threads that the trace does not have" + on_core(), no_core - others);
    }
  }

  /// Measurements of the whole run: its body lasts from the start to the end, without the take.
  struct Measured
  {
    std::int64_t body = 0;
    std::int64_t body_cpu = 0;   // with `body_wait` at most `body`
    std::int64_t body_wait = 0;  // for a core
    std::int64_t take_wait = 0;
  };

  // A take seldom sleeps, so its time without CPU first counts as a wait for a core. If its CPU
  // time is unknown, it had a core all the time, unless the run waited for longer than its body can
  // have.
  Measured measure() const
  {
    const Record start = index_.start_of(run_);
    const Record end = index_.end_of(run_);
    const auto kernel = index_.kernel_wait_of(run_);
    const auto between = [](std::int64_t from, std::int64_t to) {
      return std::max<std::int64_t>(saturating_subtract(to, from), 0);
    };
    const std::int64_t waited = kernel ? std::max<std::int64_t>(kernel->b, 0) : 0;
    const std::int64_t take = end.a != 0 ? between(end.a, start.time) : 0;
    Measured result;
    result.body = std::max(between(start.time, end.time), step_.end - step_.start);
    if (end.b > 0) {
      const std::int64_t take_cpu = std::min(end.c > 0 ? end.c : end.b, take);
      result.body_cpu = std::clamp<std::int64_t>(end.b - take_cpu, 0, result.body);
      if (end.c > 0) {
        result.take_wait = std::min(waited, take - take_cpu);
      }
    }
    const std::int64_t most = result.body - result.body_cpu;
    result.body_wait = std::min(waited - result.take_wait, most);
    if (end.c <= 0) {
      result.take_wait = std::min(waited - result.body_wait, take);
    }
    if (end.b <= 0) {
      result.body_cpu = result.body - result.body_wait;
    }
    return result;
  }

  std::int64_t claim(const RunTimes & runs, FreeTime & wait, WaitedFor why)
  {
    std::int64_t sum = 0;
    runs.visit_overlapping(step_.released, step_.picked, [&](const RunTimes::One & one) {
      if (one.run != step_.run) {
        const std::int64_t time = wait.claim(one.begin, one.end);
        sum += time;
        name_run(why, one.run, time);
      }
    });
    return sum;
  }

  /// Names runs of other threads on the core, for at most `most`.
  std::int64_t name_runs_of_core(FreeTime time, std::int64_t most)
  {
    const auto runs = splitter_.cores_.find({index_.clock().host(run_.process), core_});
    if (core_ < 0 || runs == splitter_.cores_.end()) {
      return 0;
    }
    std::int64_t sum = 0;
    runs->second.visit_overlapping(step_.released, step_.end, [&](const RunTimes::One & one) {
      const TracedRun other = index_.runs()[one.run];
      if (other.process != run_.process || other.thread != run_.thread) {
        const std::int64_t claimed = std::min(time.claim(one.begin, one.end), most - sum);
        sum += claimed;
        name_run(WaitedFor::core, one.run, claimed);
      }
    });
    return sum;
  }

  void name_run(WaitedFor why, std::size_t run, std::int64_t time)
  {
    if (names_ != nullptr) {
      const TracedCallback * const callback = index_.callback_of(index_.runs()[run]);
      name(why, callback != nullptr ? callback->id : "a callback without a name", time);
    }
  }

  void name(WaitedFor why, const std::string & what, std::int64_t time)
  {
    if (names_ != nullptr && time > 0) {
      (*names_)[{why, what}] += time;
    }
  }

  std::string on_core() const { return core_ < 0 ? "" : ", core " + std::to_string(core_); }

  const Splitter & splitter_;
  const RunIndex & index_;
  const ActivationStep & step_;
  const TracedRun run_;
  const int core_;
  Names * const names_;
  Split split_{};
};

Splitter::Splitter(const RunIndex & index) : index_(index)
{
  for (std::size_t run = 0; run < index.runs().size(); ++run) {
    const TracedRun one = index.runs()[run];
    const Record start = index.start_of(one);
    const Record end = index.end_of(one);
    const std::int64_t picked = end.a != 0 ? std::min(end.a, start.time) : start.time;
    const RunTimes::One times{
      index.shared(one.process, picked), index.shared(one.process, end.time), run};
    threads_[{one.process, one.thread}].add(times);
    if (const int core = core_of(start); core >= 0) {
      cores_[{index.clock().host(one.process), core}].add(times);
    }
    const TracedCallback * const callback = index.callback_of(one);
    if (callback != nullptr && excludes(*callback)) {
      groups_[{one.process, callback->executor, callback->group}].add(times);
    }
  }
  const auto sort = [](auto & all) {
    for (auto & [key, runs] : all) {
      runs.sort();
    }
  };
  sort(threads_);
  sort(groups_);
  sort(cores_);
}

Split Splitter::split(const ActivationStep & step) const
{
  return Parts(*this, step, nullptr).split();
}

std::vector<Blocker> Splitter::blockers(const ActivationStep & step) const
{
  Names names;
  static_cast<void>(Parts(*this, step, &names).split());
  std::vector<Blocker> all;
  for (const auto & [name, time] : names) {
    all.push_back({name.second, name.first, time});
  }
  std::stable_sort(
    all.begin(), all.end(), [](const Blocker & a, const Blocker & b) { return a.time > b.time; });
  return all;
}

const RunTimes & Splitter::runs_of_thread(std::size_t process, std::size_t thread) const
{
  const auto found = threads_.find({process, thread});
  return found == threads_.end() ? none_ : found->second;
}

}  // namespace takt_trace::detail
