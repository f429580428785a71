// The exercises of the workshop: what a run finds, and how host stalls are told apart. Short runs:
// no time is judged.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <string>

#include "support/own_domain.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/thread_cpu_time.hpp"
#include "workshop/burn.hpp"
#include "workshop/camera.hpp"
#include "workshop/cyclic.hpp"
#include "workshop/report.hpp"
#include "workshop/sharing.hpp"

namespace takt_bench::workshop
{
namespace
{

using namespace std::chrono_literals;

Setting short_setting(const std::string & exercise, const std::string & variant)
{
  Setting setting;
  setting.exercise = exercise;
  setting.variant = variant;
  setting.duration = 200ms;
  setting.warm_up = 50ms;
  setting.cores = {takt_rt::usable_cores().front()};
  setting.stress = false;
  return setting;
}

std::size_t count(const Found & found, Slice slice)
{
  std::size_t all = 0;
  for (const SliceLog & log : found.logs) {
    all += static_cast<std::size_t>(std::count_if(
      log.samples().begin(), log.samples().end(),
      [slice](const Sample & each) { return each.slice == slice; }));
  }
  return all;
}

TEST(Burn, UsesTheCpuTimeThatWasAsked)
{
  StallNotes notes;
  ThreadWitness & witness = ThreadWitness::mine();
  const takt_rt::Duration before = takt_rt::thread_cpu_time();
  witness.burn(2ms, notes);
  EXPECT_GE(takt_rt::thread_cpu_time() - before, 2ms);
}

TEST(ThreadWitness, NotesALateStartThatNoOtherThreadExplains)
{
  StallNotes notes;
  ThreadWitness witness;
  const takt_rt::Time now = takt_rt::now();
  witness.late(now - 50us, now, notes, kLate);
  EXPECT_TRUE(notes.all().empty());
  witness.ended(now);
  witness.late(now - 1h, now, notes, kLate);  // the thread worked until now
  EXPECT_TRUE(notes.all().empty());
  witness.ended(now - 2h);
  witness.late(now - 1h, now, notes, kLate);  // nobody waits for a core for half an hour
  ASSERT_EQ(notes.all().size(), 1u);
  EXPECT_EQ(notes.all().front().begin, now - 1h);
  EXPECT_EQ(notes.all().front().end, now);
}

TEST(Report, LeavesOutTheWarmUpAndMarksStalls)
{
  Found found;
  found.from = takt_rt::from_ns(1000);
  found.to = takt_rt::from_ns(2000);
  SliceLog & log = found.logs.emplace_back("a thread", 3);
  const auto add = [&log](std::int64_t begin, std::int64_t end) {
    log.add(Slice::loop, takt_rt::from_ns(begin), takt_rt::from_ns(end));
  };
  add(900, 1100);
  add(1200, 1250);
  add(1300, 1400);
  add(1500, 1600);  // has no room
  found.stalls = {{takt_rt::from_ns(1390), takt_rt::from_ns(1395)}};
  found.count_overruns(
    {{takt_rt::from_ns(1200), takt_rt::from_ns(1250)},
     {takt_rt::from_ns(1300), takt_rt::from_ns(1400)},
     {takt_rt::from_ns(0), takt_rt::from_ns(100)}},
    log);
  const auto told = report(short_setting("1", "fifo"), found, "");
  ASSERT_EQ(told["slices"].size(), 1u);
  const auto & slice = told["slices"][0];
  EXPECT_EQ(slice["name"], "Loop");
  EXPECT_EQ(slice["begins_ns"], nlohmann::json({200, 300}));
  EXPECT_EQ(slice["durations_ns"], nlohmann::json({50, 100}));
  EXPECT_EQ(slice["held_up"], nlohmann::json({false, true}));
  EXPECT_EQ(told["without_room"], 1);
  EXPECT_EQ(told["overruns"], 1);
  EXPECT_EQ(told["overruns_in_stalls"], 1);
  EXPECT_TRUE(told["dropped"].is_null());
}

TEST(Report, AStallOfOneThreadsCoreMarksThatThreadsSlicesOnly)
{
  Found found;
  found.from = takt_rt::from_ns(1000);
  found.to = takt_rt::from_ns(2000);
  found.stalls_without_room = 3;
  for (const char * owner : {"core 0", "core 1"}) {
    found.logs.emplace_back(owner, 1).add(
      Slice::loop, takt_rt::from_ns(1200), takt_rt::from_ns(1300));
  }
  const std::vector<takt_trace::TimeSpan> stall{{takt_rt::from_ns(1250), takt_rt::from_ns(1260)}};
  found.logs.front().add_stalls(stall);
  for (const SliceLog & log : found.logs) {
    found.count_overruns(stall, log);
  }
  const auto told = report(short_setting("1", "fifo"), found, "");
  EXPECT_EQ(told["slices"][0]["held_up"], nlohmann::json({true}));
  EXPECT_EQ(told["slices"][1]["held_up"], nlohmann::json({false}));
  EXPECT_EQ(told["overruns"], 1);
  EXPECT_EQ(told["overruns_in_stalls"], 1);
  EXPECT_EQ(told["stalls_without_room"], 3);
}

TEST(Report, AStallWithinAPeriodDoesNotMakeItsEndsLate)
{
  Found found;
  const takt_rt::Time begin = takt_rt::from_ns(0) + 1s;
  found.to = begin + 1s;
  SliceLog & log = found.logs.emplace_back("camera", 2);
  log.add(Slice::period, begin, begin + 33ms);
  log.add(Slice::period, begin + 33ms, begin + 70ms);
  found.stalls = {{begin - 5ms, begin + 30ms}};  // another thread's
  found.stalls_when_due = {{begin + 5ms, begin + 30ms}, {begin + 66ms, begin + 70ms - 50us}};
  const auto told = report(short_setting("4-1", "x"), found, "");
  EXPECT_EQ(told["slices"][0]["held_up"], nlohmann::json({false, true}));
}

TEST(StallNotes, CountsWhatItCannotKeep)
{
  StallNotes notes;
  for (std::size_t i = 0; i < StallNotes::kMost + 2; ++i) {
    notes.note(takt_rt::from_ns(1), takt_rt::from_ns(2));
  }
  EXPECT_EQ(notes.all().size(), StallNotes::kMost);
  EXPECT_EQ(notes.without_room(), 2u);
}

TEST(Cyclic, EachVariantHasCycles)
{
  for (const char * variant : {"other", "fifo", "raw_fifo"}) {
    const auto found = run_cyclic(short_setting("1", variant));
    ASSERT_TRUE(found.ok()) << variant;
    EXPECT_GE(count(*found.value(), Slice::wakeup), 1u) << variant;
  }
}

TEST(Sharing, EachVariantMeasuresItsSlice)
{
  for (const auto & [exercise, slice] :
       {std::pair("2-1", Slice::get_desired_position), std::pair("2-2", Slice::get_pid_constants),
        std::pair("2-3", Slice::update_queue)}) {
    for (const Exercise & each : exercises()) {
      if (each.name != exercise) {
        continue;
      }
      for (const std::string_view variant : each.variants) {
        const auto found = run_sharing(short_setting(exercise, std::string(variant)));
        ASSERT_TRUE(found.ok()) << exercise << variant;
        EXPECT_GE(count(*found.value(), slice), 1u) << exercise << variant;
        for (const Slice other :
             {Slice::nothing, Slice::read_sensor, Slice::get_command, Slice::write_command}) {
          EXPECT_EQ(count(*found.value(), other), count(*found.value(), slice)) << name_of(other);
        }
        EXPECT_EQ(found.value()->dropped.has_value(), each.name == "2-3");
        if (variant != "mutex") {  // without a value under sanitizers
          EXPECT_EQ(found.value()->allocations.value_or(0), 0u) << exercise << variant;
        }
      }
    }
  }
}

/// A ring that has become slow: it has a lock, which the other thread holds while it works.
struct RingWithHiddenLock : Way
{
  RingWithHiddenLock() : Way(Slice::update_queue) {}
  std::mutex mutex{};

