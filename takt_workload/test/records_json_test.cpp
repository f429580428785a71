// The raw records in a file: a reader can compute all figures from them again.
#include <map>
#include <nlohmann/json.hpp>

#include "figures/results.hpp"
#include "synthetic_records.hpp"

namespace takt_workload
{

TEST_F(Records, WhatIsWrittenOfTheRunsGivesTheSameChainsAgain)
{
  round(0, 1);
  round(100, 2);
  run("/Front:timer(100ms)", 200, 201, 202, 0, true).skipped = 1;
  process.timers = {{table.find("/Rear:timer(100ms)"), at(300)}};
  process.epoch = at(0);
  const Analysis before = result();
  const auto all = nlohmann::json::parse(records_json(graph, {process}));
  EXPECT_EQ(all.at("version"), kRecordsVersion);
  std::map<std::string, std::size_t> column;
  for (const auto & name : all.at("columns")) {
    column.emplace(name.get<std::string>(), column.size());
  }
  process.runs.clear();
  process.timers.clear();
  for (const auto & timer : all.at("timers")) {
    process.timers.push_back(
      {timer.at("callback"),
       from_ns(timer.at("next_ns").get<std::int64_t>() + all.at("epoch_ns").get<std::int64_t>())});
  }
  for (const auto & row : all.at("runs")) {
    const auto value = [&](const char * name) { return row.at(column.at(name)); };
    const auto time = [&](const char * name) {
      return from_ns(value(name).get<std::int64_t>() + all.at("epoch_ns").get<std::int64_t>());
    };
    RunRecord one;
    const auto number = value("callback").get<std::size_t>();
    one.callback = table.find(all.at("callbacks").at(number).get<std::string>());
    one.release = time("release_ns");
    one.start = time("start_ns");
    one.end = time("end_ns");
    one.taken = value("taken");
    one.published = value("published");
    one.skipped = value("skipped");
    process.runs.push_back(one);
  }
  const Analysis after = result();
  ASSERT_EQ(after.chains.size(), before.chains.size());
  for (std::size_t i = 0; i < after.chains.size(); ++i) {
    EXPECT_GT(after.chains[i].completed, 0u);
    EXPECT_EQ(after.chains[i].responses.ns, before.chains[i].responses.ns);
    EXPECT_EQ(after.chains[i].unfinished, before.chains[i].unfinished);
    EXPECT_EQ(after.chains[i].skipped, before.chains[i].skipped);
    EXPECT_GT(after.chains[i].skipped, 0u);
  }
  EXPECT_EQ(after.skipped_periods, before.skipped_periods);
}

}  // namespace takt_workload
