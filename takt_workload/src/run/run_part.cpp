#include "run/run_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>

#include "run/graph_node.hpp"
#include "run/held_signals.hpp"
#include "run/part_accounts.hpp"
#include "run/part_executor.hpp"
#include "run/record_size.hpp"
#include "run/recorder.hpp"
#include "run/refusals.hpp"
#include "takt_rcl/error.hpp"
#include "takt_schedule/duration.hpp"

namespace takt_workload
{

using takt_rt::Duration;
using takt_rt::Time;

namespace
{

constexpr const char * kStopped = "stopped before it began";

// The spinning thread ends before the objects that its callbacks use, also after an exception.
struct Joined
{
  takt_rcl::Executor & executor;
  std::thread & spinning;

  void end() const
  {
    if (spinning.joinable()) {
      executor.cancel();
      spinning.join();
    }
  }
  ~Joined() { end(); }
};

// The nodes of one part, from their creation until the last figure has been read.
class Part
{
public:
  Part(
    const Graph & graph, const RunOptions & options, std::uint32_t part,
    const std::vector<int> & parts)
  : graph_(graph),
    options_(options),
    part_(part),
    parts_(parts),
    table_(graph)
  {
    record_.process = part;
  }

  ProcessRecord run(const PartHooks & hooks)
  {
    try {
      create();
      if (!matched()) {
        return std::move(record_);
      }
      PartStart start;
      if (!hooks.barrier(start)) {
        record_.error = kStopped;
        return std::move(record_);
      }
      record_.epoch = start.epoch;
      spin(hooks, start.begin);
      collect();
    } catch (const takt_rcl::ScheduleError & error) {
      record_.error = error.what();
      record_.bad_input = true;
    } catch (const takt_rcl::Error & error) {
      takt_rt::Faults faults = error.faults();
      name_program(faults, own_program());
      record_.error = faults.empty() ? error.what() : with_grouped_refusals(error.failed(), faults);
      record_.bad_input = executor_ && (executor_->lacks_rights() || threads_refused(faults));
    } catch (const std::exception & error) {
      record_.error = error.what();
      record_.bad_input = executor_ && executor_->lacks_rights();
    }
    return std::move(record_);
  }

private:
  // The executor checks the rights for the middleware's threads (of a strict schedule) whenever a
  // node is made.
  bool threads_refused(const takt_rt::Faults & faults) const
  {
    return executor_->rights_must_be_there &&
           std::any_of(faults.begin(), faults.end(), [](const takt_rt::Fault & fault) {
             return fault.kind == takt_rt::FaultKind::process_threads;
           });
  }

  void create()
  {
    takt_rcl::InitOptions init;
    init.domain_id = options_.domain;
    init.shutdown_on_signal = false;
    context_ = std::make_shared<takt_rcl::Context>();
    context_->init(0, nullptr, init);
    executor_.emplace(make_part_executor(context_, graph_, options_, part_));
    record_.order = takt_core::to_string(executor_->order);
    record_.executor_name = executor_->name;
    if (!executor_->note.empty()) {
      record_.warnings.push_back(executor_->note);
    }
    takt_core::Executor & core = executor_->executor.core();

    const auto room = static_cast<std::size_t>(
      expected_runs(graph_, table_, options_, parts_, static_cast<int>(part_)));
    // An isolated group has at least one callback. Few groups have more than one thread.
    const bool isolates = !core.options().isolated_attributes.empty();
    const std::size_t threads =
      core.options().threads.size() + (isolates ? 2 * table_.callbacks().size() : 0);
    recorder_ = std::make_shared<Recorder>(table_, threads, room, part_);
    if (const takt_rt::Status added = core.add_observer(recorder_); !added.ok()) {
      throw std::runtime_error(to_string(added.faults().front()));
    }

    settings_.context = context_;
    settings_.work = Work::calibrate();
    settings_.seed = options_.seed;
    settings_.lanes = isolates ? takt_core::Scheduler::kMaxThreads + 1 : threads;
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (parts_[i] == static_cast<int>(part_)) {
        if (graph_.nodes[i].kind == NodeKind::command) {
          std::vector<int> alone(graph_.nodes.size(), 0);
          alone[i] = 1;
          settings_.originals =
            static_cast<std::size_t>(expected_runs(graph_, table_, options_, alone, 1));
        }
        nodes_.push_back(make_node(graph_, table_, i, settings_));
        executor_->executor.add_node(nodes_.back()->ros());
      }
    }
    // Throw now, before the parts wait for each other's endpoints.
    takt_rcl::detail::throw_schedule_faults(
      "the schedule does not fit", executor_->executor.schedule_faults());
    record_.defaulted_callbacks = executor_->executor.defaulted_callbacks();
    record_.schedule_fits = options_.schedule.empty() || schedule_fits();
  }

  bool schedule_fits() const
  {
    const std::vector<std::string> & others = record_.defaulted_callbacks;
    for (const CallbackEntry & entry : table_.callbacks()) {
      if (
        parts_[entry.node] == static_cast<int>(part_) &&
        (executor_->chained.contains(entry.id) ||
         std::find(others.begin(), others.end(), entry.id) == others.end())) {
        return true;
      }
    }
    return false;
  }

