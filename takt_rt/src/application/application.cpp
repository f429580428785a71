#include "takt_rt/application/application.hpp"

#include <malloc.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

namespace takt_rt
{

namespace
{

std::string name_of(const CyclicOptions & options, std::size_t number)
{
  return options.attributes.name.empty() ? "cyclic thread " + std::to_string(number + 1)
                                         : options.attributes.name;
}

void append(Faults & faults, const std::string & place, const Faults & more)
{
  for (const Fault & fault : more) {
    faults.push_back(within(place, fault));
  }
}

}  // namespace

Application::Application(ApplicationOptions options) : options_(options)
{
  start_.clock = options_.clock != nullptr ? options_.clock : &real_clock_;
  start_.setter = options_.setter != nullptr ? options_.setter : &own_rights();
}

Application::~Application()
{
  stop();
  threads_.clear();
  if (locked_) {
    unlock_memory();
  }
}

std::size_t Application::add_cycle(CyclicOptions options, CycleFunction function)
{
  if (started_) {
    std::fputs("takt_rt::Application add: the application was started before\n", stderr);
    std::abort();
  }
  planned_.push_back({std::move(options), std::move(function)});
  return planned_.size() - 1;
}

Faults Application::faults_of_options() const
{
  Faults faults;
  if (started_) {
    faults.push_back("the application was started before; make another one");
  }
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    const CyclicOptions & options = planned_[i].options;
    const std::string name = name_of(options, i);
    Faults own;
    if (options.period <= Duration{}) {
      own.push_back("the period must be positive");
    }
    if (options.offset < Duration{}) {
      own.push_back("the offset must not be negative");
    }
    append(faults, name, own);
    append(faults, name, validate(attributes_of(options)));
  }
  return faults;
}

void Application::make_threads()
{
  if (options_.heap_bytes > 0) {
    ::mallopt(M_ARENA_MAX, 1);  // before the threads get arenas of their own
  }
  threads_.reserve(planned_.size());
  for (const Planned & planned : planned_) {
    threads_.push_back(std::make_unique<CyclicThread>(planned.options, planned.function, start_));
  }
  start_.gate.wait_for(static_cast<std::uint32_t>(threads_.size()));
}

// After the threads are made: under a limit of locked memory the kernel might refuse their stacks.
void Application::prepare_memory(StartReport & report)
{
  const Time begin = now();
  const PageFaults before = process_page_faults();
  if (options_.lock_memory) {
    const Status status = lock_memory({options_.heap_bytes, options_.stack_bytes});
    locked_ = true;
    report.memory_locked = status.ok();
    append(report.refused, "memory", status.faults());
  }
  const PageFaults after = process_page_faults();
  report.memory_took = now() - begin;
  report.memory_faults = {after.minor - before.minor, after.major - before.major};
}

void Application::open(bool cancelled)
{
  start_.cancelled = cancelled;
  start_.epoch = start_.clock->now() + options_.lead;
  start_.gate.open();
}

Result<StartReport> Application::start()
{
  if (Faults faults = faults_of_options(); !faults.empty()) {
    return faults;
  }
  started_ = true;
  StartReport report;
  try {
    make_threads();
    complete_.store(true);
    prepare_memory(report);
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      const std::string name = name_of(planned_[i].options, i);
      append(report.refused, name, threads_[i]->report().faults);
      append(report.refused, name, threads_[i]->stack().faults());
    }
  } catch (const std::system_error & error) {
    open(true);
    return Faults{std::string(error.what())};
  } catch (...) {
    open(true);  // threads that wait at the gate end
    throw;
  }
  const bool fails = options_.missing_rights == MissingRights::fail && !report.refused.empty();
  open(fails || stopped_.load());
  report.epoch = start_.epoch;
  if (fails) {
    return report.refused;
  }
  return report;
}

void Application::stop() noexcept
{
  stopped_.store(true);
  if (!complete_.load()) {
    return;  // `start` opens the gate for no cycle
  }
  for (const auto & thread : threads_) {
    thread->stop();
  }
}

void Application::wait() const noexcept
{
  for (const auto & thread : threads_) {
    thread->wait();
  }
}

}  // namespace takt_rt
