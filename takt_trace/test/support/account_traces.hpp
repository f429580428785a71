// Traces of a chain through two processes. The test decides the way of each activation.
#ifndef SUPPORT__ACCOUNT_TRACES_HPP_
#define SUPPORT__ACCOUNT_TRACES_HPP_

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "takt_trace/chain_accounts.hpp"
#include "takt_trace/chain_flow.hpp"
#include "traces.hpp"

namespace takt_trace::test
{

/// The chain "hot" has /a in the first process, and /b and /c in the second, with a deadline of 50
/// ns. The publishers are 1 to 3. The test numbers the messages. Both processes record from 1000 to
/// 2000 ns.
class TwoProcesses
{
public:
  static constexpr std::uint32_t kA = 0, kB = 0, kC = 1, kOther = 2;  // callbacks
  static constexpr std::uint32_t kX = 0, kY = 1, kZ = 2;              // topics

  TwoProcesses()
  {
    traces.resize(2);
    const std::vector<std::string> path{"/a:timer(100ns)", "/b:sub(/x)", "/c:sub(/y)"};
    for (std::size_t i = 0; i < 2; ++i) {
      traces[i].pid = 100 + static_cast<std::int64_t>(i);
      traces[i].program = i == 0 ? "/opt/camera" : "/opt/fusion";
      traces[i].host = "here";
      traces[i].topics = {"/x", "/y", "/z"};
      traces[i].chains = {{"hot", 1, 50, path}};
      traces[i].began = 1000;
      traces[i].threads.resize(2);
    }
    traces[0].callbacks = {{path[0], "timer", "", "main"}};
    traces[1].callbacks = {
      {path[1], "subscription", "", "main"},
      {path[2], "subscription", "", "main"},
      {"/b:sub(/z)", "subscription", "", "main"}};
    end(2000);
  }

  /// Adds a counter as the last record of both processes.
  void end(std::int64_t time)
  {
    for (ProcessTrace & trace : traces) {
      trace.threads[1].records = {counter(time, 0, 0)};
    }
  }

  /// Adds a run of /a that begins with its release.
  void a(std::int64_t release, std::int64_t sends, std::uint32_t skipped = 0)
  {
    auto & records = traces[0].threads[0].records;
    records.push_back(run_start(release, kA, release, 0, skipped));
    records.push_back(publish(release + 1, kX, {1, sends}));
    records.push_back(run_end(release + 2, kA, release));
  }

  /// Adds a run of 5 ns of /b, of /c, or of /b's other input. 0: it takes or sends no message.
  void run(
    std::uint32_t callback, std::int64_t at, std::int64_t takes, std::int64_t sends = 0,
    bool ends = true)
  {
    auto & records = traces[1].threads[0].records;
    if (takes != 0) {
      records.push_back(take(at, callback, {callback == kC ? 2 : callback == kB ? 1 : 3, takes}));
    }
    records.push_back(run_start(at + 1, callback, at));
    if (sends != 0) {
      records.push_back(publish(at + 3, kY, {2, sends}));
    }
    if (ends) {
      records.push_back(run_end(at + 5, callback, at));
    }
  }

  /// Adds a whole activation; its response is 25 ns.
  void whole(std::int64_t release, std::int64_t number)
  {
    a(release, number);
    run(kB, release + 10, number, number);
    run(kC, release + 20, number);
  }

  ChainAccount account() const
  {
    auto all = traces;
    add_chains_across_processes(all);
    const std::vector<ChainAccount> accounts = chain_accounts(all);
    return accounts.empty() ? ChainAccount{} : accounts.front();
  }

  std::vector<ProcessTrace> traces;
};

/// Three activations, of which the second is lost.
inline TwoProcesses with_a_loss()
{
  TwoProcesses two;
  two.whole(1100, 1);
  two.a(1200, 2);
  two.whole(1300, 3);
  return two;
}

struct Counts
{
  std::uint64_t completed = 0, late = 0, superseded = 0, lost = 0, unfinished = 0, overdue = 0,
                skipped = 0;

  friend bool operator==(const Counts &, const Counts &) = default;
  friend std::ostream & operator<<(std::ostream & out, const Counts & one)
  {
    return out << one.completed << " completed (" << one.late << " late), " << one.superseded
               << " superseded, " << one.lost << " lost, " << one.unfinished << " unfinished ("
               << one.overdue << " overdue), " << one.skipped << " skipped";
  }
};

/// The counts of the account. Also checks the sums.
inline Counts counts(const TwoProcesses & two)
{
  const ChainAccount chain = two.account();
  EXPECT_EQ(chain.why, "");
  if (!chain.account) {
    return {};
  }
  const ActivationAccount & one = *chain.account;
  EXPECT_EQ(one.released, one.completed + one.superseded + one.lost + one.unfinished + one.skipped);
  EXPECT_EQ(one.missed, one.late + one.lost + one.overdue + one.skipped);
  return {one.completed,  one.late,    one.superseded, one.lost,
          one.unfinished, one.overdue, one.skipped};
}

}  // namespace takt_trace::test

#endif  // SUPPORT__ACCOUNT_TRACES_HPP_
