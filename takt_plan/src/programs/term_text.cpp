#include "term_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/jobs/job_times.hpp"
#include "model/printed.hpp"

namespace takt_plan::program
{
namespace
{

using detail::printed;
using nlohmann::json;

constexpr Ns kSmallInterference = 50;  // a term below this part of the largest one gets no line of
                                       // its own
constexpr std::ptrdiff_t kFewestSmall = 3;
constexpr std::size_t kMostReleases = 4;  // releases in a line; --json has all
constexpr Ns kShownOfReleases = 10'000;   // precision of shown releases, in ns

std::vector<std::string> ids_of(
  const Model & model, const Chain & chain, const std::vector<Index> & tasks)
{
  std::vector<std::string> ids;
  for (const Index task : tasks) {
    ids.push_back(model.id_on(chain, task));
  }
  return ids;
}

std::string interferer(const Model & model, const Chain & chain, const BoundTerm & term)
{
  if (term.task != kNone) {
    return fmt::format("{} on {}", model.id_on(chain, term.task), threads_of(model, term.task));
  }
  if (term.thread != kNone) {
    return fmt::format("thread {}, with switches", described(model, term.thread));
  }
  return fmt::format(
    "thread {}, which is not an executor's and is taken to be strictly periodic",
    model.others[term.other].name);
}

/// True if a task of the segment's least urgent thread precedes this one only because the kernel
/// may run another thread of the same OS priority in between.
bool by_equal_thread(const Model & model, const SegmentBound & segment, Index task)
{
  const Thread & thread = model.threads[model.tasks[task].threads.front()];
  bool own_thread = false;
  for (const Index own : segment.tasks) {
    if (model.threads[model.tasks[own].threads.front()].priority < thread.priority) {
      return false;
    }
    if (model.tasks[own].threads == model.tasks[task].threads) {
      own_thread = true;
      if (model.tasks[own].priority <= model.tasks[task].priority) {
        return false;
      }
    }
  }
  return own_thread && thread.order == takt_core::Order::priority;
}

bool is_in(const SegmentBound & segment, Index task)
{
  return std::find(segment.tasks.begin(), segment.tasks.end(), task) != segment.tasks.end();
}

std::vector<std::string> busy_lines(
  const Model & model, const Chain & chain, const SegmentBound & segment, const BoundTerm & term)
{
  const Ns work = std::accumulate(
    term.busy.begin(), term.busy.end(), Ns{0},
    [](Ns sum, const BusyWork & one) { return sum + one.time; });
  std::vector<std::string> lines{
    term.kind == TermKind::cores_busy
      ? fmt::format(
          "waiting while {} cores are all busy, with {} of work together:", term.threads,
          printed(work))
    : term.threads == 1
      ? std::string("waiting for its thread, which is busy:")
      : fmt::format(
          "waiting while its {} threads are all busy, with {} of work together:", term.threads,
          printed(work))};
  std::vector<BusyWork> busy = term.busy;
  std::stable_sort(busy.begin(), busy.end(), [](const BusyWork & a, const BusyWork & b) {
    return std::pair(a.had_begun, -a.time) < std::pair(b.had_begun, -b.time);
  });
  for (const BusyWork & one : busy) {
    const bool own = std::all_of(
      one.tasks.begin(), one.tasks.end(), [&](Index task) { return is_in(segment, task); });
    const std::string by = (own ? "other activations of " : "") +
                           fmt::format("{}", fmt::join(ids_of(model, chain, one.tasks), ", "));
    lines.push_back(
      one.had_begun
        ? fmt::format(
            "  {} of callbacks that had begun, and would not go before", printed(one.time))
        : fmt::format("  {} of {}", printed(one.time), by));
  }
  return lines;
}

/// The execution times of one run of each callback of the segment, in ns.
Ns work_of(const Model & model, const SegmentBound & segment)
{
  Ns sum = 0;
  for (const Index task : segment.tasks) {
    sum += model.tasks[task].time;
  }
  return sum;
}

/// ", released at 50ms, 112ms to 131ms"; empty if phases are not known.
std::string released(const BoundTerm & term)
{
  std::vector<CountedJob> jobs = term.jobs;
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  std::vector<std::string> times;
  for (const CountedJob & job : jobs) {
    if (times.size() == kMostReleases) {
      times.push_back(fmt::format("and {} more", jobs.size() - kMostReleases));
      break;
    }
    const Ns from = detail::floor_div(job.earliest, kShownOfReleases) * kShownOfReleases;
    const Ns to = -detail::floor_div(-job.latest, kShownOfReleases) * kShownOfReleases;
    times.push_back(
      job.earliest == job.latest ? printed(job.earliest)
                                 : fmt::format("{} to {}", printed(from), printed(to)));
  }
  return times.empty() ? "" : fmt::format(", released at {}", fmt::join(times, ", "));
}

/// True if the chain's path has the task before the segment.
bool is_before(const Chain & chain, const SegmentBound & segment, Index task)
{
  const auto first = std::find(chain.path.begin(), chain.path.end(), segment.tasks.front());
  return std::find(chain.path.begin(), first, task) != first;
}

/// The line of a term that needs only one line.
std::string line_of(
  const Model & model, const Chain & chain, const SegmentBound & segment, const BoundTerm & term)
{
  const std::string task = term.task == kNone ? "" : model.id_on(chain, term.task);
  switch (term.kind) {
    case TermKind::work:
      return segment.analysis == Analysis::priority && work_of(model, segment) < term.time
               ? "work of these callbacks, of their other activations and of the callbacks that "
                 "they start on this core"
               : "own work";
    case TermKind::overhead:
      return "own overhead: dispatch, context switches, middleware";
    case TermKind::activations:
      return fmt::format(
        "{} activations of {}", term.task == segment.tasks.back() ? "earlier" : "other", task);
    case TermKind::blocking:
      return fmt::format("waiting for {}, less urgent on the same thread, which had begun", task) +
             released(term);
    case TermKind::ceiling:
      return "waiting for a less urgent thread that publishes at the middleware ceiling";
    case TermKind::under_way:
      return "messages of these callbacks under way, and less urgent work that begins meanwhile";
    case TermKind::started_before:
      return "work that less urgent callbacks of this core had started before";
    case TermKind::same_thread:
      return fmt::format("waiting for {} on the same thread", task);
    case TermKind::parked:
      if (task.empty()) {
        return "parked while less urgent callbacks have its group";
      }
      return (is_in(segment, term.task) ? fmt::format("waiting for other runs of {}", task)
                                        : fmt::format("parked while {} has its group", task)) +
             released(term);
    case TermKind::waking:
      return "threads that wake each other";
    case TermKind::interference:
      if (segment.analysis == Analysis::jobs && is_before(chain, segment, term.task)) {
        return fmt::format("{}, before it in the chain{}", task, released(term));
      }
      return "interference by " + interferer(model, chain, term) +
             (segment.analysis != Analysis::jobs && term.task != kNone &&
                  by_equal_thread(model, segment, term.task)
                ? ", less urgent: another thread there has the same OS priority"
                : "") +
             released(term);
    case TermKind::reservation:
      return "waiting for the time that its thread reserves";
    case TermKind::switches:
      if (segment.analysis != Analysis::jobs) {
        return "switches to its thread, each time that it is replenished or was preempted";
      }
      return model.tasks[segment.tasks.back()].threads.size() > 1
               ? "switches to its threads, each time that another thread took their core, and "
                 "while they wake each other"
               : "switches to its thread, each time that another thread took its core";
    case TermKind::not_before:
      return "its end counts no earlier than the end of the callback that starts it";
    case TermKind::other_runs:
      return "waiting for other callbacks and sets, in the worst of all orders in which runs may "
             "begin";
    case TermKind::any_phase:
      return "its bound whatever the phases of timers are, which is the smaller one here";
    case TermKind::head_start:
      return segment.analysis == Analysis::priority
               ? "head start of earlier activations in the queue"
               : "head start: its thread was busy that long before its release";
    case TermKind::threads_busy:
    case TermKind::cores_busy:
      break;
  }
  return {};
}

}  // namespace

std::string described(const Model & model, Index index)
{
  const Thread & thread = model.threads[index];
  const bool ambiguous =
    std::any_of(model.threads.begin(), model.threads.end(), [&](const Thread & other) {
      return other.name == thread.name && other.executor != thread.executor;
    });
  const std::string name =
    ambiguous ? thread.name + " of " + model.executors[thread.executor] : thread.name;
  if (thread.kind == ThreadClass::deadline) {
    return fmt::format(
      "{} ({} in each {})", name, printed(thread.reservation.runtime),
      printed(thread.reservation.period));
  }
  return fmt::format("{} (OS priority {})", name, thread.priority);
}

std::string threads_of(const Model & model, Index task)
{
  std::vector<std::string> threads;
  for (const Index thread : model.tasks[task].threads) {
    threads.push_back(described(model, thread));
  }
  return fmt::format("{}", fmt::join(threads, " or "));
}

std::string small_interference(BoundTerms & terms)
{
  Ns most = 0;
  for (const BoundTerm & term : terms) {
    most = std::max(most, term.kind == TermKind::interference ? term.time : 0);
  }
  const auto is_small = [&](const BoundTerm & term) {
    return term.kind == TermKind::interference && term.task != kNone &&
           term.time < most / kSmallInterference;
  };
  const auto count = std::count_if(terms.begin(), terms.end(), is_small);
  if (count < kFewestSmall) {
    return {};
  }
  BoundTerm all{TermKind::interference};
  Ns largest = 0;
  for (const BoundTerm & term : terms) {
    all.time += is_small(term) ? term.time : 0;
    largest = std::max(largest, is_small(term) ? term.time : 0);
  }
  std::erase_if(terms, is_small);
  terms.push_back(all);
  return fmt::format(
    "interference by {} other callbacks, by each at most {}", count, printed(largest));
}

BoundTerms in_order(BoundTerms terms)
{
  std::stable_sort(terms.begin(), terms.end(), [](const BoundTerm & a, const BoundTerm & b) {
    return std::pair(a.kind, -a.time) < std::pair(b.kind, -b.time);
  });
  return terms;
}

std::vector<std::string> lines_of(
  const Model & model, const Chain & chain, const SegmentBound & segment, const BoundTerm & term)
{
  if (term.kind == TermKind::threads_busy || term.kind == TermKind::cores_busy) {
    return busy_lines(model, chain, segment, term);
  }
  return {line_of(model, chain, segment, term)};
}

json terms_json(const Model & model, const Chain & chain, const BoundTerms & terms)
{
  auto all = json::array();
  for (const BoundTerm & term : in_order(terms)) {
    json one{{"term", to_string(term.kind)}, {"ns", term.time}};
    if (term.task != kNone) {
      one["callback"] = model.id_on(chain, term.task);
    }
    if (term.thread != kNone) {
      one["thread"] = model.threads[term.thread].name;
      one["executor"] = model.executors[model.threads[term.thread].executor];
    }
    if (term.other != kNone) {
      one["thread"] = model.others[term.other].name;
    }
    if (!term.jobs.empty()) {
      auto & jobs = one["jobs"] = json::array();
      for (const CountedJob & job : term.jobs) {
        jobs.push_back({{"earliest_release_ns", job.earliest}, {"latest_release_ns", job.latest}});
      }
    }
    if (term.kind == TermKind::threads_busy || term.kind == TermKind::cores_busy) {
      one[term.kind == TermKind::threads_busy ? "threads" : "cores"] = term.threads;
      auto & busy = one["busy"] = json::array();
      for (const BusyWork & work : term.busy) {
        busy.push_back(
          {{"callbacks", ids_of(model, chain, work.tasks)},
           {"had_begun", work.had_begun},
           {"ns", work.time}});
      }
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace takt_plan::program
