#include "run/run_graph.hpp"

#include <memory>
#include <utility>

#include "run/host.hpp"
#include "run/refusals.hpp"
#include "run/run_part.hpp"
#include "run/split.hpp"
#include "takt_host/private_domain.hpp"
#include "takt_trace/periodic_thread.hpp"
#include "takt_trace/stall_witness.hpp"

namespace takt_workload
{

using takt_trace::PeriodicThread;
using takt_trace::StallWitness;

namespace
{

// Each process starts its threads in this time, before the first release.
constexpr takt_rt::Duration kLead = std::chrono::milliseconds(200);

// A timer thread outside of the executor, as a reference for the kernel's latency at that priority.
// Its releases coincide with those of the planner, so both meet the same more urgent threads.
class ReferenceTimer
{
public:
  ReferenceTimer(const Graph & graph, const RunOptions & options, takt_rt::Time epoch)
  {
    takt_rt::Duration period = std::chrono::milliseconds(100);
    takt_rt::Duration offset = period;
    const CallbackTable table(graph);
    if (const auto planner = table.find(graph.kpis.planner); planner != kNone) {
      const Node & node = graph.nodes[table.callbacks()[planner].node];
      period = node.period;
      offset = node.offset.value_or(period);
    }
    from_ = epoch + options.warmup;
    to_ = from_ + options.duration;
    lateness_.reserve(static_cast<std::size_t>(options.duration / period) + 16);
    takt_rt::ThreadAttributes attributes;
    attributes.policy = takt_rt::Policy::fifo;
    attributes.priority = *options.reference_timer;
    attributes.name = "reference";
    thread_ = std::make_unique<PeriodicThread>(
      attributes, epoch + offset, period, [this](takt_rt::Time due, takt_rt::Time now) {
        if (due >= from_ && due < to_ && lateness_.size() < lateness_.capacity()) {
          lateness_.push_back((now - due).count());
        }
      });
  }

  std::vector<std::int64_t> stop(takt_rt::Faults & warnings)
  {
    for (takt_rt::Fault fault : thread_->attributes().faults) {
      if (fault.refusal) {
        fault.refusal->thread.clear();  // its name is "the reference timer"
      }
      warnings.push_back(within("reference timer", std::move(fault)));
    }
    thread_.reset();
    return std::move(lateness_);
  }

private:
  std::vector<std::int64_t> lateness_;
  takt_rt::Time from_{};
  takt_rt::Time to_{};
  std::unique_ptr<PeriodicThread> thread_;
};

// Each part is a process of this program.
void name_program_in(ProcessRecord & record)
{
  const std::string program = own_program();
  name_program(record.warnings, program);
  for (ThreadRecord & thread : record.threads) {
    name_program(thread.faults, program);
  }
}

}  // namespace

std::vector<ProcessRecord> run_graph(
  const Graph & graph, const RunOptions & asked, const std::vector<std::string> & arguments,
  const Progress & progress)
{
  RunOptions options = asked;
  std::unique_ptr<takt_host::PrivateDomain> domain;
  if (!options.domain) {
    domain = std::make_unique<takt_host::PrivateDomain>();
    options.domain = domain->id();
  }
  std::unique_ptr<StallWitness> witness;
  std::unique_ptr<ReferenceTimer> reference;
  // Start both with the epoch: a fork would lose the threads, and set-up would load their cores.
  const auto begin = [&](takt_rt::Time & epoch) {
    if (options.witness) {
      witness = std::make_unique<StallWitness>(read_host().cores);
    }
    epoch = takt_rt::now() + kLead;
    if (options.reference_timer) {
      reference = std::make_unique<ReferenceTimer>(graph, options, epoch);
    }
    return true;
  };
  const std::vector<int> parts = parts_of(graph, options);
  std::vector<ProcessRecord> records;
  if (options.split > 1) {
    records = run_split(graph, options, parts, arguments, begin, progress);
  } else {
    records.push_back(run_part(
      graph, options, 0, parts,
      {[&](PartStart & start) {
         const bool begins = begin(start.epoch);
         start.begin = start.epoch;
         return begins;
       },
       progress}));
  }
  ProcessRecord & first = records.front();
  if (witness != nullptr) {
    first.stalls = witness->stop();
    if (witness->blind()) {
      first.warnings.push_back(within("stalls of the host are not witnessed", *witness->blind()));
    } else if (witness->unrecorded() > 0) {
      first.warnings.push_back("more stalls of the host than could be recorded");
    }
  }
  if (reference != nullptr) {
    first.reference_lateness_ns = reference->stop(first.warnings);
  }
  for (ProcessRecord & record : records) {
    name_program_in(record);
  }
  return records;
}

}  // namespace takt_workload
