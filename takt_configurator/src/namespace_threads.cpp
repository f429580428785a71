#include "namespace_threads.hpp"

#include <dirent.h>

#include <algorithm>
#include <string>
#include <utility>

#include "takt_schedule/number.hpp"

namespace takt_configurator
{
namespace
{

/// A process may have any number of threads, and other clients wait while the daemon reads them.
constexpr std::size_t kMostThreads = 1000;
/// Listing so many names takes 3 ms. Of a process with more than kMostThreads threads, about ten
/// files are read.
constexpr std::size_t kMostListed = 10'000;
/// Limit of processes whose threads are kept: at most 4 MB.
constexpr std::size_t kMostProcesses = 64;

}  // namespace

NamespaceThreads::NamespaceThreads(OwnNumber own_number) : own_number_(std::move(own_number))
{
}

NamespaceThreads::Process & NamespaceThreads::kept(pid_t pid)
{
  if (!processes_.contains(pid) && processes_.size() >= kMostProcesses) {
    processes_.erase(std::min_element(
      processes_.begin(), processes_.end(),
      [](const auto & a, const auto & b) { return a.second.used < b.second.used; }));
  }
  Process & process = processes_[pid];
  process.used = ++calls_;
  return process;
}

std::vector<NamespaceThreads::Listed> NamespaceThreads::list(pid_t pid)
{
  std::vector<Listed> listed;
  DIR * const folder = ::opendir(("/proc/" + std::to_string(pid) + "/task").c_str());
  if (folder == nullptr) {
    return listed;
  }
  while (const dirent * const entry = ::readdir(folder)) {
    const auto tid = takt_schedule::parse_number<pid_t>(entry->d_name, 1, 1 << 30);
    if (tid && listed.size() < kMostListed) {
      listed.push_back({*tid, entry->d_ino});
    }
  }
  ::closedir(folder);
  std::sort(
    listed.begin(), listed.end(), [](const Listed & a, const Listed & b) { return a.tid < b.tid; });
  return listed;
}

/// Both numbers of a thread grow with each new thread, until the kernel begins again at low
/// numbers. So a search needs to read only few files.
std::optional<NamespaceThreads::Listed> NamespaceThreads::search(
  pid_t pid, pid_t own_tid, const std::vector<Listed> & listed) const
{
  std::size_t begin = 0;
  std::size_t end = listed.size();
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    const pid_t number = own_number_(pid, listed[middle].tid);
    if (number == own_tid) {
      return listed[middle];
    }
    if (number == 0) {
      return std::nullopt;  // the thread has ended meanwhile
    }
    (number < own_tid ? begin : end) = number < own_tid ? middle + 1 : middle;
  }
  return std::nullopt;
}

/// Keeps the data of known threads that still exist, and reads the others.
void NamespaceThreads::look(pid_t pid, Process & process, const std::vector<Listed> & listed) const
{
  Process now;
  now.used = process.used;
  for (const Listed & one : listed) {
    const auto old = process.threads.find(one.tid);
    const bool known = old != process.threads.end() && old->second.folder == one.folder;
    const Seen seen = known ? old->second : Seen{one.folder, own_number_(pid, one.tid)};
    now.threads[one.tid] = seen;
    now.by_own_tid[seen.own_tid] = one.tid;
    if (now.threads.size() >= kMostThreads) {
      break;
    }
  }
  process = std::move(now);
}

std::optional<pid_t> NamespaceThreads::find(pid_t pid, pid_t own_tid)
{
  Process & process = kept(pid);
  const auto right = [&]() -> std::optional<pid_t> {
    const auto found = process.by_own_tid.find(own_tid);
    const bool is = found != process.by_own_tid.end() && own_number_(pid, found->second) == own_tid;
    return is ? std::optional(found->second) : std::nullopt;
  };
  if (const auto tid = right()) {
    return tid;
  }
  const std::vector<Listed> listed = list(pid);
  if (listed.size() > kMostThreads) {
    if (const auto found = search(pid, own_tid, listed)) {
      return found->tid;
    }
  }
  look(pid, process, listed);
  return right();
}

}  // namespace takt_configurator