  bool matched()
  {
    const Time until = takt_rt::now() + options_.match_timeout;
    constexpr Duration kSlice = std::chrono::milliseconds(100);
    const auto wait = [&](const auto & endpoint, std::size_t count, const std::string & topic) {
      while (!endpoint->wait_for_matched(count, kSlice)) {
        if (wait_for_signal(Time{})) {
          record_.error = kStopped;
          return false;
        }
        if (takt_rt::now() > until) {
          record_.error = fmt::format(
            "{} was not matched with {} endpoint{} within {}", topic, count, count == 1 ? "" : "s",
            takt_schedule::print_duration(options_.match_timeout));
          return false;
        }
      }
      return true;
    };
    for (const auto & node : nodes_) {
      for (const auto & [topic, publisher] : node->publications()) {
        const TopicEntry & entry = table_.topics()[topic];
        if (!wait(publisher, entry.subscribers.size(), entry.name)) {
          return false;
        }
        record_.publishers.push_back({topic, fold(publisher->gid())});
      }
      for (const auto & [callback, subscription] : node->receptions()) {
        if (!wait(subscription, 1, table_.callbacks()[callback].id)) {
          return false;
        }
      }
    }
    return true;
  }

  void spin(const PartHooks & hooks, Time begin)
  {
    std::exception_ptr failure;
    std::atomic<bool> ended{false};
    std::thread spinning([&] {
      try {
        executor_->executor.spin(begin);
      } catch (...) {
        failure = std::current_exception();
      }
      ended = true;
    });
    const Joined joined{executor_->executor, spinning};
    const auto sleep_until = [&](Time until) {
      constexpr Duration kSlice = std::chrono::milliseconds(200);
      for (Time next = takt_rt::now(); !ended && next < until;) {
        next = std::min(until, next + kSlice);
        if (wait_for_signal(next)) {
          return false;
        }
        if (hooks.progress) {
          hooks.progress(takt_rt::now() - record_.epoch);
        }
      }
      return !ended;
    };
    record_.measured_from = record_.epoch + options_.warmup;
    record_.measured_to = record_.measured_from + options_.duration;
    const bool warm = sleep_until(record_.measured_from);
    const auto before = takt_rt::read_accounts();
    const std::vector<CallbackCounters> counted = counters();
    record_.phases_before = executor_->executor.core().phases();
    if (!warm || !sleep_until(record_.measured_to)) {
      record_.measured_to = std::max(record_.measured_from, takt_rt::now());
      record_.warnings.push_back("ended early");
    }
    record_.threads = thread_records(before, takt_rt::read_accounts(), executor_->threads(), part_);
    record_.counters = counters();
    record_.phases = phases();
    for (std::size_t i = 0; i < record_.counters.size(); ++i) {
      record_.counters[i].overwritten -= counted[i].overwritten;
      record_.counters[i].lost_messages -=
        std::min(record_.counters[i].lost_messages, counted[i].lost_messages);
    }
    sleep_until(takt_rt::now() + kDrain);
    record_.middleware_ceiling = executor_->executor.core().middleware_ceiling();
    record_.observed_to = takt_rt::now();
    joined.end();
    if (failure != nullptr) {
      std::rethrow_exception(failure);
    }
  }

  // The disturbances in the measured time.
  std::optional<takt_core::PhaseState> phases()
  {
    auto phases = executor_->executor.core().phases();
    if (phases && record_.phases_before) {
      phases->disturbances -= record_.phases_before->disturbances;
    }
    if (phases && phases->disturbances == 0) {
      phases->last.reset();
    }
    return phases;
  }

  std::vector<CallbackCounters> counters() const
  {
    std::vector<CallbackCounters> all;
    for (const auto & node : nodes_) {
      for (const auto & [callback, subscription] : node->receptions()) {
        all.push_back({callback, subscription->overwritten(), subscription->lost_messages()});
      }
    }
    return all;
  }

  void collect()
  {
    record_.runs = recorder_->runs();
    record_.unrecorded_runs = recorder_->unrecorded();
    for (const auto & node : nodes_) {
      const std::vector<OriginalSample> samples = node->originals();
      record_.originals.insert(record_.originals.end(), samples.begin(), samples.end());
    }
    takt_core::Executor & core = executor_->executor.core();
    for (const auto & callback : core.callbacks()) {
      const std::uint32_t number = table_.find(callback->id());
      if (number != kNone && callback->kind() == takt_core::Kind::timer) {
        record_.timers.push_back({number, core.scheduler_of(*callback).next_release(*callback)});
      }
    }
    // The records of the threads report fallbacks.
    for (const takt_rt::Fault & warning : executor_->executor.schedule_warnings()) {
      if (warning.kind != takt_rt::FaultKind::fallback) {
        record_.warnings.push_back(warning);
      }
    }
  }

  const Graph & graph_;
  const RunOptions & options_;
  const std::uint32_t part_;
  const std::vector<int> & parts_;
  const CallbackTable table_;
  ProcessRecord record_;
  NodeSettings settings_;
  std::shared_ptr<Recorder> recorder_;
  std::shared_ptr<takt_rcl::Context> context_;
  std::optional<PartExecutor> executor_;
  std::vector<std::unique_ptr<GraphNode>> nodes_;  // destroyed first
};

}  // namespace

ProcessRecord run_part(
  const Graph & graph, const RunOptions & options, std::uint32_t part,
  const std::vector<int> & parts, const PartHooks & hooks)
{
  return Part(graph, options, part, parts).run(hooks);
}

}  // namespace takt_workload
