#include "live/spinning.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include "takt_schedule/parse.hpp"

namespace takt_workload
{

takt_schedule::Schedule parsed_schedule(const std::string & text)
{
  auto schedule = takt_schedule::parse_schedule(text, "schedule of the demo");
  if (!schedule) {
    throw std::runtime_error(sentences(schedule.faults()).front());
  }
  return std::move(schedule.value());
}

std::shared_ptr<takt_rcl::Context> make_context()
{
  auto context = std::make_shared<takt_rcl::Context>();
  takt_rcl::InitOptions options;
  options.shutdown_on_signal = false;
  options.configure_logging = false;
  context->init(0, nullptr, options);
  return context;
}

Spinning::Spinning(
  const std::shared_ptr<takt_rcl::Context> & context, const takt_schedule::Schedule & schedule)
{
  for (const takt_schedule::ExecutorSchedule & each : schedule.executors) {
    executors_.push_back(takt_rcl::Executor::from_schedule(context, schedule, each.name));
  }
}

Spinning::~Spinning()
{
  stop();
}

void Spinning::stop()
{
  for (takt_rcl::Executor & executor : executors_) {
    executor.cancel();
  }
  for (std::thread & thread : threads_) {
    thread.join();
  }
  threads_.clear();
}

void Spinning::start(std::optional<takt_rt::Time> epoch)
{
  for (takt_rcl::Executor & executor : executors_) {
    threads_.emplace_back([this, &executor, epoch] {
      try {
        executor.spin(epoch);
      } catch (const std::exception & error) {
        failure_.set(error.what());
      }
    });
  }
  for (takt_rcl::Executor & executor : executors_) {
    while ((!executor.is_spinning() || executor.core().attributes().empty()) &&
           failure_.get().empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  check();
}

void Spinning::check()
{
  if (const std::string failure = failure_.get(); !failure.empty()) {
    throw std::runtime_error(failure);
  }
}

std::vector<std::string> Spinning::refused()
{
  std::vector<std::string> each;
  const auto add = [&each](const takt_rt::Faults & faults) {
    for (std::string & sentence : sentences(faults)) {
      if (std::find(each.begin(), each.end(), sentence) == each.end()) {
        each.push_back(std::move(sentence));
      }
    }
  };
  for (takt_rcl::Executor & executor : executors_) {
    add(executor.schedule_warnings());
    for (const takt_rt::AttributeReport & report : executor.core().attributes()) {
      add(report.faults);
    }
  }
  return each;
}

}  // namespace takt_workload
