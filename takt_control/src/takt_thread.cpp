#include "takt_control/takt_thread.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>

#include "takt_control/control_server.hpp"
#include "takt_control/process_setter.hpp"
#include "takt_control/threads_schedule.hpp"
#include "takt_rt/application/thread_name.hpp"
#include "takt_rt/attribute_setter.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/process_threads.hpp"

namespace
{

using takt_rt::Faults;
using takt_rt::ThreadAttributes;

thread_local std::string t_error;
// the value of TAKT_SCHEDULE, which takt removed from the environment
std::atomic<const std::string *> g_schedule{nullptr};

int end(int result, std::string error)
{
  t_error = std::move(error);
  return result;
}

std::string joined_text(const Faults & faults)
{
  std::string all;
  for (const std::string & sentence : sentences(faults)) {
    all += (all.empty() ? "" : "\n") + sentence;
  }
  return all;
}

/// The rules of all executors of the schedule, in the order of the file; read once.
struct Rules
{
  std::vector<takt_schedule::ProcessThreads> all{};
  Faults faults{};
};

const Rules & rules()
{
  static const auto & known = *new Rules([] {  // never destroyed, as the threads may outlive main
    Rules read;
    const char * const named = std::getenv("TAKT_SCHEDULE");
    const std::string * const told = g_schedule.load();
    const std::string file = named != nullptr ? named : told != nullptr ? *told : "";
    if (file.empty()) {
      return read;
    }
    const auto schedule = takt_schedule::load_schedule(file);
    if (!schedule) {
      read.faults = schedule.faults();
      return read;
    }
    for (const auto & executor : schedule->executors) {
      auto threads = takt_schedule::ProcessThreads::create(*schedule, executor.name);
      if (threads) {
        read.all.push_back(std::move(threads.value()));
      }
    }
    return read;
  }());
  return known;
}

}  // namespace

void takt_control::set_threads_schedule(const std::string & file)
{
  g_schedule.store(new std::string(file));  // never destroyed: the threads may outlive main
}

int takt_thread_register(const char * name)
{
  if (name == nullptr || *name == '\0') {
    return end(TAKT_THREAD_BAD_FILE, "a thread needs a name to be registered");
  }
  const Rules & known = rules();
  if (!known.faults.empty()) {
    return end(TAKT_THREAD_BAD_FILE, joined_text(known.faults));
  }
  std::optional<ThreadAttributes> attributes;
  for (const auto & threads : known.all) {
    const auto rule = threads.find(name);
    if (!rule) {
      return end(TAKT_THREAD_BAD_FILE, joined_text(rule.faults()));
    }
    if (rule.value() != nullptr && !attributes) {
      attributes = rule.value()->attributes;
    }
  }
  ThreadAttributes asked = attributes.value_or(ThreadAttributes());
  asked.name = name;
  // The rules know the whole name; the kernel keeps the first 15 bytes of it.
  const ThreadAttributes kept = takt_rt::with_kept_name(asked);
  const auto setter = takt_control::process_setter();
  const ThreadAttributes had = takt_rt::read_attributes();
  takt_rt::AttributeReport report =
    setter == nullptr ? takt_rt::apply(kept) : setter->apply(kept, 0);
  report.asked = asked;
  // Without the control socket the program still works, but no command can ask it about its
  // threads.
  static_cast<void>(takt_control::expose_thread(::gettid(), had, report));
  if (!report.granted_all()) {
    return end(TAKT_THREAD_REFUSED, joined_text(report.faults));
  }
  if (!attributes) {
    return end(
      TAKT_THREAD_NO_RULE, known.all.empty()
                             ? "TAKT_SCHEDULE names no schedule"
                             : std::string("no rule of process_threads matches ") + name);
  }
  return end(TAKT_THREAD_OK, {});
}

const char * takt_thread_error(void)
{
  return t_error.c_str();
}
