#include "run/split.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>

#include "records/record_directory.hpp"
#include "records/record_io.hpp"
#include "run/held_signals.hpp"
#include "run/part_process.hpp"
#include "run/run_part.hpp"

namespace takt_workload
{

using takt_rt::Duration;
using takt_rt::Time;

namespace
{

constexpr Duration kSlice = std::chrono::milliseconds(200);
constexpr char kMatched = 'm';
// The time that a part has to write its record after it was told to end.
constexpr Duration kPatience = std::chrono::seconds(10);
constexpr std::size_t kNamed = 8;

using Processes = std::vector<std::unique_ptr<PartProcess>>;

// "part 2 of 3 (/A, /B and 6 more)"
std::string name_of(const Graph & graph, const std::vector<int> & parts, int part, int count)
{
  std::string nodes;
  std::size_t known = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == part && ++known <= kNamed) {
      nodes += (nodes.empty() ? "" : ", ") + graph.nodes[i].name;
    }
  }
  if (known > kNamed) {
    nodes += fmt::format(" and {} more", known - kNamed);
  }
  return fmt::format("part {} of {} ({})", part + 1, count, nodes.empty() ? "no node" : nodes);
}

ProcessRecord failed(const std::string & why)
{
  ProcessRecord record;
  record.error = why;
  return record;
}

// Waits until all parts have reported that they are matched. Returns the record of a part that
// failed, or nothing.
std::optional<ProcessRecord> wait_until_matched(const Processes & processes)
{
  std::vector<pollfd> files;
  for (const auto & process : processes) {
    files.push_back({process->channel(), POLLIN, 0});
  }
  for (std::size_t matched = 0; matched < processes.size();) {
    if (wait_for_signal_or(files, takt_rt::kNever)) {
      return failed("stopped before it began");
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].revents == 0) {
        continue;
      }
      char word = 0;
      if (recv(files[i].fd, &word, 1, MSG_DONTWAIT) != 1 || word != kMatched) {
        processes[i]->end(kPatience);
        const ProcessRecord record = processes[i]->record();
        return record.error.empty() ? failed("a part ended before it began") : record;
      }
      ++matched;
    }
  }
  return std::nullopt;
}

void begin_part(const PartProcess & process, const PartStart & start)
{
  // If the part has died meanwhile, a later step notices it.
  [[maybe_unused]] const auto sent = send(process.channel(), &start, sizeof start, MSG_NOSIGNAL);
}

/// Ends a part within the warm-up, and starts it again.
class PartRestart
{
public:
  PartRestart(
    std::unique_ptr<PartProcess> & part, Time epoch, const RunOptions & options,
    std::function<std::unique_ptr<PartProcess>()> make)
  : part_(part),
    epoch_(epoch),
    at_(epoch + options.restart->after),
    measured_from_(epoch + options.warmup),
    make_(std::move(make))
  {
  }

  /// Called from time to time. False: the part did not start in time.
  bool look()
  {
    const Time now = takt_rt::now();
    if (state_ == State::before && now >= at_ && part_->running()) {
      part_->end(kPatience);
      part_ = make_();
      state_ = State::starts;
    }
    if (state_ != State::starts || now < measured_from_) {
      return true;
    }
    fault_ =
      "the part that was to start again was not matched before the warm-up was over; choose a "
      "longer --warmup";
    return false;
  }

  /// True if `process` reported that it is matched; the part then begins.
  bool heard(const PartProcess & process)
  {
    char word = 0;
    if (
      state_ != State::starts || &process != part_.get() ||
      recv(process.channel(), &word, 1, MSG_DONTWAIT) != 1 || word != kMatched) {
      return false;
    }
    state_ = State::over;
    begin_part(process, {epoch_, takt_rt::now() + kBeginsAfter});
    return true;
  }

  const std::string & fault() const noexcept { return fault_; }

private:
  enum class State
  {
    before,
    starts,
    over
  };
  static constexpr Duration kBeginsAfter = std::chrono::milliseconds(100);

  std::unique_ptr<PartProcess> & part_;
  const Time epoch_, at_, measured_from_;
  const std::function<std::unique_ptr<PartProcess>()> make_;
  State state_ = State::before;
  std::string fault_;
};

