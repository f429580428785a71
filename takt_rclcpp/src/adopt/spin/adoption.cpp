#include "adopt/spin/adoption.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "adopt/entities/clock_waiter.hpp"
#include "adopt/entities/housekeeping_id.hpp"
#include "adopt/host_access.hpp"
#include "adopt/observe/work_after_publish.hpp"
#include "adopt/process_settings.hpp"
#include "adopt/report.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/utilities.hpp"
#include "rclcpp_api/rclcpp_api.hpp"

namespace takt_rclcpp
{
namespace
{

using takt_rt::Faults;

// The longest time for which a change of the host waits until the housekeeping, which runs on a
// default thread, follows it. Afterwards any thread may follow the change.
constexpr std::chrono::milliseconds kLongestWait{100};

// Prints the warnings. If a program has several executors, each matches a part of the schedule
// only, so unmatched rules are normal: prints their number and the first three.
void tell(const std::string & name, const Faults & warnings)
{
  constexpr std::size_t kPrinted = 3;
  std::size_t unmatched = 0;
  Faults first;
  for (const auto & warning : warnings) {
    if (warning.kind != takt_rt::FaultKind::unmatched) {
      say(name + ": " + takt_rt::to_string(warning));
    } else if (unmatched++ < kPrinted) {
      first.push_back(warning);
    }
  }
  if (unmatched == 0) {
    return;
  }
  std::string line = name + ": " + std::to_string(unmatched) +
                     (unmatched == 1 ? " rule or id of a chain in the schedule matches"
                                     : " rules and ids of chains in the schedule match") +
                     " no callback of this executor";
  if (unmatched > kPrinted) {
    line += "; the report of `takt exec --report` lists them, and these are the first";
  }
  say(sentences(line + ":", first));
}

void tell_awaited(const std::string & name, std::size_t count)
{
  if (count > 0) {
    say(
      name + ": " + std::to_string(count) +
      (count == 1 ? " rule or id of a chain in the schedule waits"
                  : " rules and ids of chains in the schedule wait") +
      " for callbacks that may come: managed nodes make them, or a container loads their nodes");
  }
}

/// Attributes of the thread that waits for timers on ROS time. The thread only announces, and gets
/// the priority of the most urgent executor thread. Under a schedule it does not inherit attributes
/// from the thread that makes the first timer.
takt_rt::ThreadAttributes waiting_thread(const takt_core::Executor & core, bool scheduled)
{
  takt_rt::ThreadAttributes attributes;
  attributes.name = "takt.waits";
  if (!scheduled) {
    return attributes;
  }
  attributes.policy = takt_rt::Policy::other;
  attributes.cores = takt_rt::usable_cores();
  for (const auto & thread : core.options().threads) {
    const auto & one = thread.attributes;
    if (takt_rt::has_rt_priority(one.policy) && one.priority > attributes.priority) {
      attributes.policy = takt_rt::Policy::fifo;
      attributes.priority = one.priority;
    }
  }
  return attributes;
}

}  // namespace

namespace
{

// The name of an executor before it gets a node.
constexpr std::string_view kEmpty = "/empty";
bool is_of_empty(std::string_view name)
{
  return name.substr(0, name.find('#')) == kEmpty;
}

// The name of the first node, with "/clock" if the executor only keeps this node's simulated time.
// Such an executor may spin before its group has the clock's subscription, so wait a little for it.
std::string first_node(rclcpp::Executor & host)
{
  constexpr std::chrono::milliseconds kStep{1};
  constexpr int kSteps = 20;
  auto groups = groups_of(host);
  for (int step = 0; step < kSteps && groups.size() == 1 && groups.front().id.empty(); ++step) {
    std::this_thread::sleep_for(kStep);
    groups = groups_of(host);
  }
  if (groups.empty()) {
    return std::string(kEmpty);
  }
  const bool clock =
    groups.front().id == takt_core::adapter::group_id(groups.front().node, "clock");
  return groups.front().node + (groups.size() == 1 && clock ? "/clock" : "");
}

}  // namespace

// Recognises an executor by an object of its own and not by its address, because a new executor may
// have the address of a destroyed one.
std::string name_executor(rclcpp::Executor & host)
{
  struct Names
  {
    std::mutex mutex;
    std::map<std::weak_ptr<void>, std::string, std::owner_less<std::weak_ptr<void>>> of;
    std::map<std::string, unsigned> used;
  };
  // Never destroyed: programs spin until the process has ended.
  static auto * const the_names = new Names;
  const std::weak_ptr<void> identity = HostAccess::identity_of(host);
  const std::string node = first_node(host);
  const std::lock_guard lock(the_names->mutex);
  std::erase_if(the_names->of, [](const auto & one) { return one.first.expired(); });
  auto & name = the_names->of[identity];
  if (name.empty() || (is_of_empty(name) && node != kEmpty)) {
    name = numbered(node, ++the_names->used[node]);
  }
  return name;
}

/// The callback that follows changes of the host. It runs on a thread of the executor between other
/// callbacks.
class Adoption::Housekeeping : public takt_core::adapter::AnnouncedCallback
{
public:
  explicit Housekeeping(Adoption & adoption)
  : AnnouncedCallback([&] {
      takt_core::CallbackOptions options;
      options.id = numbered(kHousekeepingId, adoption.report_number_);  // one for each host
      return options;
    }()),
    adoption_(adoption)
  {
  }
  void run(const takt_core::Run &) override
  {
    adoption_.update(std::unique_lock(adoption_.update_mutex_));
  }

private:
  Adoption & adoption_;
};

/// Follows changes if the housekeeping cannot run. Callbacks on the housekeeping's threads may
/// block until a change is followed. So this is a timer that may run on every thread; `changed`
/// starts it.
class Adoption::LateHousekeeping : public takt_core::Callback
{
public:
  explicit LateHousekeeping(Adoption & adoption)
  : Callback([&] {
      takt_core::CallbackOptions options;
      options.id = numbered(std::string(kHousekeepingId) + "/late", adoption.report_number_);
      options.kind = takt_core::Kind::timer;
      options.timer.emplace();
      options.timer->period = kLongestWait;
      options.timer->autostart = false;
      return options;
    }()),
    adoption_(adoption)
  {
  }
  // The calling thread may be the most urgent one, so this run does not wait for an update in
  // progress. The next run tries again.
  void run(const takt_core::Run &) override
  {
    if (std::unique_lock lock(adoption_.update_mutex_, std::try_to_lock); lock.owns_lock()) {
      adoption_.update(std::move(lock));
    }
  }

private:
  Adoption & adoption_;
};

takt_rt::Result<std::unique_ptr<Adoption>> Adoption::create(
  rclcpp::Executor & host, HostKind kind, const ProcessSettings & settings, std::size_t threads)
{
  const takt_rt::Time asked = takt_rt::now();
  std::string name = name_executor(host);
  auto engine = Engine::find_or_make(host, kind, name, settings, threads);
  if (!engine.ok()) {
    return engine.faults();
  }
  std::unique_ptr<Adoption> adoption(
    new Adoption(host, kind, settings, std::move(name), std::move(engine.value())));
  adoption->asked_ = asked;
  adoption->own_threads_ = kind == HostKind::events_and_timers ? 2 : threads;
  Faults faults = adoption->entities_->update();
  if (auto * const placer = adoption->engine_->placer(); placer != nullptr) {
    const Faults strict = placer->faults();
    faults.insert(faults.end(), strict.begin(), strict.end());
  }
  if (!faults.empty()) {
    return faults;
  }
  if (is_events(kind)) {
    adoption->entities_->announce_before(take_queued_parts(host));
  }
  return adoption;
}

Adoption::Adoption(
  rclcpp::Executor & host, HostKind kind, const ProcessSettings & settings, std::string name,
  std::shared_ptr<Engine> engine)
: host_(host),
  kind_(kind),
  settings_(settings),
  name_(std::move(name)),
  engine_(std::move(engine)),
  core_(engine_->core()),
  waiter_(std::make_shared<ClockWaiter>(
    HostAccess::context_of(host), HostAccess::wait_set_of(host),
    waiting_thread(*core_, engine_->placer() != nullptr),
    kind == HostKind::single_threaded && engine_->on_caller())),
  report_number_(next_report()),
  housekeeping_(std::make_shared<Housekeeping>(*this))
{
  EntitySettings shared;
  shared.core = core_;
  shared.context = HostAccess::context_of(host);
  shared.waiter = waiter_;
  shared.owner = this;
  shared.measure_messages = settings.observe;
  if (settings.observe) {
    CallLog::of_process().begin();
    Recorder::measure_sleeps();
    WorkAfterPublish::measure();
  }
  shared.asks_waitables = !is_events(kind);
  shared.keeps_own_listeners = !is_events(kind);
  if (kind == HostKind::events_and_timers) {
    shared.timers_apart = engine_->is_shared() ? TimersApart::in_groups : TimersApart::on_threads;
  }
  if (is_events(kind)) {
    shared.give_back = [&host](const rclcpp::Waitable & waitable, int part, std::size_t count) {
      queue_part(host, {&waitable, part, count});
    };
  }
  shared.needs_whole_history = [engine =
                                  engine_.get()](const takt_core::CallbackOptions & options) {
    return engine->needs_whole_history(options);
  };
  entities_ = std::make_unique<HostedEntities>(host, shared, engine_->placer());
}

Adoption::~Adoption()
{
  if (!state_.is(AdoptionState::gone)) {
    take_out();
    state_.go(AdoptionState::gone);
  }
  if (!told_) {
    report();
  }
  engine_->recorder().forget(this);
  waiter_.reset();
  if (is_events(kind_)) {
    if (!api::listens_again(host_)) {
      say(
        "this librclcpp does not show how an EventsExecutor listens; a further spin of it under "
        "its own loop would hear nothing",
        true);
    }
  }
  HostAccess::rebuild_of(host_).store(true);
}

// When it returns, no callback of the host runs or begins, and no listener stays.
void Adoption::take_out() noexcept
{
  HostAccess::notify_waitable_of(host_).clear_on_ready_callback();
  if (!state_.is(AdoptionState::made)) {
    core_->remove(*housekeeping_);
    if (late_housekeeping_ != nullptr) {
      core_->remove(*late_housekeeping_);
    }
  }
  entities_->clear();
}

/// Lives during a spin. Only in this time `changed` ends the spin, or announces the change to the
/// housekeeping. takt's executor keeps a cancel until its next spin, so a cancel after this spin
/// would end the next one.
class Adoption::Active
{
public:
  explicit Active(Adoption & adoption)
  : adoption_(adoption),
    uses_(HostAccess::context_of(adoption.host_), adoption),
    began_(takt_rt::now())
  {
    adoption_.began_.store(began_);
    adoption_.told_ = false;
    adoption_.state_.go(AdoptionState::spinning);
  }
  ~Active()
  {
    const std::lock_guard lock(adoption_.report_mutex_);
    adoption_.state_.go(
      adoption_.state_.is(AdoptionState::leaving) ? AdoptionState::gone : AdoptionState::ready);
    adoption_.spun_ += takt_rt::now() - began_;
  }
  Active(const Active &) = delete;
  Active & operator=(const Active &) = delete;

private:
  Adoption & adoption_;
  const UsesContext uses_;
  const takt_rt::Time began_;
};

bool Adoption::stopped() const noexcept
{
  return !rclcpp::ok(HostAccess::context_of(host_)) ||
         (kind_ != HostKind::own && !HostAccess::spinning_of(host_).load());
}

void Adoption::changed() noexcept
{
  changed_.store(true);
  if (!state_.is(AdoptionState::spinning)) {
    return;
  }
  if (stopped()) {
    end();
    return;
  }
  housekeeping_->announce(*core_, 1);
  if (late_housekeeping_ == nullptr) {
    return;
  }
  // Start the timer only if it is stopped, so that frequent changes do not postpone it. An update
  // stops the timer before it looks for changes.
  if (takt_core::Scheduler & scheduler = core_->scheduler();
      scheduler.timer_cancelled(*late_housekeeping_)) {
    scheduler.reset_timer(*late_housekeeping_, takt_rt::now());
  }
}

// Ends the spin. Any thread; real-time safe. A shared engine goes on for its other hosts.
void Adoption::end() noexcept
{
  if (engine_->is_shared()) {
    left_.store(true);
    left_.notify_all();
  } else {
    core_->cancel();
  }
}

void Adoption::failed(const std::exception_ptr & exception) noexcept
{
  {
    const std::lock_guard lock(failure_mutex_);
    if (failure_ == nullptr) {
      failure_ = exception;
    }
  }
  end();
}

RunScope Adoption::exclude()
{
  return {running_, waiter_->exclude()};
}

void Adoption::update(std::unique_lock<std::mutex> lock)
{
  if (stopped()) {
    end();
    return;
  }
  try {
    update_if_changed(lock);
  } catch (const std::exception &) {
    if (stopped()) {
      end();  // the new entities belong to a context that has ended
      return;
    }
    if (!engine_->is_shared()) {
      throw;
    }
    failed(std::current_exception());  // ends only this host's spin
  }
}

void Adoption::update_if_changed(const std::unique_lock<std::mutex> & /*of update_mutex_*/)
{
  if (late_housekeeping_ != nullptr) {
    core_->scheduler().cancel_timer(*late_housekeeping_);
  }
  if (!changed_.exchange(false)) {
    return;
  }
  for (const auto & fault : entities_->update()) {
    say(name_ + ": " + takt_rt::to_string(fault), true);
  }
  if (engine_->placer() != nullptr) {
    for (const auto & fault : engine_->placer()->entity_made().faults()) {
      say(name_ + ": " + takt_rt::to_string(fault), true);
    }
  }
}

void Adoption::context_ended() noexcept
{
  end();
}

// Prepares the first spin. Every spin function calls it; later calls do nothing.
Faults Adoption::begin()
{
  if (!state_.is(AdoptionState::made)) {
    return {};
  }
  takt_core::Binding binding;
  const auto & threads = core_->options().threads;
  const bool follow =
    std::any_of(threads.begin(), threads.end(), [](const auto & thread) { return thread.follow; });
  if (engine_->placer() != nullptr) {
    // Use the schedule's default threads, because the urgent ones belong to the program.
    if (const auto placed =
          engine_->placer()->place(kHousekeepingId, takt_core::Kind::waitable, "");
        placed.ok()) {
      binding = placed->binding;
    }
  }
  const bool timers_apart = kind_ == HostKind::events_and_timers && !engine_->is_shared();
  if (timers_apart) {
    binding.threads = kThreadOfTheRest;
  }
  if (!follow) {
    // The housekeeping is first on its thread. A following thread takes only priorities of its own
    // range.
    binding.priority = 255;
  }
  if (const auto added = core_->add(housekeeping_, binding); !added.ok()) {
    return added.faults();
  }
  // Windows exclude the late housekeeping, because with windows a thread serves one set of threads.
  // So do threads that follow their callbacks' priorities.
  if (
    engine_->placer() != nullptr && !timers_apart && threads.size() > 1 && !follow &&
    !takt_core::has_windows(core_->options().order)) {
    late_housekeeping_ = std::make_shared<LateHousekeeping>(*this);
    binding.threads = 0;
    if (const auto added = core_->add(late_housekeeping_, binding); !added.ok()) {
      late_housekeeping_.reset();
      core_->remove(*housekeeping_);  // the next spin tries again
      return added.faults();
    }
  }
  state_.go(AdoptionState::ready);
  if (engine_->placer() != nullptr) {
    if (!settings_.quiet) {
      tell(name_, engine_->placer()->warnings());
      if (!engine_->is_component()) {
        tell_awaited(name_, engine_->placer()->awaited());
      }
    }
    engine_->placer()->started();
    for (const auto & fault : engine_->placer()->entity_made().faults()) {
      say(name_ + ": " + takt_rt::to_string(fault), true);
    }
  }
  HostAccess::notify_waitable_of(host_).set_on_ready_callback(
    [this](std::size_t, int) { changed(); });
  changed_.store(true);  // the host may have changed since the entities were read
  entities_->begin_from(takt_rt::now());
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

// Runs the host's callbacks on threads that it shares with other hosts. Then removes them from the
// engine, so the adoption cannot spin again.
takt_core::SpinOutcome Adoption::spin_with_others()
{
  takt_core::SpinOutcome outcome;
  outcome.faults = engine_->join();
  if (!outcome.faults.empty()) {
    return outcome;
  }
  changed();
  left_.wait(false);
  // Read the attributes now, because threads of isolated groups end with their entities.
  auto threads = core_->attributes();
  engine_->recorder().keep_waiting(this);
  take_out();
  state_.go(AdoptionState::leaving);
  engine_->leave();
  for (const auto & ended : core_->attributes()) {
    const auto same = [&](const auto & one) { return one.asked == ended.asked; };
    if (const auto thread = std::find_if(threads.begin(), threads.end(), same);
        thread != threads.end()) {
      *thread = ended;
    }
  }
  {
    const std::lock_guard lock(report_mutex_);
    threads_ = std::move(threads);
  }
  const std::lock_guard lock(failure_mutex_);
  outcome.exception = failure_;
  return outcome;
}

Faults Adoption::spin()
{
  if (Faults faults = begin(); !faults.empty()) {
    return faults;
  }
  takt_core::SpinOutcome outcome;
  {
    const Active active(*this);
    if (const std::lock_guard lock(report_mutex_); started_after_ == takt_rt::Duration{}) {
      started_after_ = takt_rt::now() - asked_;
    }
    if (engine_->is_shared()) {
      outcome = spin_with_others();
    } else {
      changed();  // follows changes and a cancel since the entities were read
      outcome = engine_->on_caller() ? core_->spin_on_caller() : core_->spin();
    }
  }
  if (!outcome.faults.empty()) {
    told_ = true;  // no callback ran
    return outcome.faults;
  }
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
  update_if_changed(std::unique_lock(update_mutex_));
  const auto until = takt_rt::add_saturated(takt_rt::now(), timeout);
  // Count only the program's callbacks: not the housekeeping, and not takes without a message.
  const std::uint64_t before = engine_->recorder().started();
  bool settled = false;
  for (;;) {
    bool ran = false;
    const bool for_ever = timeout.count() < 0;
    const auto left =
      for_ever ? timeout
               : std::max<takt_rt::Duration>(until - takt_rt::now(), takt_rt::Duration::zero());
    const takt_core::SpinOutcome outcome = core_->spin_once(left, &ran);
    rethrow(outcome);
    must_start(outcome.faults);
    if (outcome.cancelled || engine_->recorder().started() != before) {
      return;
    }
    if (!ran) {
      if (std::exchange(settled, true)) {
        return;
      }
      waiter_->settle();
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
  update_if_changed(std::unique_lock(update_mutex_));
  waiter_->settle();
  const std::uint64_t before = engine_->recorder().started();
  const takt_core::SpinOutcome outcome = core_->spin_some(limit);
  rethrow(outcome);
  must_start(outcome.faults);
  return !outcome.cancelled && engine_->recorder().started() != before;
}

void Adoption::report() const
{
  const std::lock_guard lock(report_mutex_);
  AdoptionReport report;
  report.executor = name_;
  report.kind = kind_;
  report.own_threads = own_threads_;
  report.schedule_executor = engine_->schedule_executor();
  report.epoch = core_->options().epoch;
  report.phases = core_->phases();
  report.started_after = started_after_;
  const bool spins = state_.is(AdoptionState::spinning) || state_.is(AdoptionState::leaving);
  report.lasted = spun_ + (spins ? takt_rt::now() - began_.load() : takt_rt::Duration{});
  report.callbacks = engine_->recorder().records(this);
  report.chains = chain_records(engine_->chain_responses(), report.callbacks);
  report.threads = threads_.empty() ? core_->attributes() : threads_;
  report.refusals = core_->refusals();
  if (engine_->placer() != nullptr) {
    // No callback will be added any more: `warnings` now lists the rules that have matched none.
    engine_->placer()->await({});
    report.warnings = engine_->placer()->warnings();
    report.defaulted = engine_->placer()->defaulted();
  }
  write_report(report, settings_.report_directory, report_number_);
}

}  // namespace takt_rclcpp
