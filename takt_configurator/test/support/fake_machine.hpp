// A process table and a kernel for tests. They do not change the real machine.
#ifndef SUPPORT__FAKE_MACHINE_HPP_
#define SUPPORT__FAKE_MACHINE_HPP_

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "kernel.hpp"
#include "process_table.hpp"

namespace takt_configurator::test
{

/// Processes with threads. A thread exists while it has a start time.
struct FakeTable : ProcessTable
{
  struct Thread
  {
    std::uint64_t start = 1;
    uid_t user = 1000;
  };

  const Thread * find(pid_t pid, pid_t tid) const
  {
    const auto found = all.find({pid, tid});
    return found == all.end() ? nullptr : &found->second;
  }
  std::optional<std::uint64_t> start_time(pid_t pid, pid_t tid) const override
  {
    const Thread * const thread = find(pid, tid);
    return thread == nullptr ? std::nullopt : std::optional(thread->start);
  }
  std::optional<pid_t> find_thread(pid_t pid, pid_t own_tid) const override
  {
    return find(pid, own_tid) == nullptr ? std::nullopt : std::optional(own_tid);
  }
  std::optional<uid_t> user(pid_t pid, pid_t tid) const override
  {
    const Thread * const thread = find(pid, tid);
    return thread == nullptr ? std::nullopt : std::optional(thread->user);
  }
  std::vector<int> usable_cores(pid_t) const override { return {0}; }
  FileDescriptor watch_thread(pid_t) const override { return {}; }
  std::optional<pid_t> process_of(pid_t tid) const override
  {
    for (const auto & [ids, thread] : all) {
      if (ids.second == tid) {
        return ids.first;
      }
    }
    return std::nullopt;
  }
  std::vector<pid_t> processes() const override
  {
    std::vector<pid_t> pids;
    for (const auto & [ids, thread] : all) {
      if (pids.empty() || pids.back() != ids.first) {
        pids.push_back(ids.first);
      }
    }
    return pids;
  }
  std::vector<pid_t> threads(pid_t pid) const override
  {
    std::vector<pid_t> tids;
    for (const auto & [ids, thread] : all) {
      if (ids.first == pid) {
        tids.push_back(ids.second);
      }
    }
    return tids;
  }

  std::map<std::pair<pid_t, pid_t>, Thread> all;  ///< by process and thread
};

/// Grants all requests and records them.
struct FakeKernel : Kernel
{
  takt_rt::AttributeReport apply(const takt_rt::ThreadAttributes & attributes, pid_t tid) override
  {
    takt_rt::ThreadAttributes & now = threads[tid];
    const auto cores = attributes.cores.empty() ? now.cores : attributes.cores;
    if (attributes.policy != takt_rt::Policy::inherit) {
      now = attributes;
    }
    if (attributes.nice) {
      nices[tid] = *attributes.nice;
    }
    now.nice.reset();
    if (has_nice(now.policy)) {
      now.nice = nice(tid);
    }
    now.cores = cores;
    asked.emplace_back(tid, attributes);
    if (after_apply) {
      after_apply();
    }
    return {attributes, now, {}};
  }
  takt_rt::ThreadAttributes read(pid_t tid) const override
  {
    const auto found = threads.find(tid);
    return found == threads.end()
             ? takt_rt::ThreadAttributes{.policy = takt_rt::Policy::other, .nice = 0, .cores = {0}}
             : found->second;
  }
  int nice(pid_t tid) const override
  {
    const auto found = nices.find(tid);
    return found == nices.end() ? 0 : found->second;
  }
  int raise_rtprio_limit(pid_t pid, int priority, rlimit & before) override
  {
    before = {0, 0};
    limits[pid] = priority;
    if (after_apply) {
      after_apply();
    }
    return limit_error;
  }
  void set_rtprio_limit(pid_t pid, const rlimit & limit) override
  {
    limits[pid] = static_cast<int>(limit.rlim_cur);
  }

  std::map<pid_t, takt_rt::ThreadAttributes> threads;
  std::vector<std::pair<pid_t, takt_rt::ThreadAttributes>> asked;
  std::map<pid_t, int> nices;  ///< of threads, under any policy
  std::map<pid_t, int> limits;
  int limit_error = 0;
  std::function<void()> after_apply;
};

}  // namespace takt_configurator::test

#endif  // SUPPORT__FAKE_MACHINE_HPP_
