#include "report/chains_json.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flow/chain_accountant.hpp"
#include "report/account_json.hpp"
#include "report/activations.hpp"
#include "report/distribution.hpp"
#include "report/split.hpp"
#include "saturating.hpp"

namespace takt_trace::detail
{
namespace
{

using nlohmann::ordered_json;

constexpr std::size_t kMostResponses = 2000;
constexpr std::size_t kMostWorst = 5;
constexpr std::size_t kMostRuns = 300;  // in a time line

constexpr std::array kParts{
  std::pair{"middleware_ns", &Split::middleware},
  std::pair{"group_ns", &Split::group},
  std::pair{"queue_ns", &Split::queue},
  std::pair{"core_ns", &Split::core},
  std::pair{"ran_ns", &Split::ran},
  std::pair{"blocked_ns", &Split::blocked}};

/// The mean of `count` splits, of which `sum` is the sum. Its parts are rounded so that they add up
/// to the mean of the whole time, rounded down.
ordered_json split_json(const Split & sum, std::size_t count = 1)
{
  ordered_json parts = ordered_json::object();
  const auto of = static_cast<std::int64_t>(std::max<std::size_t>(count, 1));
  std::int64_t all = 0, told = 0;
  for (const auto & [name, part] : kParts) {
    all = saturating_add(all, sum.*part);
    parts[name] = all / of - told;
    told = all / of;
  }
  return parts;
}

ordered_json core_json(int core)
{
  return core < 0 ? ordered_json(nullptr) : ordered_json(core);
}

std::string name_of(const TracedCallback * callback)
{
  return callback != nullptr ? callback->id : "a callback without a name";
}

class ChainWriter
{
public:
  ChainWriter(const RunIndex & index, std::int64_t began)
  : index_(index),
    splitter_(index),
    accountant_(index),
    began_(began)
  {
  }

  ordered_json chain(const ChainActivations & chain) const
  {
    const auto & all = chain.activations;
    LongVector<std::int64_t> responses;
    std::vector<ChainActivation> longest;  // among those with steps
    Split sum;
    std::size_t late = 0, known = 0;
    for (const ChainActivation one : all) {
      responses.push_back(one.response());
      late += chain.chain.deadline > 0 && one.response() > chain.chain.deadline ? 1 : 0;
      if (one.has_steps) {
        ++known;
        sum += split_of(chain.steps_of(one));
        const auto behind = std::find_if(
          longest.begin(), longest.end(),
          [&](const ChainActivation & other) { return other.response() < one.response(); });
        longest.insert(behind, one);
        longest.resize(std::min(longest.size(), kMostWorst));
      }
    }
    ordered_json worst = ordered_json::array();
    for (const ChainActivation & one : longest) {
      worst.push_back(activation(one, chain.steps_of(one)));
    }
    const ChainAccount account = accountant_.account(chain.chain, told_of(chain));
    ordered_json told = {
      {"name", chain.chain.name},
      {"path", chain.chain.path},
      {"deadline_ns",
       chain.chain.deadline > 0 ? ordered_json(chain.chain.deadline) : ordered_json(nullptr)},
      {"activations", all.size()},
      {"missed", account.account ? account.account->missed : late},
      {"unsplit", all.size() - known},
      {"response", distribution_json(std::move(responses))},
      {"responses", responses_json(all)},
      {"split", split_json(sum, known)},
      {"worst", std::move(worst)}};
    told.update(account_json(account, accountant_.flow(), began_));
    return told;
  }

private:
  Split split_of(const std::vector<ActivationStep> & steps) const
  {
    Split sum;
    for (const ActivationStep & step : steps) {
      sum += splitter_.split(step);
    }
    return sum;
  }

  /// The longest of each group of neighbours, so that the longest of all is included.
  ordered_json responses_json(const LongVector<ChainActivation> & all) const
  {
    ordered_json list = ordered_json::array();
    const std::size_t groups = std::min(all.size(), kMostResponses);
    for (std::size_t group = 0; group < groups; ++group) {
      const auto edge = [&](std::size_t number) { return number * all.size() / groups; };
      ChainActivation longest = all[edge(group)];
      for (std::size_t i = edge(group) + 1; i < edge(group + 1); ++i) {
        if (const ChainActivation one = all[i]; one.response() > longest.response()) {
          longest = one;
        }
      }
      list.push_back({after_begin(longest.release), longest.response()});
    }
    return list;
  }

