#include "flow/chain_accountant.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>

#include "callback_ids.hpp"
#include "saturating.hpp"
#include "takt_schedule/duration.hpp"

namespace takt_trace::detail
{
namespace
{

/// A limit, because a file may claim any number.
constexpr std::size_t kMostSkipped = 1'000'000;

std::string name_of(const LongTrace & process)
{
  return std::filesystem::path(process.program).filename().string() + " (pid " +
         std::to_string(process.pid) + ")";
}

std::uint64_t dropped(const LongTrace & process)
{
  std::uint64_t sum = 0;
  for (const LongThread & thread : process.threads) {
    sum += thread.dropped;
  }
  return sum;
}

std::int64_t recorded_until(const LongTrace & process)
{
  std::int64_t last = process.ended != 0 ? process.ended : process.began;
  for (const LongThread & thread : process.threads) {
    for (const Record & record : thread.records) {
      last = std::max(last, record.time);
    }
  }
  return last;
}

/// 0: the id does not contain it.
std::int64_t period_in(const std::string & id)
{
  if (takt_core::adapter::kind_word(id) != "timer") {
    return 0;
  }
  const auto period = takt_schedule::parse_duration(takt_core::adapter::bracketed(id));
  return period.ok() ? std::max<std::int64_t>(period->count(), 0) : 0;
}

}  // namespace

ChainAccount ChainAccountant::account(
  const TracedChain & chain, const LongVector<ToldActivation> & told,
  const std::optional<AccountedTime> & time) const
{
  ChainAccount result{chain, {}, {}};
  Path path;
  for (const std::string & id : chain.path) {
    path.push_back(flow_.find(id));
    if (path.back() == nullptr) {
      result.why = "no process of the trace has " + id;
      return result;
    }
  }
  result.why = why_not(path);
  if (!result.why.empty()) {
    return result;
  }
  const AccountedTime counted = time ? *time : recorded_by_all(path);
  if (counted.from >= counted.to) {
    result.why = "its processes did not record at the same time";
    return result;
  }
  AccountedChain asked;
  for (const FlowingCallback * const one : path) {
    asked.path.push_back(one->number);
  }
  asked.deadline = chain.deadline > 0 ? chain.deadline : kNotYet;
  std::uint64_t ended = 0, late = 0;
  LongVector<std::int64_t> releases;
  for (const ToldActivation & one : told) {
    releases.push_back(one.release);
    if (!time || (counted.from <= one.release && one.release < counted.to)) {
      ++ended;
      late += one.end > saturating_add(one.release, asked.deadline) ? 1 : 0;
    }
  }
  releases.sort(std::less<>());
  asked.told = SortedList<std::int64_t>(std::move(releases));
  ActivationAccount account =
    account_activations(flow_.flow(), asked, unstarted(*path.front(), counted), counted);
  account.released += ended;
  account.completed += ended;
  account.late += late;
  account.missed += late;
  result.account = std::move(account);
  return result;
}

std::string ChainAccountant::why_not(const Path & path) const
{
  if (path.empty()) {
    return "the chain has no path";
  }
  for (const FlowingCallback * const one : path) {
    if (one->processes.size() > 1) {
      return "several processes of the trace have " + one->id;
    }
    const LongTrace & process = index_.processes()[*one->processes.begin()];
    if (dropped(process) > 0) {
      return "records of " + name_of(process) + " are missing";
    }
  }
  for (std::size_t place = 1; place < path.size(); ++place) {
    if (std::string why = why_not(*path[place - 1], *path[place]); !why.empty()) {
      return why;
    }
  }
  return {};
}

std::string ChainAccountant::why_not(const FlowingCallback & from, const FlowingCallback & to) const
{
  if (to.timer) {
    return to.id + " is a timer: a trace does not tell which data it read";
  }
  const FlowCallback & taker = flow_.flow().callbacks()[to.number];
  const std::uint32_t node = flow_.flow().callbacks()[from.number].node;
  const std::string hop = " from " + std::string(node_in(from.id)) + " to " + to.id;
  if (from.ended_runs > 0 && !flow_.flow().publishes(node, taker.topic)) {
    return "the trace has no message" + hop;
  }
  if (
    taker.topic == kNoTopic || to.without_message > 0 || to.unnamed_takes > 0 ||
    flow_.has_unnamed_publishes(taker.topic) || passes_within_process(from, to)) {
    return "the trace does not have all messages" + hop +
           ": those within an rclcpp process, of services and of actions have no records";
  }
  return {};
}

// rclcpp passes messages within a process to a waitable of the node, which runs the same function.
bool ChainAccountant::passes_within_process(
  const FlowingCallback & from, const FlowingCallback & to) const
{
  if (from.processes != to.processes) {
    return false;
  }
  const std::string waitable =
    takt_core::adapter::callback_id(node_in(to.id), "waitable", topic_in(to.id));
  return flow_.find(waitable) != nullptr;
}

AccountedTime ChainAccountant::recorded_by_all(const Path & path) const
{
  constexpr auto kEnd = std::numeric_limits<std::int64_t>::max();
  AccountedTime time{std::numeric_limits<std::int64_t>::min(), kEnd, kEnd};
  std::set<std::size_t> processes;
  for (const FlowingCallback * const one : path) {
    processes.insert(*one->processes.begin());
  }
  for (const std::size_t process : processes) {
    const LongTrace & own = index_.processes()[process];
    time.from = std::max(time.from, index_.shared(process, own.began));
    time.to = std::min(time.to, index_.shared(process, recorded_until(own)));
  }
  time.observed_to = time.to;
  return time;
}

// The next run of the timer begins with the first release that was not skipped.
UnstartedReleases ChainAccountant::unstarted(
  const FlowingCallback & root, const AccountedTime & time) const
{
  UnstartedReleases result;
  if (!root.timer) {
    return result;
  }
  struct Release
  {
    std::int64_t time = 0;
    std::int64_t skipped = 0;  // periods after it
  };
  LongVector<Release> releases;
  const auto & runs = flow_.flow().runs();
  for (RunNumber run = 0; run < runs.size(); ++run) {
    if (runs[run].callback == root.number) {
      releases.push_back({runs[run].release, flow_.skipped(run)});
    }
  }
  releases.sort([](const Release & a, const Release & b) {
    return std::tie(a.time, a.skipped) < std::tie(b.time, b.skipped);
  });
  const std::int64_t declared = period_in(root.id);
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const auto [release, skipped] = releases[i];
    const std::int64_t period =
      i + 1 < releases.size() ? saturating_subtract(releases[i + 1].time, release) / (skipped + 1)
                              : declared;
    if (period <= 0) {
      continue;
    }
    const std::int64_t before = saturating_subtract(time.from, release);
    const std::int64_t first = before > period ? (before - 1) / period + 1 : 1;
    for (std::int64_t n = first; n <= skipped && result.skipped.size() < kMostSkipped; ++n) {
      std::int64_t later = 0;
      if (__builtin_mul_overflow(n, period, &later)) {
        break;
      }
      const std::int64_t due = saturating_add(release, later);
      if (due >= time.to) {
        break;
      }
      result.skipped.push_back(due);
    }
  }
  return result;
}

}  // namespace takt_trace::detail
