#include "adopt/adoption.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "adopt/clock_waiter.hpp"
#include "adopt/exclusive_schedule.hpp"
#include "adopt/give_back.hpp"
#include "adopt/host_access.hpp"
#include "adopt/housekeeping_id.hpp"
#include "adopt/process_settings.hpp"
#include "adopt/report.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/utilities.hpp"
#include "takt_core/adapter/exception_reporter.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/resolver.hpp"
#include "takt_schedule/schedule_placer.hpp"

namespace takt_rclcpp
{
namespace
{

using takt_core::Faults;

// How long a spin that the end of its context ended waits for that end.
constexpr std::chrono::seconds kLongestShutdown{2};

// Executors by their first node; the second of a name gets "#2". Another executor may come to be where one has
// been, so an address alone names none.
std::string name_executor(rclcpp::Executor & host)
{
  static std::mutex mutex;
  static std::map<std::pair<const rclcpp::Executor *, std::string>, std::string> names;
  static std::map<std::string, unsigned> used;
  const auto groups = groups_of(host);
  const std::string node = groups.empty() ? "/empty" : groups.front().node;
  const std::lock_guard lock(mutex);
  auto & name = names[{&host, node}];
  if (name.empty()) {
    name = numbered(node, ++used[node]);
  }
  return name;
}

// A container has only these when it begins to spin.
bool is_container(const std::vector<std::pair<std::string, takt_core::Kind>> & ids)
{
  return std::any_of(ids.begin(), ids.end(), [](const auto & id) {
    return id.first.ends_with("/_container/load_node)");
  });
}

/// How many of the host's callbacks the rules or chains of the schedule's executor name.
std::size_t named_by(
  const takt_schedule::Schedule & schedule, const std::string & executor,
  const std::vector<std::pair<std::string, takt_core::Kind>> & ids)
{
  auto resolver = takt_schedule::Resolver::create(schedule, executor);
  if (!resolver.ok()) {
    return 0;
  }
  std::set<std::string> in_chains;
  for (const auto & chain : schedule.chains) {
    in_chains.insert(chain.options.path.begin(), chain.options.path.end());
  }
  std::size_t named = 0;
  for (const auto & [id, kind] : ids) {
    const auto resolved = resolver->resolve(id, kind);
    named += (resolved.ok() && resolved->line != 0) || in_chains.contains(id) ? 1 : 0;
  }
  return named;
}

/// The schedule's executor for this host; empty: none.
std::string choose_executor(
  const takt_schedule::Schedule & schedule, const std::string & asked, rclcpp::Executor & host)
{
  if (!asked.empty()) {
    return asked;
  }
  const auto ids = ids_of(host);
  std::string best;
  std::size_t most = 0;
  for (const auto & executor : schedule.executors) {
    std::size_t named = named_by(schedule, executor.name, ids);
    // A schedule of one executor is for every program under it if it has no rules, and for components that a
    // container has yet to load.
    if (schedule.executors.size() == 1 && (executor.callbacks.empty() || is_container(ids))) {
      named = std::max<std::size_t>(named, 1);
    }
    if (named > most) {
      most = named;
      best = executor.name;
    }
  }
  return best;
}

// Of a program with several executors each fits a part of the schedule: what matches nothing here is counted.
void tell(const std::string & name, const Faults & warnings)
{
  std::size_t unmatched = 0;
  for (const auto & warning : warnings) {
    if (warning.kind == takt_core::FaultKind::unmatched) {
      ++unmatched;
    } else {
      say(name + ": " + takt_core::to_string(warning));
    }
  }
  if (unmatched > 0) {
    say(
      name + ": " + std::to_string(unmatched) +
      " rules and ids of chains in the schedule match no callback of this executor; the report of "
      "`takt exec --report` lists them");
  }
}

takt_core::ExecutorThreadOptions inherited_thread()
{
  takt_core::ExecutorThreadOptions thread;
  // The threads of rclcpp's pool have their creator's name.
  thread.attributes.name = takt_core::read_attributes().name;
  return thread;
}

/// Of the thread that waits for timers on ROS time: it only announces, and is as urgent as the most urgent of the
/// threads that run them. Where a schedule rules it does not have what the thread has that meets the first timer.
takt_core::ThreadAttributes waiting_thread(const takt_core::Executor & core, bool scheduled)
{
  takt_core::ThreadAttributes attributes;
  attributes.name = "takt.waits";
  if (!scheduled) {
    return attributes;
  }
  attributes.policy = takt_core::Policy::other;
  attributes.cores = takt_core::usable_cores();
  for (const auto & thread : core.options().threads) {
    const auto & one = thread.attributes;
    if (takt_core::has_rt_priority(one.policy) && one.priority > attributes.priority) {
      attributes.policy = takt_core::Policy::fifo;
      attributes.priority = one.priority;
    }
  }
  return attributes;
}

}  // namespace

struct Adoption::Plan
{
  std::string schedule_executor;
  bool on_caller = true;
  std::shared_ptr<takt_core::Executor> core;
  std::unique_ptr<takt_core::adapter::Placer> placer;
};

/// The callback that follows changes of the host, on a thread of the executor between other callbacks.
class Adoption::Housekeeping : public takt_core::adapter::AnnouncedCallback
{
public:
  explicit Housekeeping(Adoption & adoption)
  : AnnouncedCallback([] {
      takt_core::CallbackOptions options;
      options.id = kHousekeepingId;
      return options;
    }()),
    adoption_(adoption)
  {
  }
  void run(const takt_core::Run &) override
  {
    adoption_.housekept_.fetch_add(1);
    adoption_.update();
  }

private:
  Adoption & adoption_;
};

takt_core::Result<Adoption::Plan> Adoption::plan(
  rclcpp::Executor & host, HostKind kind, const ProcessSettings & settings, std::size_t threads)
{
  if (!settings.faults.empty()) {
    return settings.faults;
  }
  Plan plan;
  const bool exclusive = kind != HostKind::multi_threaded && kind != HostKind::own;
  if (settings.schedule) {
    plan.schedule_executor = choose_executor(*settings.schedule, settings.executor, host);
  }
  if (plan.schedule_executor.empty()) {
    if (settings.schedule && !settings.quiet) {
      say(
        name_executor(host) +
        ": no rule of the schedule names a callback of this executor, so it runs without the "
        "schedule" +
        (settings.schedule->executors.size() > 1
           ? "; `--executor NAME` chooses an executor of the schedule"
           : ""));
    }
    takt_core::ExecutorOptions options;
    options.name = "takt";
    options.order = takt_core::Order::fifo;
    options.threads.assign(exclusive ? 1 : std::max<std::size_t>(threads, 1), inherited_thread());
    if (options.threads.size() > takt_core::Scheduler::kMaxThreads) {
      return Faults{
        "the pool has " + std::to_string(options.threads.size()) +
        " threads, and an executor of takt has at most " +
        std::to_string(takt_core::Scheduler::kMaxThreads)};
    }
    auto core = takt_core::Executor::create(std::move(options));
    if (!core.ok()) {
      return core.faults();
    }
    plan.core = std::move(core.value());
    return plan;
  }
  takt_schedule::Schedule schedule = *settings.schedule;
  add_chains_within_process(schedule.chains, waitable_ids_of(host));
  Faults notes = schedule.warnings;
  const auto executor = std::find_if(
    schedule.executors.begin(), schedule.executors.end(),
    [&](const auto & one) { return one.name == plan.schedule_executor; });
  if (executor != schedule.executors.end() && exclusive && !executor->parallel) {
    keep_exclusive(*executor, notes);
  } else {
    plan.on_caller = false;
  }
  auto core = takt_schedule::make_executor(schedule, plan.schedule_executor, &notes);
  if (!core.ok()) {
    return core.faults();
  }
  plan.core = std::move(core.value());
  auto placer = takt_schedule::SchedulePlacer::create(
    schedule, plan.schedule_executor, *plan.core, std::move(notes));
  if (!placer.ok()) {
    return placer.faults();
  }
  plan.placer = std::move(placer.value());
  return plan;
}

takt_core::Result<std::unique_ptr<Adoption>> Adoption::create(
  rclcpp::Executor & host, HostKind kind, const ProcessSettings & settings, std::size_t threads)
{
  const takt_core::Time asked = takt_core::now();
  auto made = plan(host, kind, settings, threads);
  if (!made.ok()) {
    return made.faults();
  }
  std::unique_ptr<Adoption> adoption(new Adoption(host, kind, settings, std::move(made.value())));
  adoption->asked_ = asked;
  const Faults faults = adoption->entities_->update();
  Faults all = faults;
  if (adoption->placer_ != nullptr) {
    const Faults strict = adoption->placer_->faults();
    all.insert(all.end(), strict.begin(), strict.end());
  }
  if (!all.empty()) {
    return all;
  }
  return adoption;
}

Adoption::Adoption(
  rclcpp::Executor & host, HostKind kind, const ProcessSettings & settings, Plan plan)
: host_(host),
  kind_(kind),
  settings_(settings),
  name_(name_executor(host)),
  schedule_executor_(std::move(plan.schedule_executor)),
  on_caller_(plan.on_caller),
  core_(std::move(plan.core)),
  placer_(std::move(plan.placer)),
  recorder_(std::make_shared<Recorder>()),
  waiter_(std::make_shared<ClockWaiter>(
    HostAccess::context_of(host), waiting_thread(*core_, placer_ != nullptr))),
  housekeeping_(std::make_shared<Housekeeping>(*this)),
  report_number_(next_report())
{
  add_observer(recorder_);
  if (placer_ != nullptr) {
    chain_recorder_ = std::make_shared<ChainRecorder>();
    add_observer(chain_recorder_);
  }
  if (core_->options().on_exception == takt_core::ExceptionPolicy::report) {
    add_observer(std::make_shared<takt_core::adapter::ExceptionReporter>(
      [name = name_](const std::string & line) { say(name + ": " + line, true); }));
  }
  // Timers keep the phases that the program gave them, so the gate is open for them from here on; nothing
  // runs before the threads do.
  core_->scheduler().open(takt_core::now());
  EntitySettings shared;
  shared.core = core_;
  shared.context = HostAccess::context_of(host);
  shared.waiter = waiter_;
  shared.lanes = core_->scheduler().thread_count() + 1;
  entities_ = std::make_unique<HostedEntities>(host, shared, placer_.get());
}

// Before it spins, so nothing is refused.
void Adoption::add_observer(std::shared_ptr<takt_core::Observer> observer)
{
  if (const auto added = core_->add_observer(std::move(observer)); !added.ok()) {
    throw std::logic_error(takt_core::to_string(added.faults().front()));
  }
}

Adoption::~Adoption()
{
  HostAccess::notify_waitable_of(host_).clear_on_ready_callback();
  core_->remove(*housekeeping_);
  if (!told_) {
    report();
  }
  entities_->clear();
  waiter_.reset();
  if (kind_ == HostKind::events) {
    give_back_listeners(host_);
  }
  HostAccess::rebuild_of(host_).store(true);
}

/// While something spins. Only then a change of the host cancels or is followed at once: a cancel is kept by
/// takt's executor until a spin takes it, so one that nobody meant would end the next spin.
class Adoption::Active
{
public:
  explicit Active(Adoption & adoption)
  : adoption_(adoption),
    uses_(HostAccess::context_of(adoption.host_), adoption),
    began_(takt_core::now())
  {
    adoption_.told_ = false;
    adoption_.active_.store(true);
  }
  ~Active()
  {
    adoption_.active_.store(false);
    adoption_.spun_ += takt_core::now() - began_;
  }
  Active(const Active &) = delete;
  Active & operator=(const Active &) = delete;

private:
  Adoption & adoption_;
  const UsesContext uses_;
  const takt_core::Time began_;
};

bool Adoption::stopped() const noexcept
{
  return ending_.load() || !rclcpp::ok(HostAccess::context_of(host_)) ||
         (kind_ != HostKind::own && !HostAccess::spinning_of(host_).load());
}

void Adoption::changed() noexcept
{
  changed_.store(true);
  if (!active_.load()) {
    return;
  }
  if (stopped()) {
    core_->cancel();
  } else {
    housekeeping_->announce(*core_, 1);
  }
}

void Adoption::update()
{
  if (stopped()) {
    core_->cancel();
    return;
  }
  update_if_changed();
}

void Adoption::update_if_changed()
{
  const std::lock_guard lock(update_mutex_);
  if (!changed_.exchange(false)) {
    return;
  }
  for (const auto & fault : entities_->update()) {
    say(name_ + ": " + takt_core::to_string(fault), true);
  }
  if (placer_ != nullptr) {
    for (const auto & fault : placer_->entity_made().faults()) {
      say(name_ + ": " + takt_core::to_string(fault), true);
    }
  }
}

void Adoption::context_ends() noexcept
{
  ending_.store(true);
  core_->cancel();
}

// After a spin that the context's end has ended, before rcl's: the program's next line is to find it ended. It does
// not wait for a shutdown that waits for this thread, which cancels the host first.
void Adoption::wait_for_the_end_of_the_context() const
{
  const auto context = HostAccess::context_of(host_);
  const auto until = takt_core::now() + kLongestShutdown;
  while (ending_.load() && context->is_valid() && HostAccess::spinning_of(host_).load() &&
         takt_core::now() < until) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

// Before the first spin of any kind.
Faults Adoption::begin()
{
  if (std::exchange(begun_, true)) {
    return {};
  }
  takt_core::Binding binding;
  const auto & threads = core_->options().threads;
  const bool follow =
    std::any_of(threads.begin(), threads.end(), [](const auto & thread) { return thread.follow; });
  if (placer_ != nullptr) {
    // The schedule's default threads: its urgent ones are for the program.
    if (const auto placed = placer_->place(kHousekeepingId, takt_core::Kind::waitable, "");
        placed.ok()) {
      binding = placed->binding;
    }
  }
  if (!follow) {
    binding.priority =
      255;  // first on its thread; a following thread takes the priorities of its own range only
  }
  if (const auto added = core_->add(housekeeping_, binding); !added.ok()) {
    return added.faults();
  }
  if (placer_ != nullptr) {
    if (!settings_.quiet) {
      tell(name_, placer_->warnings());
    }
    placer_->started();
    for (const auto & fault : placer_->entity_made().faults()) {
      say(name_ + ": " + takt_core::to_string(fault), true);
    }
  }
  HostAccess::notify_waitable_of(host_).set_on_ready_callback(
    [this](std::size_t, int) { changed(); });
  changed_.store(true);  // since the entities were read
  entities_->begin_from(takt_core::now());
  return {};
}

namespace
{

void rethrow(const takt_core::SpinOutcome & outcome)
{
  if (outcome.exception != nullptr) {
    std::rethrow_exception(outcome.exception);
  }
}

void must_start(const Faults & faults)
{
  if (!faults.empty()) {
    throw std::runtime_error(sentences("takt cannot spin:", faults));
  }
}

}  // namespace

Faults Adoption::spin()
{
  if (Faults faults = begin(); !faults.empty()) {
    return faults;
  }
  takt_core::SpinOutcome outcome;
  {
    const Active active(*this);
    if (started_after_ == takt_core::Duration{}) {
      started_after_ = takt_core::now() - asked_;
    }
    changed();  // what changed since the entities were read, also a cancel
    outcome = on_caller_ ? core_->spin_on_caller() : core_->spin();
  }
  if (!outcome.faults.empty()) {
    told_ = true;  // nothing ran
    return outcome.faults;
  }
  wait_for_the_end_of_the_context();
  report();
  told_ = true;
  rethrow(outcome);
  return {};
}

void Adoption::spin_once(std::chrono::nanoseconds timeout)
{
  must_start(begin());
  const Active active(*this);
  if (stopped()) {
    return;
  }
  update_if_changed();
  const auto until = takt_core::add_saturated(takt_core::now(), timeout);
  for (;;) {
    const std::uint64_t before = housekept_.load();
    bool ran = false;
    const bool for_ever = timeout.count() < 0;
    const auto left = for_ever ? timeout
                               : std::max<takt_core::Duration>(
                                   until - takt_core::now(), takt_core::Duration::zero());
    const takt_core::SpinOutcome outcome = core_->spin_once(left, &ran);
    rethrow(outcome);
    must_start(outcome.faults);
    // The housekeeping is none of the program's callbacks.
    if (!ran || outcome.cancelled || housekept_.load() == before) {
      return;
    }
  }
}

bool Adoption::spin_some(std::chrono::nanoseconds limit)
{
  must_start(begin());
  const Active active(*this);
  if (stopped()) {
    return false;
  }
  update_if_changed();
  const std::uint64_t before = housekept_.load();
  std::size_t ran = 0;
  const takt_core::SpinOutcome outcome = core_->spin_some(limit, &ran);
  rethrow(outcome);
  must_start(outcome.faults);
  return !outcome.cancelled && ran > housekept_.load() - before;
}

void Adoption::report() const
{
  AdoptionReport report;
  report.executor = name_;
  report.kind = kind_;
  report.schedule_executor = schedule_executor_;
  report.started_after = started_after_;
  report.lasted = spun_;
  report.callbacks = recorder_->records();
  if (chain_recorder_ != nullptr) {
    report.chains = chain_recorder_->records();
  }
  report.threads = core_->attributes();
  report.refusals = core_->refusals();
  if (placer_ != nullptr) {
    report.warnings = placer_->warnings();
    report.defaulted = placer_->defaulted();
  }
  write_report(report, settings_.report_directory, report_number_);
}

}  // namespace takt_rclcpp