  ordered_json activation(
    const ChainActivation & one, const std::vector<ActivationStep> & all) const
  {
    ordered_json steps = ordered_json::array();
    std::set<std::size_t> own;
    for (const ActivationStep & each : all) {
      steps.push_back(step(each));
      own.insert(each.run);
    }
    return {
      {"release_ns", after_begin(one.release)},
      {"end_ns", after_begin(one.end)},
      {"response_ns", one.response()},
      {"split", split_json(split_of(all))},
      {"steps", std::move(steps)},
      {"timeline", timeline(one, own)}};
  }

  ordered_json step(const ActivationStep & step) const
  {
    const TracedRun run = index_.runs()[step.run];
    ordered_json blocked_by = ordered_json::array();
    for (const Blocker & one : splitter_.blockers(step)) {
      blocked_by.push_back(
        {{"what", one.what},
         {"why", kWaitedFor[static_cast<std::size_t>(one.why)]},
         {"ns", one.time}});
    }
    ordered_json told = place_json(run);
    told.update(
      {{"core", core_json(core_of(index_.start_of(run)))},
       {"from_ns", after_begin(step.from)},
       {"release_ns", after_begin(step.released)},
       {"picked_ns", after_begin(step.picked)},
       {"start_ns", after_begin(step.start)},
       {"end_ns", after_begin(step.end)},
       {"until_ns", after_begin(step.until)},
       {"split", split_json(splitter_.split(step))},
       {"blocked_by", std::move(blocked_by)}});
    const auto kernel = index_.kernel_wait_of(run);
    told["voluntary_switches"] =
      kernel ? ordered_json(kernel->c >> 32 & 0xffffffff) : ordered_json(nullptr);
    told["involuntary_switches"] =
      kernel ? ordered_json(kernel->c & 0xffffffff) : ordered_json(nullptr);
    if (step.publisher != kNoRecord) {
      told["published_by"] = name_of(index_.callback_of(index_.runs()[step.publisher]));
    }
    return told;
  }

  ordered_json timeline(const ChainActivation & one, const std::set<std::size_t> & own) const
  {
    const auto & processes = index_.processes();
    std::vector<RunTimes::One> runs;
    for (std::size_t process = 0; process < processes.size(); ++process) {
      for (std::size_t thread = 0; thread < processes[process].threads.size(); ++thread) {
        splitter_.runs_of_thread(process, thread)
          .visit_overlapping(
            one.release, one.end, [&](const RunTimes::One & run) { runs.push_back(run); });
      }
    }
    // Keep the activation's own runs, and of the others the longest.
    const auto before = [&](const RunTimes::One & a, const RunTimes::One & b) {
      const bool a_own = own.contains(a.run), b_own = own.contains(b.run);
      return a_own != b_own
               ? a_own
               : saturating_subtract(a.end, a.begin) > saturating_subtract(b.end, b.begin);
    };
    std::stable_sort(runs.begin(), runs.end(), before);
    runs.resize(std::min(runs.size(), kMostRuns));
    std::stable_sort(
      runs.begin(), runs.end(), [](const auto & a, const auto & b) { return a.begin < b.begin; });
    ordered_json list = ordered_json::array();
    for (const RunTimes::One & run : runs) {
      ordered_json told = place_json(index_.runs()[run.run]);
      told.update(
        {{"start_ns", after_begin(run.begin)},
         {"end_ns", after_begin(run.end)},
         {"own", own.contains(run.run)}});
      list.push_back(std::move(told));
    }
    return list;
  }

  ordered_json place_json(const TracedRun & run) const
  {
    const LongTrace & process = index_.processes()[run.process];
    const LongThread & thread = process.threads[run.thread];
    return {
      {"callback", name_of(index_.callback_of(run))},
      {"pid", process.pid},
      {"thread", thread.name},
      {"tid", thread.tid}};
  }

  std::int64_t after_begin(std::int64_t time) const { return saturating_subtract(time, began_); }

  const RunIndex & index_;
  const Splitter splitter_;
  const ChainAccountant accountant_;
  const std::int64_t began_;
};

}  // namespace

ordered_json chains_json(const RunIndex & index, std::int64_t began)
{
  const ChainWriter writer(index, began);
  ordered_json all = ordered_json::array();
  for (const ChainActivations & chain : find_activations(index)) {
    all.push_back(writer.chain(chain));
  }
  return all;
}

}  // namespace takt_trace::detail
