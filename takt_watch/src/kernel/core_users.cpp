#include "kernel/core_users.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "takt_rt/thread_cpu_time.hpp"

namespace takt_watch
{
namespace
{

using takt_rt::Duration;
using takt_rt::Time;

constexpr std::size_t kMostThreads = 4096;
constexpr Duration kShortestIdleGap = std::chrono::seconds(1);
// While no thread waits, the time between readings is at least this many times the cost of a
// reading.
constexpr int kIdleCost = 500;
constexpr int kBusyCost = 20;
constexpr double kLeastShare = 0.005;

struct CloseFolder
{
  void operator()(DIR * folder) const noexcept { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

Folder open_folder(int at, const char * name)
{
  const int file = ::openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) {
    return nullptr;
  }
  Folder folder(::fdopendir(file));
  if (folder == nullptr) {
    ::close(file);
  }
  return folder;
}

// The number that `name` is; 0: it is another text.
pid_t number_of(std::string_view name)
{
  pid_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() && number > 0 ? number : 0;
}

template <typename Visit>
void for_each_number(DIR * folder, const Visit & visit)
{
  while (const dirent * const entry = ::readdir(folder)) {
    if (const pid_t number = number_of(entry->d_name); number != 0) {
      visit(number, entry->d_name);
    }
  }
}

std::string beginning_of(int at, const std::string & path)
{
  std::array<char, 1024> text{};
  const int file = ::openat(at, path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return {};
  }
  const ssize_t bytes = ::read(file, text.data(), text.size());
  ::close(file);
  return bytes > 0 ? std::string(text.data(), static_cast<std::size_t>(bytes)) : std::string();
}

/// The fields that takt needs of proc_pid_stat(5).
struct Stat
{
  std::string name{};
  unsigned long flags = 0;
  int core = -1;
};

std::optional<Stat> parse_stat(const std::string & text)
{
  constexpr int kState = 3;  // numbers of the fields
  constexpr int kFlags = 9;
  constexpr int kProcessor = 39;
  const std::size_t begin = text.find('(');
  const std::size_t end = text.rfind(')');  // the name before it may hold any characters
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    return std::nullopt;
  }
  Stat stat;
  stat.name = text.substr(begin + 1, end - begin - 1);
  for (char & c : stat.name) {
    // Replace control characters: names of other processes reach terminals.
    c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  std::size_t at = end + 1;
  for (int field = kState; at < text.size() && field <= kProcessor; ++field) {
    const std::size_t from = text.find_first_not_of(' ', at);
    if (from == std::string::npos) {
      break;
    }
    at = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, at - from);
    if (field == kFlags) {
      stat.flags = std::strtoul(word.c_str(), nullptr, 10);
    } else if (field == kProcessor) {
      stat.core = std::atoi(word.c_str());
    }
  }
  return stat;
}

bool may_read(const std::string & path)
{
  return !beginning_of(AT_FDCWD, path).empty();
}

// Returns a text about the processes that /proc hides from this process; empty: it hides none.
std::string find_unseen(const std::string & proc)
{
  constexpr std::string_view kFirstNamespace = "pid:[4026531836]";
  if (!may_read(proc + "/1/task/1/schedstat")) {
    return "/proc hides processes of other users from this one";
  }
  std::array<char, 64> link{};
  const ssize_t bytes = ::readlink((proc + "/self/ns/pid").c_str(), link.data(), link.size());
  if (
    bytes > 0 &&
    std::string_view(link.data(), static_cast<std::size_t>(bytes)) != kFirstNamespace) {
    return "processes outside of this container are not seen";
  }
  return {};
}

double as_seconds(Duration duration) noexcept
{
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

CoreUsers::CoreUsers(std::string proc, pid_t own)
: proc_(std::move(proc)),
  own_(own == 0 ? ::getpid() : own)
{
  use_.unseen = find_unseen(proc_);
}

void CoreUsers::look(Time now, bool somebody_waits)
{
  const Duration gap =
    somebody_waits ? kBusyCost * cost_ : std::max<Duration>(kShortestIdleGap, kIdleCost * cost_);
  if (readings_ == 0 || now - last_ >= gap) {
    read(now);
  }
}

const CoreUse & CoreUsers::in_window(Time now, Duration window)
{
  if (readings_ == 0 || now - last_ >= std::max<Duration>(kBusyCost * cost_, window / 2)) {
    read(now);
  }
  use_.users.clear();
  const double length = as_seconds(window);
  const double span = as_seconds(span_);
  if (length <= 0 || span <= 0) {
    return use_;
  }
  for (const auto & [tid, known] : threads_) {
    const double had = as_seconds(known.had);
    // If the readings are further apart than the window, the use above the usual use counts as use
    // in the window.
    const double here = span <= length || !known.rate_before
                          ? had / span
                          : (had - *known.rate_before * (span - length)) / length;
    CoreUser user;
    user.pid = known.pid;
    user.tid = tid;
    user.share = std::min(here, 1.0);
    if (user.share >= kLeastShare && describe(user)) {
      use_.users.push_back(std::move(user));
    }
  }
  std::sort(use_.users.begin(), use_.users.end(), [](const CoreUser & a, const CoreUser & b) {
    return std::pair(-a.share, a.tid) < std::pair(-b.share, b.tid);
  });
  return use_;
}

void CoreUsers::read(Time now)
{
  // Measure CPU time, not real time. On a crowded machine readings take long in real time, and
  // there the readings are needed most.
  const Duration began = takt_rt::thread_cpu_time();
  ++readings_;
  read_threads_ = 0;
  span_ = readings_ > 1 ? now - last_ : Duration::zero();
  last_ = now;
  const Folder all = open_folder(AT_FDCWD, proc_.c_str());
  if (all != nullptr) {
    for_each_number(all.get(), [&](pid_t pid, const char *) {
      if (read_threads_ < kMostThreads) {
        read_process(::dirfd(all.get()), pid);
      }
    });
  }
  std::erase_if(threads_, [&](const auto & one) { return one.second.reading != readings_; });
  cost_ = takt_rt::thread_cpu_time() - began;
}

void CoreUsers::read_process(int folder, pid_t pid)
{
  const Folder tasks = open_folder(folder, (std::to_string(pid) + "/task").c_str());
  if (tasks == nullptr) {
    return;  // the process has ended, or is hidden
  }
  for_each_number(tasks.get(), [&](pid_t tid, const char * name) {
    if (read_threads_ >= kMostThreads) {
      return;
    }
    ++read_threads_;
    const std::string text = beginning_of(::dirfd(tasks.get()), std::string(name) + "/schedstat");
    if (!text.empty()) {
      note(pid, tid, Duration(std::strtoll(text.c_str(), nullptr, 10)));
    }
  });
}

void CoreUsers::note(pid_t pid, pid_t tid, Duration on_cpu)
{
  const auto [found, fresh] = threads_.try_emplace(tid);
  Known & known = found->second;
  // The kernel may have given the number of an ended thread to a new one.
  if (fresh || known.pid != pid || on_cpu < known.on_cpu) {
    known = Known();
    if (readings_ == 1) {
      known.on_cpu = on_cpu;
    } else {
      known.rate = 0.0;  // the thread began after the last reading
    }
  }
  known.pid = pid;
  known.had = on_cpu - known.on_cpu;
  known.on_cpu = on_cpu;
  known.rate_before = known.rate;
  if (span_ > Duration::zero()) {
    known.rate = as_seconds(known.had) / as_seconds(span_);
  }
  known.reading = readings_;
}

// Fills in the name, kind and core of the thread. Returns false if the thread has ended.
bool CoreUsers::describe(CoreUser & user) const
{
  constexpr unsigned long kKernelThread = 0x00200000;  // PF_KTHREAD of the kernel's sched.h
  const std::string process = proc_ + "/" + std::to_string(user.pid);
  const auto thread =
    parse_stat(beginning_of(AT_FDCWD, process + "/task/" + std::to_string(user.tid) + "/stat"));
  if (!thread) {
    return false;
  }
  user.core = thread->core;
  user.name = thread->name;
  user.kind = user.pid == own_                       ? CoreUser::Kind::own
              : (thread->flags & kKernelThread) != 0 ? CoreUser::Kind::kernel
                                                     : CoreUser::Kind::process;
  if (user.kind == CoreUser::Kind::process && user.tid != user.pid) {
    if (const auto first = parse_stat(beginning_of(AT_FDCWD, process + "/stat"))) {
      user.name = first->name;
    }
  }
  return true;
}

}  // namespace takt_watch