// If a part ends before `due`, for any reason, the others are told to end: their chains pass
// through it. A part that has not ended some time after it was told is killed. The time grows with
// the length of the run, because there is more to write.
void wait_until_ended(
  const Processes & processes, Time epoch, Time due, const Progress & progress,
  std::optional<PartRestart> & restart)
{
  const Time overdue = due + kPatience + (due - epoch) / 10;
  bool stopping = false;
  Time patience = takt_rt::kNever;
  const auto stop = [&] {
    if (!stopping) {
      stopping = true;
      patience = takt_rt::now() + kPatience;
      for (const auto & process : processes) {
        process->interrupt();
      }
    }
  };
  for (;;) {
    if (restart && !stopping && !restart->look()) {
      stop();
    }
    std::vector<PartProcess *> running;
    std::vector<pollfd> files;
    for (const auto & process : processes) {
      if (process->running()) {
        running.push_back(process.get());
        files.push_back({process->channel(), POLLIN, 0});
      }
    }
    if (running.empty()) {
      return;
    }
    if (stopping) {
      poll(files.data(), files.size(), static_cast<int>(kSlice.count() / 1'000'000));
    } else if (wait_for_signal_or(files, takt_rt::now() + kSlice) || takt_rt::now() > overdue) {
      stop();
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].revents != 0 && restart && restart->heard(*running[i])) {
        continue;
      }
      if (files[i].revents != 0) {
        running[i]->reap(kPatience);
        if (takt_rt::now() < due || !running[i]->failure().empty()) {
          stop();
        }
      } else if (takt_rt::now() > patience) {
        running[i]->reap({});
      }
    }
    if (progress) {
      progress(takt_rt::now() - epoch);
    }
  }
}

}  // namespace

std::vector<ProcessRecord> run_split(
  const Graph & graph, const RunOptions & options, const std::vector<int> & parts,
  const std::vector<std::string> & arguments, const std::function<bool(Time & epoch)> & begin,
  const Progress & progress)
{
  try {
    const RecordDirectory directory;
    Processes processes;
    const auto made = [&](int part) {
      std::error_code ignored;
      std::filesystem::remove(directory.file(part), ignored);  // of the part's earlier process
      return std::make_unique<PartProcess>(
        arguments, part, *options.domain, directory.file(part),
        name_of(graph, parts, part, options.split));
    };
    for (int part = 0; part < options.split; ++part) {
      processes.push_back(made(part));
    }
    if (const auto stopped = wait_until_matched(processes)) {
      for (const auto & process : processes) {
        process->interrupt();  // all parts at once; their destructors wait for them
      }
      return {*stopped};
    }
    Time epoch{};
    begin(epoch);
    for (const auto & process : processes) {
      begin_part(*process, {epoch, epoch});
    }
    const Time due = epoch + options.warmup + options.duration;
    std::optional<PartRestart> restart;
    if (options.restart) {
      const auto part = static_cast<std::size_t>(options.restart->part);
      restart.emplace(
        processes[part], epoch, options, [&, part] { return made(static_cast<int>(part)); });
    }
    wait_until_ended(processes, epoch, due, progress, restart);
    std::vector<ProcessRecord> records;
    for (const auto & process : processes) {
      records.push_back(process->record());
    }
    if (restart && !restart->fault().empty()) {
      records.push_back(failed(restart->fault()));
    }
    std::stable_partition(records.begin(), records.end(), [](const ProcessRecord & record) {
      return record.error.empty();
    });
    return records;
  } catch (const std::exception & error) {
    return {failed(error.what())};
  }
}

std::optional<PartStart> wait_at_barrier(int channel)
{
  if (send(channel, &kMatched, 1, MSG_NOSIGNAL) != 1) {
    return std::nullopt;
  }
  pollfd file{channel, POLLIN, 0};
  while (file.revents == 0) {
    if (wait_for_signal_or({&file, 1}, takt_rt::kNever)) {
      return std::nullopt;
    }
  }
  // The sender writes it in one piece, so it cannot make this process wait.
  PartStart start;
  if (recv(channel, &start, sizeof start, MSG_DONTWAIT) != sizeof start) {
    return std::nullopt;
  }
  return start;
}

int run_as_part(
  const Graph & graph, const RunOptions & options, std::uint32_t part, int channel,
  const std::string & record_file)
{
  prctl(PR_SET_NAME, "takt_run");  // a process that is started through a link has the link's name
  PartHooks hooks;
  hooks.barrier = [&](PartStart & start) {
    const auto given = wait_at_barrier(channel);
    start = given.value_or(PartStart{});
    return given.has_value();
  };
  const ProcessRecord record = run_part(graph, options, part, parts_of(graph, options), hooks);
  const takt_rt::Status written = write_record(record_file, record);
  if (!written.ok()) {  // the process that started this one then reads no reason
    std::fprintf(
      stderr, "takt_run: the record of part %u: %s\n", part,
      to_string(written.faults().front()).c_str());
  }
  return written.ok() && record.error.empty() ? 0 : 1;
}

}  // namespace takt_workload
