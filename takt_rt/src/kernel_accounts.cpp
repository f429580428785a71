#include "takt_rt/kernel_accounts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <tuple>

#include "sched_attr.hpp"

namespace takt_rt
{
namespace
{

namespace fs = std::filesystem;

/// Reads up to `count` numbers, whose first is field `first_field` of the file's own numbering.
class Fields
{
public:
  Fields(std::istream & numbers, std::size_t first_field, std::size_t count) : first_(first_field)
  {
    values_.reserve(count);
    for (std::int64_t value = 0; values_.size() < count && numbers >> value;) {
      values_.push_back(value);
    }
    complete_ = values_.size() == count;
  }
  bool complete() const { return complete_; }
  std::int64_t operator[](std::size_t field) const { return values_[field - first_]; }

private:
  std::size_t first_;
  std::vector<std::int64_t> values_;
  bool complete_ = false;
};

Duration from_ticks(std::int64_t ticks)
{
  return Duration{ticks * (1'000'000'000 / ::sysconf(_SC_CLK_TCK))};
}

/// Field numbers as in proc_pid_stat(5). The name may hold spaces and brackets, but the last ')'
/// ends it.
bool read_stat(const fs::path & task, ThreadAccount & account)
{
  std::ifstream file(task / "stat");
  // All of it by getline: a thread that ends between open and read makes the read fail (ESRCH),
  // which a formatted read reports in the stream but a bare streambuf throws.
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) {
    return false;
  }
  account.name = text.substr(open + 1, close - open - 1);
  std::istringstream numbers(text.substr(close + 1));
  std::string state;
  numbers >> state;
  // Some fields in between (rsslim, addresses) exceed a signed number and are skipped.
  const Fields early(numbers, 4, 22 - 4 + 1);
  std::string skipped;
  for (int field = 23; field <= 38; ++field) {
    numbers >> skipped;
  }
  const Fields late(numbers, 39, 41 - 39 + 1);
  if (!early.complete() || !late.complete()) {
    return false;
  }
  account.started = static_cast<std::uint64_t>(early[22]);
  account.counters.minor_faults = static_cast<std::uint64_t>(early[10]);
  account.counters.major_faults = static_cast<std::uint64_t>(early[12]);
  account.counters.cpu_time = from_ticks(early[14] + early[15]);
  account.nice = static_cast<int>(early[19]);
  account.last_core = static_cast<int>(late[39]);
  account.policy = detail::from_kernel(static_cast<std::uint32_t>(late[41]));
  account.rt_priority = has_rt_priority(account.policy) ? static_cast<int>(late[40]) : 0;
  return true;
}

/// Absent if the kernel does not count. Read often, so without a stream.
std::optional<CoreTimes> read_schedstat(const std::string & task)
{
  const int file = ::open((task + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return std::nullopt;
  }
  std::array<char, 128> text;
  const ssize_t bytes = ::read(file, text.data(), text.size());
  ::close(file);
  std::array<std::int64_t, 3> numbers{};
  const char * at = text.data();
  const char * const end = at + std::max(bytes, ssize_t{0});
  for (std::int64_t & number : numbers) {
    at = std::find_if(at, end, [](char one) { return one != ' '; });
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) {
      return std::nullopt;
    }
    at = next;
  }
  // "0 0 0": the kernel has the file but does not count.
  if (numbers[2] == 0) {
    return std::nullopt;
  }
  return CoreTimes{Duration{numbers[0]}, Duration{numbers[1]}};
}

bool read_switches(const fs::path & task, ThreadCounters & counters)
{
  std::ifstream file(task / "status");
  int found = 0;
  for (std::string key; found < 2 && file >> key;) {
    if (key == "voluntary_ctxt_switches:") {
      file >> counters.voluntary_switches;
      ++found;
    } else if (key == "nonvoluntary_ctxt_switches:") {
      file >> counters.involuntary_switches;
      ++found;
    }
  }
  return found == 2;
}

std::optional<ThreadAccount> read_account(const fs::path & task)
{
  ThreadAccount account;
  const std::string tid = task.filename();
  std::from_chars(tid.data(), tid.data() + tid.size(), account.tid);
  if (!read_stat(task, account) || !read_switches(task, account.counters)) {
    return std::nullopt;
  }
  // Replaces the ticks of read_stat().
  if (const auto times = read_schedstat(task)) {
    account.counters.cpu_time = times->on_cpu;
    account.counters.queue_wait = times->queue_wait;
  }
  return account;
}

/// Never negative: if the kernel's clock steps back a little, the increase is zero.
template <typename Number>
Number grown(Number before, Number after)
{
  return after > before ? after - before : Number{};
}

ThreadCounters grown(const ThreadCounters & before, const ThreadCounters & after)
{
  return {
    grown(before.cpu_time, after.cpu_time),
    grown(before.queue_wait, after.queue_wait),
    grown(before.voluntary_switches, after.voluntary_switches),
    grown(before.involuntary_switches, after.involuntary_switches),
    grown(before.minor_faults, after.minor_faults),
    grown(before.major_faults, after.major_faults),
  };
}

auto identity(const ThreadAccount & account)
{
  return std::tie(account.tid, account.started);
}

}  // namespace

CoreTimes core_times(pid_t tid)
{
  return read_schedstat("/proc/self/task/" + std::to_string(tid)).value_or(CoreTimes{});
}

std::vector<ThreadAccount> read_accounts(pid_t pid)
{
  const std::string process = pid == 0 ? "self" : std::to_string(pid);
  std::vector<ThreadAccount> accounts;
  std::error_code error;
  fs::directory_iterator tasks(fs::path("/proc") / process / "task", error);
  for (; !error && tasks != fs::directory_iterator(); tasks.increment(error)) {
    if (std::optional<ThreadAccount> account = read_account(tasks->path())) {
      accounts.push_back(std::move(*account));
    }
  }
  std::sort(accounts.begin(), accounts.end(), [](const auto & a, const auto & b) {
    return identity(a) < identity(b);
  });
  return accounts;
}

std::vector<AccountChange> changes_between(
  const std::vector<ThreadAccount> & before, const std::vector<ThreadAccount> & after)
{
  std::vector<AccountChange> changes;
  auto old = before.begin();
  auto current = after.begin();
  while (old != before.end() || current != after.end()) {
    if (current == after.end() || (old != before.end() && identity(*old) < identity(*current))) {
      AccountChange & change = changes.emplace_back(AccountChange{Presence::went, *old++});
      change.account.counters = {};
    } else if (old == before.end() || identity(*current) < identity(*old)) {
      changes.push_back({Presence::came, *current++});
    } else {
      AccountChange & change = changes.emplace_back(AccountChange{Presence::stayed, *current});
      change.account.counters = grown(old->counters, current->counters);
      ++old;
      ++current;
    }
  }
  return changes;
}

}  // namespace takt_rt
