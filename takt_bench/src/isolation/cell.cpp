#include "isolation/cell.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "isolation/model_process.hpp"
#include "isolation/plan_of_messages.hpp"
#include "isolation/wires.hpp"

namespace takt_bench::isolation
{

using nlohmann::ordered_json;
using takt_rt::Faults;
using takt_rt::Time;

namespace
{

constexpr int kVersion = 1;
// From the agreement on the epoch to the epoch. Each process starts its threads in this time.
constexpr takt_rt::Duration kLeadTime = std::chrono::milliseconds(300);

/// A child process, and the two pipes through which it talks with the parent.
struct Child
{
  pid_t pid = -1;
  Wire told = Wire::make();   // lines of JSON for the parent
  Wire epoch = Wire::make();  // the epoch for the child
  std::string rest{};         // the child's output after the last line that was read
};

void tell_parent(const Child & child, const ordered_json & words)
{
  const std::string line = words.dump() + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = ::write(child.told.write.get(), line.data() + done, line.size() - done);
    if (written <= 0) {
      ::_exit(1);  // the parent has ended
    }
    done += static_cast<std::size_t>(written);
  }
}

ordered_json faults_json(const Faults & faults)
{
  return {{"faults", sentences(faults)}};
}

void run_child(
  const Child & child, const Setting & setting, const PlanOfMessages & plan, Neighbours neighbours)
{
  ModelProcess process(setting, plan, std::move(neighbours));
  if (const Faults faults = process.prepare(); !faults.empty()) {
    tell_parent(child, faults_json(faults));
    return;
  }
  tell_parent(child, ordered_json::object());
  std::int64_t epoch_ns = 0;
  if (::read(child.epoch.read.get(), &epoch_ns, sizeof epoch_ns) != sizeof epoch_ns) {
    return;  // the process cannot start
  }
  auto found = process.measure(takt_rt::from_ns(epoch_ns));
  tell_parent(child, found ? found.value() : faults_json(found.faults()));
}

[[noreturn]] void be_child(
  Child & child, const Setting & setting, const PlanOfMessages & plan, Neighbours neighbours,
  pid_t parent)
{
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(1);
  }
  child.epoch.write.close();  // otherwise the child would not notice the end of the parent
  try {
    run_child(child, setting, plan, std::move(neighbours));
  } catch (const std::exception & error) {
    tell_parent(child, faults_json({error.what()}));
  }
  std::fflush(nullptr);
  ::_exit(0);
}

/// The next line of the child. If the child has ended, a line with a fault.
ordered_json next_line(Child & child)
{
  for (;;) {
    if (const std::size_t end = child.rest.find('\n'); end != std::string::npos) {
      ordered_json line = ordered_json::parse(child.rest.substr(0, end));
      child.rest.erase(0, end + 1);
      return line;
    }
    char buffer[65536];
    const ssize_t read = ::read(child.told.read.get(), buffer, sizeof buffer);
    if (read <= 0) {
      return faults_json({"a process of the measurement ended before it told its result"});
    }
    child.rest.append(buffer, static_cast<std::size_t>(read));
  }
}

/// Reads one line of each child into `lines`.
Faults hear(std::vector<Child> & children, ordered_json & lines)
{
  Faults faults;
  lines = ordered_json::array();
  for (Child & child : children) {
    lines.push_back(next_line(child));
    if (lines.back().contains("faults")) {
      for (const auto & fault : lines.back()["faults"]) {
        faults.push_back(fault.get<std::string>());
      }
    }
  }
  return faults;
}

Faults agree_on_epoch(const std::vector<Child> & children)
{
  const std::int64_t epoch = takt_rt::to_ns(takt_rt::now() + kLeadTime);
  for (const Child & child : children) {
    if (::write(child.epoch.write.get(), &epoch, sizeof epoch) != sizeof epoch) {
      return {"a process of the measurement ended before it began"};
    }
  }
  return {};
}

std::vector<Child> start_children(
  const Setting & setting, const PlanOfMessages & plan, std::vector<Wire> & wires)
{
  std::vector<bool> receives(plan.executors.size());
  for (std::size_t i = 0; i < plan.subscribers.size(); ++i) {
    for (const std::uint32_t subscriber : plan.subscribers[i]) {
      const std::uint32_t to = plan.process[subscriber];
      receives[to] = receives[to] || to != plan.process[i];
    }
  }
  const pid_t parent = ::getpid();
  std::vector<Child> children(plan.executors.size());
  for (std::uint32_t i = 0; i < children.size(); ++i) {
    std::fflush(nullptr);
    children[i].pid = ::fork();
    if (children[i].pid == 0) {
      for (Child & other : children) {
        if (&other != &children[i]) {
          other.told.write.close();
          other.epoch.write.close();
        }
      }
      be_child(children[i], setting, plan, {i, wires, receives}, parent);
    }
    if (children[i].pid < 0) {
      children.resize(i);
      break;
    }
    children[i].told.write.close();
  }
  return children;
}

ordered_json report(const Setting & setting, const PlanOfMessages & plan, ordered_json processes)
{
  ordered_json chains = ordered_json::array();
  for (const ChainEnds & chain : plan.chains) {
    ordered_json responses = ordered_json::array();
    for (auto & process : processes) {
      auto & own = process["responses_ns"];
      if (own.contains(chain.name)) {
        responses = std::move(own[chain.name]);
      }
    }
    chains.push_back(
      {{"name", chain.name},
       {"due", releases_between(chain, setting.warmup, setting.warmup + setting.duration)},
       {"responses_ns", std::move(responses)}});
  }
  for (auto & process : processes) {
    process.erase("responses_ns");
  }
  return {
    {"version", kVersion},
    {"duration_ns", setting.duration.count()},
    {"iterations_per_us", setting.iterations_per_us},
    {"chains", std::move(chains)},
    {"processes", std::move(processes)}};
}

}  // namespace

takt_rt::Result<ordered_json> measure(const Setting & setting)
{
  if (Faults faults = unsupported(setting.system); !faults.empty()) {
    return faults;
  }
  const PlanOfMessages plan = plan_of_messages(setting.system);
  std::vector<Wire> wires;
  for (std::size_t i = 0; i < plan.executors.size(); ++i) {
    wires.push_back(Wire::make());
  }
  std::vector<Child> children = start_children(setting, plan, wires);
  Faults faults;
  if (children.size() < plan.executors.size()) {
    faults.push_back("the kernel refuses another process");
  }
  ordered_json lines;
  if (faults.empty()) {
    faults = hear(children, lines);
  }
  if (faults.empty()) {
    faults = agree_on_epoch(children);
  }
  if (faults.empty()) {
    faults = hear(children, lines);
  }
  for (Child & child : children) {
    child.epoch.write.close();  // a child that still waits for the epoch then ends
    ::waitpid(child.pid, nullptr, 0);
  }
  if (!faults.empty()) {
    return faults;
  }
  return report(setting, plan, std::move(lines));
}

}  // namespace takt_bench::isolation
