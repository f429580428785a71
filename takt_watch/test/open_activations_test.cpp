// Overdue activations under virtual time, also compared with a count that checks all activations at
// each step.
#include "open_activations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "takt_rt/time.hpp"

namespace takt_watch
{
namespace
{

using std::chrono::milliseconds;
using takt_rt::Duration;
using takt_rt::Time;

constexpr Duration kDeadline = milliseconds(50);

Time at(int ms)
{
  return takt_rt::from_ns(1'000'000'000) + milliseconds(ms);
}

class OpenActivationsTest : public testing::Test
{
protected:
  OpenActivationsTest()
  {
    open_.released(at(-100));
    EXPECT_FALSE(open_.ended(at(-100)));  // ends the start-up
  }
  std::uint64_t overdue(int ms, std::optional<UnstartedTimer> timer = std::nullopt)
  {
    const auto judged = open_.judge(at(ms), kDeadline, timer);
    next_ = judged.next;
    return judged.overdue;
  }

  OpenActivations open_;
  Time next_{};
};

TEST_F(OpenActivationsTest, one_that_does_not_end_is_told_once_when_its_deadline_has_passed)
{
  open_.released(at(0));
  EXPECT_EQ(overdue(10), 0U);
  EXPECT_EQ(next_, at(50));
  EXPECT_FALSE(open_.silent_since());
  EXPECT_EQ(overdue(50), 1U);
  EXPECT_EQ(next_, takt_rt::kNever);
  EXPECT_EQ(open_.silent_since(), at(0));
  EXPECT_EQ(overdue(500), 0U);
  EXPECT_TRUE(open_.ended(at(0))) << "it was told";
  EXPECT_FALSE(open_.silent_since());
}

TEST_F(OpenActivationsTest, one_that_ended_in_time_is_not_told)
{
  open_.released(at(0));
  EXPECT_FALSE(open_.ended(at(0)));
  EXPECT_EQ(overdue(60), 0U);
}

TEST_F(OpenActivationsTest, a_younger_one_that_ended_does_the_work_of_older_ones)
{
  open_.released(at(0));
  open_.released(at(10));
  EXPECT_FALSE(open_.ended(at(10)));
  EXPECT_EQ(overdue(70), 0U);
  EXPECT_FALSE(open_.ended(at(0))) << "its end counts, late as it is";
}

TEST_F(OpenActivationsTest, a_younger_one_that_ended_too_late_for_an_older_one_does_not)
{
  open_.released(at(0));
  open_.released(at(10));
  EXPECT_EQ(overdue(50), 1U);
  EXPECT_EQ(next_, at(60));
  EXPECT_FALSE(open_.ended(at(10)));
  EXPECT_EQ(overdue(70), 0U);
  EXPECT_TRUE(open_.ended(at(0)));
}

TEST_F(OpenActivationsTest, several_times_without_ends_are_told_apart)
{
  for (int begin = 0; begin < 10'000; begin += 1000) {
    open_.released(at(begin));        // overdue
    open_.released(at(begin + 100));  // superseded
    open_.released(at(begin + 110));  // in time
    EXPECT_EQ(overdue(begin + 100), 1U);
    EXPECT_FALSE(open_.ended(at(begin + 110)));
    EXPECT_EQ(overdue(begin + 900), 0U);
  }
  for (int begin = 0; begin < 10'000; begin += 1000) {
    EXPECT_TRUE(open_.ended(at(begin)));
    EXPECT_FALSE(open_.ended(at(begin + 100)));
  }
}

TEST_F(OpenActivationsTest, those_of_very_old_times_count_as_told)
{
  for (int begin = 0; begin < 40'000; begin += 1000) {
    open_.released(at(begin));
    EXPECT_EQ(overdue(begin + 60), 1U);
    EXPECT_FALSE(open_.ended(at(begin + 100)));
  }
  EXPECT_TRUE(open_.ended(at(100)));
  EXPECT_FALSE(open_.ended(at(39'100)));
  EXPECT_TRUE(open_.ended(at(39'000)));
}

TEST_F(OpenActivationsTest, all_of_a_long_time_without_ends_are_told_once)
{
  std::uint64_t told = 0;
  for (int i = 0; i < 60'000; ++i) {
    open_.released(at(10 * i));
    told += overdue(10 * i);
  }
  told += overdue(1'000'000);
  EXPECT_EQ(told, 60'000U);
  EXPECT_TRUE(open_.ended(at(0)));
  EXPECT_TRUE(open_.ended(at(10 * 59'999)));
}

TEST_F(OpenActivationsTest, more_than_have_a_place_are_all_told_when_the_youngest_is_overdue)
{
  const int many = static_cast<int>(OpenActivations::kCapacity) + 10;
  for (int i = 0; i < many; ++i) {
    open_.released(at(0) + std::chrono::microseconds(10 * i));
  }
  EXPECT_EQ(overdue(60), static_cast<std::uint64_t>(many));
}

TEST_F(
  OpenActivationsTest, of_those_that_share_a_place_only_one_is_told_once_an_older_one_has_ended)
{
  const int many = static_cast<int>(OpenActivations::kCapacity) + 10;
  const auto release = [](int i) { return at(0) + std::chrono::microseconds(10 * i); };
  for (int i = 0; i < many; ++i) {
    open_.released(release(i));
  }
  EXPECT_FALSE(open_.ended(release(many - 5)));
  EXPECT_EQ(overdue(60), 1U);
}

TEST_F(OpenActivationsTest, a_release_without_a_message_is_none)
{
  open_.released(at(0));
  open_.released(at(5));
  open_.withdrawn(at(0));
  EXPECT_EQ(overdue(50), 0U);
  EXPECT_EQ(next_, at(55));
  open_.withdrawn(at(5));
  EXPECT_EQ(overdue(60), 0U);
}

TEST_F(OpenActivationsTest, messages_that_came_together_are_told_together)
{
  open_.released(at(0), 3);
  EXPECT_EQ(overdue(60), 3U);
}

TEST_F(OpenActivationsTest, a_timer_that_does_not_start_misses_once_in_each_period)
{
  const auto timer = UnstartedTimer{at(0), milliseconds(100)};
  EXPECT_EQ(overdue(-50, timer), 0U);
  EXPECT_EQ(next_, at(50));
  EXPECT_EQ(overdue(49, timer), 0U);
  EXPECT_EQ(overdue(50, timer), 1U);
  EXPECT_EQ(next_, at(150));
  EXPECT_EQ(overdue(149, timer), 0U);
  EXPECT_EQ(overdue(370, timer), 3U);
  EXPECT_EQ(next_, at(450));
  // The timer's run starts for the first of these releases.
  open_.released(at(0));
  EXPECT_EQ(overdue(380, UnstartedTimer{at(400), milliseconds(100)}), 0U);
  EXPECT_TRUE(open_.ended(at(0)));
  EXPECT_EQ(overdue(440, UnstartedTimer{at(400), milliseconds(100)}), 0U);
  EXPECT_EQ(next_, at(450));
}

TEST_F(OpenActivationsTest, of_a_timer_found_late_old_periods_are_left_alone)
{
  EXPECT_EQ(overdue(10'020, UnstartedTimer{at(0), milliseconds(100)}), 0U);
  EXPECT_EQ(next_, at(10'050));
  EXPECT_EQ(overdue(10'050, UnstartedTimer{at(0), milliseconds(100)}), 1U);
}

TEST(OpenActivations, until_the_first_end_the_first_seconds_are_start_up)
{
  OpenActivations open;
  const auto start_up = static_cast<int>(OpenActivations::kStartUp / milliseconds(1));
  open.released(at(0));
  EXPECT_EQ(open.judge(at(60), kDeadline, {}).overdue, 0U);
  open.released(at(100));
  EXPECT_EQ(open.judge(at(160), kDeadline, {}).overdue, 0U);
  open.released(at(start_up));
  EXPECT_EQ(open.judge(at(start_up + 50), kDeadline, {}).overdue, 1U) << "it is over";
  EXPECT_FALSE(open.ended(at(100)));
  EXPECT_TRUE(open.ended(at(start_up)));
}

TEST(OpenActivations, nothing_is_overdue_where_the_way_from_the_root_is_lost)
{
  OpenActivations open;
  for (int ms = 0; ms < 20'000; ms += 100) {
    open.released(at(ms));
    open.ended_for_others();
    EXPECT_EQ(open.judge(at(ms + 90), kDeadline, {}).overdue, 0U);
  }
  EXPECT_FALSE(open.ended(at(19'900)));  // now the chain's connection to its root is found
  open.released(at(20'100));
  open.ended_for_others();
  EXPECT_EQ(open.judge(at(20'200), kDeadline, {}).overdue, 1U);
}

TEST_F(OpenActivationsTest, a_pause_forgets_what_is_open)
{
  open_.released(at(0));
  open_.pause();
  EXPECT_EQ(overdue(60), 0U);
  open_.released(at(100));
  EXPECT_EQ(overdue(200), 1U);
}

TEST_F(
  OpenActivationsTest, silence_counts_from_the_release_although_an_older_activation_ended_later)
{
  open_.released(at(0));
  open_.released(at(20));
  EXPECT_FALSE(open_.ended(at(0)));
  EXPECT_EQ(overdue(70), 1U);
  EXPECT_EQ(open_.silent_since(), at(20));
}

// ---- the promise: the real class keeps it, and twins break it ----

struct EndsOnly  // an earlier version: a miss is counted when an activation ends late
{
  void released(Time) {}
  bool ended(Time) { return false; }
  std::uint64_t judge(Time) { return 0; }
};

struct Real
{
  void released(Time release) { open->released(release); }
  bool ended(Time release) { return open->ended(release); }
  std::uint64_t judge(Time now) { return open->judge(now, kDeadline, {}).overdue; }
  std::unique_ptr<OpenActivations> open = std::make_unique<OpenActivations>();
};

struct CountsLateEndsAgain : Real
{
  bool ended(Time release)
  {
    open->ended(release);
    return false;
  }
};

struct DoesNotSeeYoungerOnes : Real
{
  void released(Time release)
  {
    Real::released(release);
    all.push_back(release);
  }
  std::uint64_t judge(Time now)
  {
    const auto due = [&](Time release) { return release + kDeadline <= now; };
    const auto told = std::count_if(all.begin(), all.end(), due);
    std::erase_if(all, due);
    return static_cast<std::uint64_t>(told);
  }
  bool ended(Time release)
  {
    std::erase(all, release);
    return Real::ended(release);
  }
  std::vector<Time> all{};
};

// Counts the misses of random activations, some lost and some late, at each step of a virtual
// clock, and compares the count with a check of all activations. Returns true if both agree at all
// steps.
template <typename Subject>
bool counts_as_it_must(unsigned seed)
{
  struct Activation
  {
    int release = 0;
    int end = 0;  // INT_MAX: never
    bool counted = false;
  };
  constexpr int kNever = 1'000'000;
  std::mt19937 random(seed);
  const auto pick = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  std::vector<Activation> all{{0, 1, false}};
  for (int time = 2; time < 3000; time += pick(1, 40)) {
    const int kind = pick(0, 9);
    all.push_back({time, kind < 2 ? kNever : time + pick(1, kind < 6 ? 45 : 150), false});
  }
  Subject subject;
  std::uint64_t counted = 0;
  std::uint64_t expected = 0;
  int newest = -1;
  for (int time = 0; time < 3500; ++time) {
    for (const Activation & one : all) {
      if (one.release == time) {
        subject.released(at(time));
      }
    }
    for (Activation & one : all) {
      if (one.end == time) {
        const bool late = one.end - one.release > 50;
        counted += !subject.ended(at(one.release)) && late ? 1 : 0;
        expected += !one.counted && late ? 1 : 0;
        newest = std::max(newest, one.release);
      }
    }
    counted += subject.judge(at(time));
    for (Activation & one : all) {
      if (!one.counted && one.release + 50 <= time && one.release > newest) {
        one.counted = true;
        ++expected;
      }
    }
    if (counted != expected) {
      return false;
    }
  }
  return true;
}

template <typename Subject>
bool keeps_the_promise()
{
  for (unsigned seed = 1; seed <= 100; ++seed) {
    if (!counts_as_it_must<Subject>(seed)) {
      return false;
    }
  }
  return true;
}

TEST(OpenActivations, each_activation_is_counted_once_and_as_soon_as_it_must)
{
  EXPECT_TRUE(keeps_the_promise<Real>());
}

TEST(OpenActivations, twins_that_count_otherwise_are_rejected)
{
  EXPECT_FALSE(keeps_the_promise<EndsOnly>());
  EXPECT_FALSE(keeps_the_promise<CountsLateEndsAgain>());
  EXPECT_FALSE(keeps_the_promise<DoesNotSeeYoungerOnes>());
}

}  // namespace
}  // namespace takt_watch
