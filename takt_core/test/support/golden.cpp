#include "golden.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "takt_core/names.hpp"

namespace takt_core::test
{

using takt_rt::from_ns;

namespace
{

// Histories without a depth lose nothing in the oracle; 256 is more than any golden backlog.
constexpr std::uint32_t kUnbounded = 256;

Kind kind_of(const std::string & name)
{
  const auto kind = from_string<Kind>(name);
  if (!kind) {
    throw std::runtime_error("golden scenario: unknown kind " + name);
  }
  return *kind;
}

}  // namespace

std::string golden_directory()
{
  const std::filesystem::path directory = TAKT_GOLDEN_DIRECTORY;
  if (!std::filesystem::is_directory(directory)) {
    throw std::runtime_error(
      "the oracle's golden scenarios are missing: " + directory.string() +
      " is not a directory; oracles must lie beside takt_core");
  }
  return directory.string();
}

std::vector<std::string> golden_names(const std::string & folder)
{
  std::vector<std::string> names;
  for (const auto & entry :
       std::filesystem::directory_iterator(golden_directory() + "/" + folder)) {
    if (entry.path().extension() == ".json") {
      names.push_back(entry.path().stem().string());
    }
  }
  if (names.empty()) {
    throw std::runtime_error("no golden scenarios in " + golden_directory() + "/" + folder);
  }
  std::sort(names.begin(), names.end());
  return names;
}

nlohmann::json read_golden(const std::string & folder, const std::string & name)
{
  const std::string path = golden_directory() + "/" + folder + "/" + name + ".json";
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("cannot read the golden scenario " + path);
  }
  return nlohmann::json::parse(file);
}

GoldenScenario::GoldenScenario(
  const nlohmann::json & scenario, Kernel kernel, std::uint32_t cores, Looks looks,
  const SeamMaker & maker, std::int64_t tick)
: world(kernel, cores, looks),
  horizon(from_ns(scenario.at("horizon_ns").get<std::int64_t>() * tick))
{
  for (const auto & executor : scenario.at("executors")) {
    SchedulerOptions options;
    options.thread_urgencies.assign(executor.at("threads").get<std::size_t>(), 0);
    options.order = from_string<Order>(executor.at("order").get<std::string>()).value();
    options.window_timers = executor.value("timers", "snapshot") == "immediate"
                              ? WindowTimers::immediate
                              : WindowTimers::snapshot;
    world.add_executor(options, maker);
  }
  for (const auto & entry : scenario.at("callbacks")) {
    add_callback(entry, tick);
  }
  for (const auto & entry : scenario.at("callbacks")) {
    for (const auto & topic : entry.value("publishes", std::vector<std::string>{})) {
      VirtualCallback & from = *callbacks.at(entry.at("id"));
      const auto & readers = topics_[topic];
      from.readers.insert(from.readers.end(), readers.begin(), readers.end());
    }
  }
}

void GoldenScenario::add_callback(const nlohmann::json & entry, std::int64_t tick)
{
  CallbackOptions options;
  options.id = entry.at("id");
  options.kind = kind_of(entry.at("kind"));
  auto & group = groups_[entry.at("group")];
  if (group == nullptr) {
    const bool reentrant = entry.at("group_type") == "reentrant";
    group = std::make_shared<Group>(
      reentrant ? GroupKind::reentrant : GroupKind::mutually_exclusive, entry.at("group"));
  }
  options.group = group;
  options.depth = entry.contains("depth") ? entry.at("depth").get<std::uint32_t>() : kUnbounded;
  if (options.kind == Kind::timer) {
    TimerOptions timer;
    timer.period = Duration(entry.at("period_ns").get<std::int64_t>() * tick);
    timer.offset = Duration(entry.value("offset_ns", std::int64_t{0}) * tick);
    options.timer = timer;
  }
  auto callback = std::make_shared<VirtualCallback>(options);
  callback->cost = Duration(entry.at("cost_ns").get<std::int64_t>() * tick);
  callback->executor = entry.value("executor", std::size_t{0});
  Binding binding;
  binding.priority = entry.value("priority", 0);
  if (entry.contains("deadline_ns")) {
    binding.deadline = Duration(entry.at("deadline_ns").get<std::int64_t>() * tick);
  }
  const Status added = world.add(callback, binding);
  if (!added.ok()) {
    throw std::runtime_error("golden scenario: " + to_string(added.faults().front()));
  }
  if (entry.contains("subscribes")) {
    topics_[entry.at("subscribes")].push_back(callback.get());
  }
  callbacks[callback->id()] = std::move(callback);
}

std::vector<Start> expected_starts(const nlohmann::json & file)
{
  std::vector<Start> starts;
  for (const auto & row : file.at("expected").at("starts")) {
    starts.push_back({row.at(0), row.at(1), row.at(2), row.at(3)});
  }
  return starts;
}

}  // namespace takt_core::test
