#include "data_path/measurement.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <memory>
#include <string>
#include <vector>

#include "data_path/child.hpp"
#include "data_path/report.hpp"
#include "takt_trace/stall_witness.hpp"

namespace takt_bench::data_path
{

using takt_rt::Faults;
using takt_rt::Time;

namespace
{

// For set-up, the middleware's discovery, and the end, on a busy machine.
constexpr takt_rt::Duration kPatience = std::chrono::seconds(60);
// The measuring process looks whether a child has died.
constexpr takt_rt::Duration kLookAtChildren = std::chrono::milliseconds(100);

/// The children of a measurement. Ends them.
class Children
{
public:
  explicit Children(Ledger & ledger) : ledger_(ledger) {}
  ~Children()
  {
    for (const Child & child : children_) {
      if (child.lives) {
        ::kill(child.pid, SIGKILL);
        ::waitpid(child.pid, nullptr, 0);
      }
    }
  }
  Children(const Children &) = delete;
  Children & operator=(const Children &) = delete;

  Faults start(const Setting & setting)
  {
    std::vector<Side> sides{Side::publisher};
    if (setting.place != Place::one_thread) {
      sides.insert(sides.begin(), Side::receiver);
    }
    for (const Side side : sides) {
      const pid_t pid = start_child(setting, ledger_, side);
      if (pid < 0) {
        return {"the kernel refuses another process"};
      }
      children_.push_back({pid, side, true});
    }
    return {};
  }

  /// Waits for that step; faults if a child ended before it, or at the deadline.
  Faults wait_for(Step step, Time deadline)
  {
    while (!ledger_.wait_for(step, takt_rt::now() + kLookAtChildren)) {
      if (Faults faults = look(); !faults.empty()) {
        return faults;
      }
      if (takt_rt::now() > deadline) {
        return {"the measurement did not go on"};
      }
    }
    return {};
  }

  /// Waits for the ends of all children.
  Faults join(Time deadline)
  {
    while (takt_rt::now() < deadline) {
      if (Faults faults = look(); !faults.empty()) {
        return faults;
      }
      bool live = false;
      for (const Child & child : children_) {
        live = live || child.lives;
      }
      if (!live) {
        return {};
      }
      // All children are on their way out, and no word tells when they are gone.
      const timespec moment{0, 1'000'000};
      ::nanosleep(&moment, nullptr);
    }
    return {"a process of the measurement did not end"};
  }

  std::vector<ProcessCounts> read() const
  {
    std::vector<ProcessCounts> counts;
    for (const Child & child : children_) {
      counts.push_back({child.side, takt_rt::read_accounts(child.pid)});
    }
    return counts;
  }

private:
  struct Child
  {
    pid_t pid;
    Side side;
    bool lives;
  };

  Faults look()
  {
    for (Child & child : children_) {
      int status = 0;
      if (!child.lives || ::waitpid(child.pid, &status, WNOHANG) != child.pid) {
        continue;
      }
      child.lives = false;
      const std::string why = ledger_.failure(child.side);
      if (status != 0 || ledger_.step() < Step::ended) {
        return {why.empty() ? "a process of the measurement died" : why};
      }
    }
    return {};
  }

  Ledger & ledger_;
  std::vector<Child> children_;
};

}  // namespace

takt_rt::Result<nlohmann::ordered_json> measure(const Setting & setting)
{
  Ledger ledger(setting);
  Children children(ledger);
  if (Faults faults = children.start(setting); !faults.empty()) {
    return faults;
  }
  // Its threads are those of this process, and in no count.
  takt_trace::StallWitness witness(setting.cores);
  // A message may take as long as the course waits for one.
  const takt_rt::Duration warm_up =
    static_cast<std::int64_t>(setting.warm_up) * (setting.interval + setting.patience);
  if (Faults faults = children.wait_for(Step::warm, takt_rt::now() + kPatience + warm_up);
      !faults.empty()) {
    return faults;
  }
  Finding finding{setting, ledger};
  finding.before = children.read();
  ledger.take_step(Step::measuring);
  if (Faults faults = children.wait_for(Step::done, takt_rt::now() + kPatience + setting.longest);
      !faults.empty()) {
    return faults;
  }
  finding.after = children.read();
  finding.stalls = witness.stop();
  finding.blind = witness.blind().has_value();
  ledger.take_step(Step::ended);
  if (Faults faults = children.join(takt_rt::now() + kPatience); !faults.empty()) {
    return faults;
  }
  return report(finding);
}

}  // namespace takt_bench::data_path
