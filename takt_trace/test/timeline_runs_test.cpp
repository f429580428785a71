// Runs and spans on the track of their thread, for any records.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/random_traces.hpp"
#include "support/timeline_fixture.hpp"

namespace takt_trace::test
{
namespace
{

TEST_P(Timeline, RunsAndSpansNestOnTheTrackOfTheirThread)
{
  const SeenTrace seen = see({process_of(
    {{run_start(10, 0), span_begin(11, 0), span_begin(12, 1), span_end(13), span_end(14),
      run_end(15, 0, 10), run_start(15, 1), run_end(18, 1, 15)},
     {span_begin(1, 0), run_start(2, 2), run_end(3, 2, 2), span_end(4)}})});
  EXPECT_EQ(
    seen.track("worker0").slices,
    (Slices{{kLidar, 10, 15}, {"load", 11, 14}, {"sort", 12, 13}, {kFilter, 15, 18}}));
  EXPECT_EQ(seen.track("worker1").slices, (Slices{{"load", 1, 4}, {kBrake, 2, 3}}));
  EXPECT_EQ(seen.track("worker0").process, "pipeline");
  EXPECT_EQ(seen.track("worker0").slices.at(0).category, "callback");
  EXPECT_EQ(seen.track("worker0").slices.at(1).category, "span");
}

TEST_P(Timeline, ARunMayBeNamedByTheTimeOfItsPick)
{
  EXPECT_EQ(
    slices_of({run_start(10, 0), run_end(12, 0, 8), run_start(16, 0), run_end(17, 0, 14)}),
    (Slices{{kLidar, 10, 12}, {kLidar, 16, 17}}));
}

TEST_P(Timeline, ACallbackThatRunsInsideItselfEndsInsideOut)
{
  EXPECT_EQ(
    slices_of({run_start(10, 0), run_start(20, 0), run_end(30, 0, 19), run_end(40, 0, 9)}),
    (Slices{{kLidar, 10, 40}, {kLidar, 20, 30}}));
}

TEST_P(Timeline, AnEndWithoutAStartIsLeftOut)
{
  EXPECT_EQ(
    slices_of(
      {run_end(5, 0, 1), span_end(6), run_start(10, 0), run_end(12, 1, 10), span_end(13),
       run_end(15, 0, 10), run_end(16, 0, 10)}),
    (Slices{{kLidar, 10, 15}}));
}

TEST_P(Timeline, AStartWithoutAnEndEndsWithTheTrace)
{
  ProcessTrace process = process_of({{run_start(10, 0), span_begin(12, 1)}, {instant(30, 0)}});
  EXPECT_EQ(see({process}).track("worker0").slices, (Slices{{kLidar, 10, 30}, {"sort", 12, 30}}));
  process.ended = 50;
  const Slices slices = see({process}).track("worker0").slices;
  EXPECT_EQ(slices, (Slices{{kLidar, 10, 50}, {"sort", 12, 50}}));
  EXPECT_EQ(slices.at(0).facts.at("cut"), "true");
}

TEST_P(Timeline, ASpanThatIsOpenWhenItsRunEndsEndsWithIt)
{
  // The end of the first span comes later. It must not end the outer span.
  const Slices slices = slices_of(
    {span_begin(1, 0), run_start(10, 0), span_begin(12, 1), run_end(15, 0, 10), span_end(16),
     instant(17, 0), span_end(20)});
  EXPECT_EQ(slices, (Slices{{"load", 1, 20}, {kLidar, 10, 15}, {"sort", 12, 15}}));
  EXPECT_EQ(slices.at(1).facts, Facts{});
  EXPECT_EQ(slices.at(2).facts.at("cut"), "true");
}

TEST_P(Timeline, ASpanFromBeforeARunThatEndsWithinItEndsAfterIt)
{
  EXPECT_EQ(
    slices_of(
      {span_begin(1, 0), run_start(10, 0), span_end(12), run_end(15, 0, 10), run_start(20, 0),
       run_end(25, 0, 20)}),
    (Slices{{"load", 1, 15}, {kLidar, 10, 15}, {kLidar, 20, 25}}));
}

TEST_P(Timeline, ARunInsideARunIsInsideIt)
{
  EXPECT_EQ(
    slices_of({run_start(10, 0), run_start(12, 1), run_end(14, 1, 12), instant(30, 0)}),
    (Slices{{kLidar, 10, 30}, {kFilter, 12, 14}}));
}

TEST_P(Timeline, WhereRecordsWereDroppedARunWhoseEndIsLostEndsBeforeTheNext)
{
  const std::vector<Record> records{span_begin(1, 0),   run_start(10, 0), span_begin(11, 1),
                                    run_start(20, 0),   run_start(22, 1), run_end(23, 1, 22),
                                    run_end(25, 0, 20), span_end(30)};
  const Slices slices = slices_of(records, 2);
  EXPECT_EQ(
    slices,
    (Slices{
      {"load", 1, 30}, {kLidar, 10, 11}, {"sort", 11, 11}, {kLidar, 20, 25}, {kFilter, 22, 23}}));
  EXPECT_EQ(slices.at(1).facts.at("cut"), "true");
  EXPECT_EQ(slices.at(3).facts, Facts{});
}

TEST_P(Timeline, WhereRecordsWereDroppedTheEndAfterARunIsOfTheSpanAroundIt)
{
  EXPECT_EQ(
    slices_of(
      {span_begin(1, 0), run_start(10, 0), span_begin(11, 1), run_end(12, 0, 10), span_end(20),
       instant(30, 0)},
      1),
    (Slices{{"load", 1, 20}, {kLidar, 10, 12}, {"sort", 11, 12}}));
}

TEST_P(Timeline, RunsTellTheirCpuTimeWhereItWasMeasured)
{
  Record measured = run_end(20'000, 0, 10'000);
  measured.b = 2'500;
  const Slices slices =
    slices_of({run_start(10'000, 0), measured, run_start(30'000, 0), run_end(31'000, 0, 30'000)});
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].facts, (Facts{{"cpu_us", "2.500000"}}));
  EXPECT_EQ(slices[1].facts, Facts{});
}

