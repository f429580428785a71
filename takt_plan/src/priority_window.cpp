#include "priority_window.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace takt_plan::detail
{
namespace
{

using takt_core::Faults;
using takt_core::Order;
using takt_core::Result;

using Refusal = std::optional<std::string>;

class Builder
{
public:
  Builder(
    const Model & model, const Streams & streams, const Segments & segments,
    const PriorityTerms & terms)
  : model_(model),
    streams_(streams),
    segments_(segments),
    terms_(terms)
  {
  }

  Result<PriorityWindow> build(Index task, Index way)
  {
    result_.tasks = segments_.up_to(task);
    // A segment has no ways in but its head's, so streams keep their positions along it.
    result_.head_stream = streams_.of(head())[way];
    result_.window.period = streams_.all()[result_.head_stream].period;
    Refusal refusal = refuse_segment();
    if (!refusal) {
      find_level();
      refusal = refuse_threads();
    }
    if (!refusal) {
      find_work();
      refusal = refuse_work();
    }
    if (refusal) {
      return Faults{*refusal};
    }
    add_blocking();
    add_work();
    add_own();
    add_others();
    return std::move(result_);
  }

private:
  // ---- names ----

  Index head() const { return result_.tasks.front(); }
  Index last() const { return result_.tasks.back(); }
  const Task & task(Index index) const { return model_.tasks[index]; }
  const Thread & thread_of(Index index) const { return model_.threads[segments_.thread(index)]; }
  std::string name(Index index) const { return "'" + task(index).id + "'"; }
  std::string thread_name(Index thread) const { return "'" + model_.threads[thread].name + "'"; }

  /// Where a task stands among those of its thread.
  int level(Index index) const
  {
    return thread_of(index).order == Order::priority ? task(index).priority : 0;
  }

  // ---- what is outside of the theorem ----

  Refusal refuse_segment() const
  {
    for (const Index index : result_.tasks) {
      const Task & t = task(index);
      if (t.threads.size() > 1) {
        return name(index) + " may run on any of " + std::to_string(t.threads.size()) +
               " threads; this analysis needs one thread for each callback";
      }
      const Index thread = t.threads.front();
      const Thread & on = model_.threads[thread];
      if (on.kind != ThreadClass::fixed_priority) {
        return name(index) + " runs on thread " + thread_name(thread) +
               (on.kind == ThreadClass::deadline
                  ? ", whose policy is deadline; this analysis needs fifo or rr"
                  : ", which shares its core with everything on the machine; this analysis needs "
                    "policy fifo or rr");
      }
      if (on.follow) {
        return name(index) + " runs on thread " + thread_name(thread) +
               " of a following pool; this analysis needs a fixed OS priority";
      }
      if (on.cores.size() != 1) {
        return name(index) + " runs on thread " + thread_name(thread) + ", which may be on " +
               std::to_string(on.cores.size()) + " cores; this analysis needs it on one";
      }
    }
    return {};
  }

  void find_level()
  {
    core_ = segments_.core(head());
    urgency_ = thread_of(head()).priority;
    thread_ = segments_.thread(head());
    for (const Index index : result_.tasks) {
      if (thread_of(index).priority < urgency_) {
        urgency_ = thread_of(index).priority;
        thread_ = segments_.thread(index);
      }
    }
    level_ = 1 << 30;
    for (const Index index : result_.tasks) {
      if (segments_.thread(index) == thread_) {
        level_ = std::min(level_, level(index));
      }
    }
    const auto is_equal = [&](Index thread) {
      const Thread & other = model_.threads[thread];
      return thread != thread_ && other.kind == ThreadClass::fixed_priority &&
             other.priority == urgency_;
    };
    const auto & threads = segments_.threads_on(core_);
    shared_ = terms_.equals && std::any_of(threads.begin(), threads.end(), is_equal);
    for (const OtherLoad & other : model_.others) {
      shared_ = shared_ || (terms_.equals && other.priority == urgency_ && may_be_here(other));
    }
  }

  bool may_be_here(const OtherLoad & other) const
  {
    return std::find(other.cores.begin(), other.cores.end(), core_) != other.cores.end();
  }

  /// Whether the kernel may prefer the thread to the segment's, or leave it alone.
  bool competes(const Thread & thread) const
  {
    return thread.kind == ThreadClass::deadline ||
           (thread.kind == ThreadClass::fixed_priority && thread.priority >= urgency_);
  }

  Refusal refuse_threads() const
  {
    const Order order = model_.threads[thread_].order;
    if (order != Order::priority && order != Order::fifo) {
      return name(last()) + " depends on thread " + thread_name(thread_) + ", whose order is " +
             std::string(takt_core::to_string(order)) +
             "; this analysis needs priority or fifo there";
    }
    for (const Index index : segments_.threads_on(core_)) {
      const Thread & thread = model_.threads[index];
      const std::string where = "thread " + thread_name(index) + " may delay " + name(last()) +
                                " on " + model_.core_name(core_);
      if (competes(thread)) {
        if (thread.kind == ThreadClass::deadline) {
          return where + " and its policy is deadline, which goes before every OS priority";
        }
        if (thread.follow || thread.cores.size() != 1) {
          return where + (thread.follow ? " and follows its callbacks' priorities"
                                        : " and may be on other cores as well");
        }
        if (thread.order == Order::stock) {
          return where + " and its order is stock, which drops callbacks that wait";
        }
      } else if (thread.ceiling && thread.cores.size() != 1 && most_middleware(index) > 0) {
        return where + ": it publishes at the middleware ceiling and may be on other cores as well";
      }
    }
    return {};
  }

  Refusal refuse_work() const
  {
    for (const Index index : segments_.on(core_)) {
      const Task & t = task(index);
      const bool pooled =
        t.threads.size() > 1 && std::any_of(t.threads.begin(), t.threads.end(), [&](Index thread) {
          const Thread & on = model_.threads[thread];
          return competes(on) && on.cores.front() == core_;
        });
      if (pooled) {
        return name(index) + " may delay " + name(last()) + " and may run on any of " +
               std::to_string(t.threads.size()) + " threads";
      }
      if (work_[index] && streams_.too_many(index)) {
        return name(index) + (index == last() ? "" : ", which may delay " + name(last()) + ",") +
               " is started in more than " + std::to_string(Streams::kMostPerTask) +
               " ways; this analysis does not tell so many apart";
      }
      if (work_[index] && segments_.spanned(index)) {
        return name(index) + (index == last() ? "" : ", which may delay " + name(last()) + ",") +
               " is in the exclusive group '" + model_.groups[t.group].id +
               "', whose callbacks run on several threads: it may have to wait for one that this "
               "analysis does not see";
      }
    }
    return {};
  }

  // ---- W: the work of the segment's level or above ----

  void find_work()
  {
    work_.assign(model_.tasks.size(), false);
    for (const Index index : segments_.on(core_)) {
      work_[index] = segments_.core(index) == core_ && in_level(index);
    }
    for (const Index index : result_.tasks) {
      work_[index] = true;
    }
  }

  bool in_level(Index index) const
  {
    const Thread & thread = thread_of(index);
    if (thread.kind != ThreadClass::fixed_priority) {
      return false;
    }
    if (thread.priority != urgency_) {
      return thread.priority > urgency_;
    }
    if (shared_) {
      return true;
    }
    return segments_.thread(index) == thread_ &&
           (level(index) > level_ || (terms_.equals && level(index) == level_));
  }

  Ns most_middleware(Index thread) const
  {
    Ns most = 0;
    for (const Index index : segments_.tasks_of(thread)) {
      most = std::max(most, task(index).middleware);
    }
    return most;
  }

  void add_blocking()
  {
    for (const Index index : segments_.tasks_of(thread_)) {
      if (terms_.blocking && !work_[index]) {
        result_.window.blocking = std::max(result_.window.blocking, task(index).cost());
      }
    }
    for (const Index thread : segments_.threads_on(core_)) {
      if (terms_.ceiling && model_.threads[thread].ceiling && !competes(model_.threads[thread])) {
        result_.window.ceiling = std::max(result_.window.ceiling, most_middleware(thread));
      }
    }
  }

  /// What one run of each task of W costs with all it starts in W; then where it comes from.
  void add_work()
  {
    const std::vector<Index> & here = segments_.on(core_);
    value_.assign(model_.tasks.size(), 0);
    for (auto at = here.rbegin(); at != here.rend(); ++at) {
      if (work_[*at]) {
        value_[*at] = task(*at).cost();
        for (const Index next : segments_.next(*at)) {
          value_[*at] = add(value_[*at], work_[next] ? value_[next] : 0);
        }
      }
    }
    for (const Index index : here) {
      if (work_[index]) {
        add_entries(index);
      }
    }
  }

  void add_entries(Index index)
  {
    for (const Index id : streams_.of(index)) {
      const Stream & stream = streams_.all()[id];
      const bool local = !stream.from.empty() &&
                         segments_.local(task(index).triggers[stream.from.front().link], index);
      if (!local && id != result_.head_stream) {
        result_.window.entries.push_back({index, id, stream.period, 0, value_[index]});
      }
    }
    for (const Link & link : task(index).triggers) {
      if (terms_.once && segments_.local(link, index) && !work_[link.from]) {
        result_.window.once = add(result_.window.once, value_[index]);
      }
    }
  }

  // ---- the segment itself ----

  /// True if, once both are pending, `later` goes before any run of `earlier` that has not begun.
  bool dominates(Index later, Index earlier) const
  {
    const Thread & a = thread_of(later);
    const Thread & b = thread_of(earlier);
    return a.priority > b.priority ||
           (segments_.thread(later) == segments_.thread(earlier) && level(later) > level(earlier));
  }

  void add_own()
  {
    const std::vector<Index> & own = result_.tasks;
    // From here on, no later activation is under way before this one has ended.
    Index least = own.size() - 1;
    for (Index i = own.size() - 1; i-- > 0;) {
      const bool below = std::all_of(
        own.begin() + static_cast<std::ptrdiff_t>(i) + 1, own.end(),
        [&](Index later) { return dominates(later, own[i]); });
      if (below) {
        least = i;
      }
    }
    BusyWindow & window = result_.window;
    for (Index i = 0; i < own.size(); ++i) {
      Ns & cost = i < least && terms_.overtaking ? window.before : window.after;
      cost = add(cost, task(own[i]).cost());
      for (const Index next : segments_.next(own[i])) {
        if (!work_[next] || (i + 1 < own.size() && next == own[i + 1])) {
          continue;
        }
        // What the last task starts on its own thread has to wait for its end.
        const bool after_it =
          i + 1 == own.size() && segments_.thread(next) == segments_.thread(own[i]);
        Ns & forked = after_it ? window.forked : cost;
        forked = add(forked, value_[next]);
      }
    }
  }

  void add_others()
  {
    for (const OtherLoad & other : model_.others) {
      if (
        may_be_here(other) && other.priority >= urgency_ &&
        (terms_.equals || other.priority > urgency_)) {
        // On several cores, it may bring what waited elsewhere.
        const Ns jitter = other.cores.size() > 1 ? other.period : 0;
        result_.window.entries.push_back({kNone, kNone, other.period, jitter, other.time});
      }
    }
  }

  const Model & model_;
  const Streams & streams_;
  const Segments & segments_;
  const PriorityTerms & terms_;
  PriorityWindow result_;
  Index core_ = kNone;
  Index thread_ = kNone;  // that of the least urgent task
  int urgency_ = 0;       // its OS priority
  int level_ = 0;         // the least priority of the segment's tasks on it
  bool shared_ = false;   // another thread of the core has the same OS priority
  std::vector<char> work_;
  std::vector<Ns> value_;
};

}  // namespace

Result<PriorityWindow> priority_window(
  const Model & model, const Streams & streams, const Segments & segments, Index task, Index way,
  const PriorityTerms & terms)
{
  return Builder(model, streams, segments, terms).build(task, way);
}

}  // namespace takt_plan::detail
