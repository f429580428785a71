// takt_data_path: measures one way of messages at one size, or the physical limits beside it. `takt
// experiment data-path` runs it for all ways and sizes. takt_data_path_rclcpp, which is built where
// rclcpp is found, also has the ways of rclcpp.
//
// Exit codes: 0 measured; 1 not measured (the way does not work here, messages did not arrive, a
// process died), or the output could not be written; 2 the command line is faulty; 3 this build or
// this middleware does not have that way.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "data_path/floors.hpp"
#include "data_path/measurement.hpp"
#include "data_path/missing.hpp"
#include "data_path/setting.hpp"
#include "takt_schedule/program.hpp"
#include "write_result.hpp"
#ifdef TAKT_WITH_RCLCPP
#include "data_path/rclcpp_transport.hpp"
#endif

namespace
{

using namespace takt_bench::data_path;  // NOLINT: a program

constexpr const char * kName = "takt_data_path: ";
constexpr int kNotMeasured = 1;
constexpr int kMissing = 3;
constexpr std::uint64_t kMostMessages = 10'000'000;
constexpr takt_rt::Duration kLongest = std::chrono::hours(1);

template <typename Value, std::size_t N>
Value named(
  const std::array<std::pair<Value, std::string_view>, N> & names, const std::string & option,
  const std::string & word)
{
  std::string all;
  for (const auto & [value, name] : names) {
    if (name == word) {
      return value;
    }
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw CLI::ValidationError(option, takt_schedule::quoted(word) + " is not one of " + all);
}

template <typename Number>
void add_number(
  CLI::App & app, const std::string & name, Number & target, Number least, Number most,
  const char * help)
{
  app.add_option_function<std::string>(
    name,
    [name, &target, least, most](const std::string & text) {
      target = takt_schedule::number_option<Number>(name, text, least, most);
    },
    help);
}

void add_duration(
  CLI::App & app, const std::string & name, takt_rt::Duration & target, takt_rt::Duration least,
  const char * help)
{
  app
    .add_option_function<std::string>(
      name,
      [name, &target, least](const std::string & text) {
        target = takt_schedule::duration_option(name, text);
        if (target < least || target > kLongest) {
          throw CLI::ValidationError(
            name, takt_schedule::quoted(text) + " is shorter than " +
                    std::to_string(least.count() / 1000) + "us or longer than an hour");
        }
      },
      help)
    ->type_name("DURATION");
}

void add_options(CLI::App & app, Setting & setting)
{
  app.add_option_function<std::string>(
    "--variant",
    [&](const std::string & word) { setting.variant = named(kVariants, "--variant", word); },
    "how messages travel: udp, standard, loans, direct, shared, rclcpp, rclcpp_pool, futex (no "
    "message); default: direct");
  app.add_option_function<std::string>(
    "--place", [&](const std::string & word) { setting.place = named(kPlaces, "--place", word); },
    "same_core, other_core, one_thread; default: same_core");
  add_number(app, "--size", setting.size, kLeastSize, kMostSize, "bytes of a message; default: 64");
  add_number(app, "--messages", setting.messages, std::uint64_t{1}, kMostMessages, "default: 1000");
  add_number(
    app, "--warm-up", setting.warm_up, std::uint64_t{1}, kMostMessages,
    "messages before them, not measured; default: 50");
  add_duration(
    app, "--interval", setting.interval, std::chrono::microseconds(100),
    "between two messages; default: 1ms");
  add_duration(
    app, "--longest", setting.longest, std::chrono::milliseconds(1),
    "the measurement ends then, with fewer messages; default: 20s");
  app.add_option_function<std::string>(
    "--cores",
    [&](const std::string & text) { setting.cores = takt_schedule::cores_option("--cores", text); },
    "of publisher and receiver, as in 0,1; default: the first two that are usable");
  add_number(
    app, "--priority", setting.priority, 0, kMostPriority,
    "of the publisher under SCHED_FIFO, the receiver is two above it; 0, and of rclcpp_pool: "
    "SCHED_OTHER; default: 50");
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Measures the latency of messages and the switches of all threads; prints JSON.",
    "takt_data_path"};
  Setting setting;
  std::string output;
  std::vector<std::size_t> sizes;
  add_options(app, setting);
  app.add_option_function<std::vector<std::string>>(
    "--floors",
    [&](const std::vector<std::string> & words) {
      for (const std::string & word : words) {
        sizes.push_back(takt_schedule::number_option<std::size_t>("--floors", word, 1, kMostSize));
      }
    },
    "measure a call, a look at the clock, and copies of these sizes instead");
  app.add_option("--output", output, "file instead of standard output");
#ifdef TAKT_WITH_RCLCPP
  use_rclcpp(rclcpp_one_thread);
#endif
  return takt_schedule::run_program(app, argc, argv, [&]() -> int {
    if (setting.cores.empty()) {
      setting.cores = takt_rt::usable_cores();
    }
    setting.topic = "/takt_data_path/p" + std::to_string(::getpid());
    if (!sizes.empty()) {
      takt_rt::apply(attributes_of(setting, Side::publisher, false));
      return takt_bench::write_result(floors(sizes).dump() + "\n", output, "takt_data_path");
    }
    if (const takt_rt::Faults faults = check(setting); !faults.empty()) {
      takt_schedule::tell(faults, kName);
      return takt_schedule::kBadInput;
    }
    if (const auto why = missing(setting)) {
      std::fprintf(stderr, "%s%s\n", kName, why->c_str());
      return kMissing;
    }
    const auto found = measure(setting);
    if (!found) {
      takt_schedule::tell(found.faults(), kName);
      return kNotMeasured;
    }
    return takt_bench::write_result(found.value().dump() + "\n", output, "takt_data_path");
  });
}