  void control(Controlled &) override { const std::scoped_lock lock(mutex); }
  void beside() override
  {
    const std::scoped_lock lock(mutex);
    const takt_rt::Time end = takt_rt::now() + 5ms;
    while (takt_rt::now() < end) {
    }
  }
};

// A wait for a lock is the program's own. The kernel's account of the waiting thread does not tell
// it from a host stall.
TEST(Sharing, AWaitForALockIsNotTheHosts)
{
  StallNotes stalls;
  RingWithHiddenLock way;
  const auto found = share(short_setting("2-3", "ring"), stalls, way);
  ASSERT_TRUE(found.ok());
  const takt_trace::StallIndex index = found.value()->stalls_of(found.value()->logs.front());
  const auto & samples = found.value()->logs.front().samples();
  EXPECT_TRUE(std::any_of(samples.begin(), samples.end(), [&](const Sample & each) {
    return each.slice == Slice::update_queue && each.end - each.begin > 1ms &&
           !index.overlaps(each.begin, each.end);
  }));
}

TEST(Camera, EachImageLeadsToAnActuation)
{
  const std::string folder = TAKT_WORKSHOP_FILES;
  for (const char * name : {"stock", "timer_own_thread", "groups_on_two_executors"}) {
    Setting setting = short_setting("3-1", name);
    setting.schedule = folder + "/" + name + ".yaml";
    setting.duration = 1s;
    const auto found = run_camera(setting);
    ASSERT_TRUE(found.ok()) << name << ": " << sentences(found.faults()).front();
    EXPECT_GE(count(*found.value(), Slice::period), 1u) << name;
    EXPECT_GE(count(*found.value(), Slice::data_logger), 1u) << name;
    EXPECT_GE(count(*found.value(), Slice::end_to_end_delay), 1u) << name;
    EXPECT_GE(
      count(*found.value(), Slice::message_delay),
      count(*found.value(), Slice::object_detect) + count(*found.value(), Slice::data_logger))
      << name;
  }
}

TEST(Camera, RefusesAScheduleWithoutMain)
{
  const std::string path = testing::TempDir() + "workshop_without_main.yaml";
  std::ofstream(path) << "version: 1\nexecutors: {other: {threads: {t: {}}, default: t}}\n";
  Setting setting = short_setting("3-1", "x");
  setting.schedule = path;
  const auto found = run_camera(setting);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(sentences(found.faults()).front(), path + ": there is no executor 'main'");
}

}  // namespace
}  // namespace takt_bench::workshop