TEST_P(Timeline, RunsTellWhatTheKernelCountedAndTheirCore)
{
  const Slices slices = slices_of(
    {run_start(10'000, 0, 0, 0, 0, 3), kernel_wait(20'000, 0, 1'500, 2'500),
     run_end(20'000, 0, 10'000), run_start(30'000, 0), kernel_wait(31'000, 0, -1, 500),
     run_end(31'000, 0, 30'000), run_start(40'000, 0), kernel_wait(41'000, 1, 5, 5),
     run_end(41'000, 0, 40'000)});
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(
    slices[0].facts,
    (Facts{{"core", "3"}, {"core_wait_before_us", "1.500000"}, {"core_wait_us", "2.500000"}}));
  EXPECT_EQ(slices[1].facts, (Facts{{"core_wait_us", "0.500000"}}))
    << "the run before is not known";
  EXPECT_EQ(slices[2].facts, Facts{}) << "it is of another callback";
}

TEST_P(Timeline, RunsTellTheirDelayTheirSkippedPeriodsAndWhetherTheyAreLate)
{
  const Slices slices = slices_of(
    {run_start(10'000, 0, 8'500, 20'000, 3), run_end(20'001, 0, 10'000), run_start(30'000, 0),
     run_end(31'000, 0, 30'000), run_start(40'000, 0, 50'000, 41'000), run_end(41'000, 0, 40'000)});
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(
    slices[0].facts,
    (Facts{{"deadline_missed", "true"}, {"skipped", "3"}, {"waited_us", "1.500000"}}));
  EXPECT_EQ(slices[1].facts, Facts{});
  EXPECT_EQ(slices[2].facts, Facts{});
}

TEST_P(Timeline, TimesThatGoBackDoNotBreakTheNest)
{
  EXPECT_EQ(
    slices_of({run_start(10, 0), span_begin(5, 1), span_end(3), run_end(8, 0, 10)}),
    (Slices{{kLidar, 10, 10}, {"sort", 10, 10}}));
}

TEST_P(Timeline, NumbersWithoutANameAreShown)
{
  const SeenTrace seen = see({process_of(
    {{run_start(1, 77), span_begin(2, 78), publish(3, 79, {}), chain_end(4, 80, 1),
      run_end(5, 77, 1)}})});
  EXPECT_EQ(seen.slices("callback").at(0).name, "callback 77");
  EXPECT_EQ(seen.slices("span").at(0).name, "name 78");
  EXPECT_EQ(seen.track("worker0").instants.at(0).name, "publish topic 79");
  EXPECT_EQ(seen.track("chain chain 80").slices.size(), 1U);
}

// ---- campaigns ----

TEST_P(Timeline, AnyRecordsMakeATraceThatViewersTake)
{
  std::mt19937 random(seed());
  AnyTraces traces(random, false);
  std::size_t slices = 0, lanes = 0, arrows = 0, misses = 0;
  for (std::uint64_t round = 0; round < rounds(3000); ++round) {
    const SeenTrace seen = decode(traces.next());
    ASSERT_EQ(seen.faults, Faults{}) << "round " << round << ", TAKT_TEST_SEED=" << seed();
    for (const SeenTrack & track : seen.tracks) {
      lanes += track.name == "slices";
      for (const SeenSlice & slice : track.slices) {
        ++slices;
        arrows += slice.arrows.size();
        misses += slice.facts.contains("deadline_missed");
      }
    }
  }
  // The campaign must produce each of these.
  EXPECT_GT(slices, rounds(20'000));
  EXPECT_GT(lanes, rounds(500));
  EXPECT_GT(arrows, rounds(100));
  EXPECT_GT(misses, rounds(500));
}

TEST_P(Timeline, NothingOfAProgramIsLeftOut)
{
  std::mt19937 random(seed());
  for (std::uint64_t round = 0; round < rounds(1000); ++round) {
    ProgramThread thread(random);
    thread.run_for(10);
    const SeenTrace seen = see({process_of({thread.records})});
    std::sort(thread.runs.begin(), thread.runs.end());
    std::sort(thread.spans.begin(), thread.spans.end());
    ASSERT_EQ(seen.slices("callback"), thread.runs) << "TAKT_TEST_SEED=" << seed();
    ASSERT_EQ(seen.slices("span"), thread.spans) << "TAKT_TEST_SEED=" << seed();
    ASSERT_EQ(seen.slices("chain").size(), thread.runs.size());
  }
}

TEST_P(Timeline, RunsWithBothEndsKeepTheirTimesWhateverElseIsDropped)
{
  std::mt19937 random(seed());
  for (std::uint64_t round = 0; round < rounds(1000); ++round) {
    ProgramThread thread(random);
    thread.run_for(10);
    ProcessTrace process = process_of({{}});
    for (const Record & record : thread.records) {
      random() % 4 == 0 ? void(++process.threads[0].dropped)
                        : process.threads[0].records.push_back(record);
    }
    const auto kept = [&](RecordKind kind, std::uint64_t time) {
      const auto & records = process.threads[0].records;
      return std::any_of(records.begin(), records.end(), [&](const Record & record) {
        return record.kind == kind && record.time == static_cast<std::int64_t>(time);
      });
    };
    const Slices seen = see({process}).slices("callback");
    for (const SeenSlice & run : thread.runs) {
      if (kept(RecordKind::run_start, run.begin) && kept(RecordKind::run_end, run.end)) {
        ASSERT_TRUE(std::binary_search(seen.begin(), seen.end(), run))
          << run << " in round " << round << ", TAKT_TEST_SEED=" << seed();
      }
    }
  }
}

}  // namespace
}  // namespace takt_trace::test
