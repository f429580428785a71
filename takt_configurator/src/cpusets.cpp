#include "cpusets.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "takt_core/attributes.hpp"
#include "takt_schedule/number.hpp"

namespace takt_configurator
{
namespace
{

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "takt-";

std::string first_line(const std::string & path)
{
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// An empty sentence, or why not. The kernel judges a value when it is written, so it is written at once.
std::string write_value(const std::string & path, const std::string & value)
{
  const FileDescriptor file(
    ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file || ::write(file.get(), value.data(), value.size()) < 0) {
    return path + " does not take '" + value + "': " + std::generic_category().message(errno);
  }
  return {};
}

std::optional<ThreadKey> key_of(const std::string & name)
{
  if (name.rfind(kPrefix, 0) != 0) {
    return std::nullopt;
  }
  std::istringstream words(name.substr(kPrefix.size()));
  ThreadKey key;
  char dash = 0;
  char other = 0;
  words >> key.pid >> dash >> key.tid >> other >> key.start_time;
  return words && words.eof() && dash == '-' && other == '-' ? std::optional(key) : std::nullopt;
}

}  // namespace

Cpusets::Cpusets(std::string root, const ProcessTable & table)
: root_(std::move(root)),
  table_(table)
{
  if (root_.empty()) {
    return;
  }
  while (root_.size() > 1 && root_.back() == '/') {
    root_.pop_back();
  }
  unified_ = fs::exists(root_ + "/cgroup.controllers");
  const std::string threads = unified_ ? "/cgroup.procs" : "/tasks";
  mount_ = root_;
  while (fs::exists(fs::path(mount_).parent_path().string() + threads)) {
    mount_ = fs::path(mount_).parent_path();
  }
  std::error_code ignored;
  for (const auto & entry : fs::directory_iterator(root_, ignored)) {
    if (const auto key = key_of(entry.path().filename())) {
      placed_[*key].origin = mount_;
    }
  }
  purge();
}

std::string Cpusets::folder(const ThreadKey & thread) const
{
  return root_ + "/" + std::string(kPrefix) + std::to_string(thread.pid) + "-" +
         std::to_string(thread.tid) + "-" + std::to_string(thread.start_time);
}

std::string Cpusets::move(pid_t tid, const std::string & folder) const
{
  return write_value(folder + (unified_ ? "/cgroup.threads" : "/tasks"), std::to_string(tid));
}

/// Where the rest of its process is, or where the hierarchy begins.
std::string Cpusets::origin(const ThreadKey & thread) const
{
  const std::string path = first_line("/proc/" + std::to_string(thread.tid) + "/cpuset");
  const std::string folder = mount_ + (path == "/" ? "" : path);
  return path.empty() || !fs::exists(folder) ? mount_ : folder;
}

std::string Cpusets::prepare(const std::string & folder, const std::vector<int> & cores) const
{
  const std::string list = takt_core::format_cores(cores);
  std::vector<std::pair<std::string, std::string>> values;
  if (unified_) {
    values = {
      {"/cgroup.type", "threaded"}, {"/cpuset.cpus", list}, {"/cpuset.cpus.partition", "root"}};
  } else {
    if (first_line(root_ + "/cpuset.sched_load_balance") != "0") {
      return root_ +
             "/cpuset.sched_load_balance is not 0, so that no cpuset in it has a root domain of "
             "its "
             "own; move the other threads into a cpuset of theirs, then write 0 there";
    }
    values = {
      {"/cpuset.mems", first_line(root_ + "/cpuset.mems")},
      {"/cpuset.cpus", list},
      {"/cpuset.cpu_exclusive", "1"}};
  }
  for (const auto & [file, value] : values) {
    if (std::string fault = write_value(folder + file, value); !fault.empty()) {
      return fault;
    }
  }
  // The kernel takes a partition that it cannot make, and says so here.
  if (const auto state = unified_ ? first_line(folder + "/cpuset.cpus.partition") : "root";
      state != "root") {
    return folder + "/cpuset.cpus.partition is '" + state + "'";
  }
  return {};
}

std::string Cpusets::place(const ThreadKey & thread, const std::vector<int> & cores)
{
  const std::string own = folder(thread);
  const bool is_new = !placed_.contains(thread);
  if (is_new) {
    const std::string from = origin(thread);
    if (::mkdir(own.c_str(), 0755) != 0 && errno != EEXIST) {
      return own + " cannot be made: " + std::generic_category().message(errno);
    }
    placed_[thread].origin = from;
  }
  placed_[thread].fresh = true;
  std::string fault = prepare(own, cores);
  if (fault.empty()) {
    fault = move(thread.tid, own);
  }
  if (!fault.empty() && is_new) {
    release(thread);
  }
  return fault;
}

void Cpusets::release(const ThreadKey & thread)
{
  const auto found = placed_.find(thread);
  if (found == placed_.end()) {
    return;
  }
  // All threads in there: the thread itself, threads that it created, or another one that was given its id.
  std::ifstream inside(folder(thread) + (unified_ ? "/cgroup.threads" : "/tasks"));
  for (pid_t tid = 0; inside >> tid;) {
    move(tid, found->second.origin);
  }
  if (::rmdir(folder(thread).c_str()) == 0 || errno == ENOENT) {
    placed_.erase(found);
  }
}

void Cpusets::purge(const Kernel * kernel)
{
  std::vector<ThreadKey> unused;
  for (auto & [thread, placed] : placed_) {
    const bool fresh = std::exchange(placed.fresh, false);
    const bool ended = table_.start_time(thread.pid, thread.tid) != thread.start_time;
    const bool left =
      kernel != nullptr && !fresh && kernel->read(thread.tid).policy != takt_core::Policy::deadline;
    if (ended || left) {
      unused.push_back(thread);
    }
  }
  for (const ThreadKey & thread : unused) {
    release(thread);
  }
}

}  // namespace takt_configurator
