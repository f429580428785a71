// Logical execution time in running executors: a run takes the messages that arrived by its
// release, and its messages go out at the border.
#include "takt_core/logical_time.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "support/executor_fixture.hpp"

namespace takt_core::test
{
namespace
{

using std::chrono::milliseconds;

constexpr Duration kPeriod = milliseconds(20);

// A message that a stand-in for a publisher holds.
class Output final : public HeldOutput
{
public:
  explicit Output(std::function<void()> publish, int * released = nullptr)
  : publish_(std::move(publish)),
    released_(released)
  {
  }
  void publish() noexcept override { publish_(); }
  void release() noexcept override
  {
    if (released_ != nullptr) {
      ++*released_;
    }
    delete this;
  }

private:
  const std::function<void()> publish_;
  int * const released_;
};

// Publishes as a publisher of a front end does.
void publish(std::function<void()> publish, int * released = nullptr)
{
  if (LogicalTime * const logical = LogicalTime::current()) {
    logical->hold(*new Output(std::move(publish), released));
  } else {
    publish();
  }
}

TimerOptions every(Duration period)
{
  TimerOptions timer;
  timer.period = period;
  timer.offset = Duration::zero();
  return timer;
}

std::shared_ptr<Group> logical_group(LateOutputs late = LateOutputs::publish)
{
  auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "logical");
  EXPECT_TRUE(group->set_logical_time(late));
  return group;
}

Binding input()
{
  Binding binding;
  binding.non_triggering.emplace();
  binding.non_triggering->by_release = true;
  return binding;
}

void spin_until(Time time)
{
  while (now() < time) {
  }
}

class LogicalTimeTest : public ::testing::Test
{
protected:
  // Spins until `done`.
  void spin(const std::function<bool()> & done)
  {
    std::thread spinning([this] { EXPECT_TRUE(executor->spin().ok()); });
    EXPECT_TRUE(eventually(done));
    executor->cancel();
    spinning.join();
  }

  std::unique_ptr<Executor> executor = make_executor(2);
};

TEST_F(LogicalTimeTest, OutputsArriveAtTheBorder)
{
  std::vector<Time> releases;
  std::vector<Time> arrivals;
  std::uint64_t early = 0;
  const auto reader = add_function(*executor, "reader", [&](const takt_core::Run & run) {
    early += now() < run.release ? 1 : 0;
    arrivals.push_back(run.release);
  });
  const auto group = logical_group();
  const auto timer = add_function(
    *executor, "timer",
    [&](const takt_core::Run & run) {
      releases.push_back(run.release);
      publish([&] { executor->ready(*reader); });
    },
    group, {}, every(kPeriod));
  spin([&] { return reader->runs.load() >= 5; });
  ASSERT_GE(releases.size(), arrivals.size());
  std::uint64_t late = 0;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    EXPECT_GE(arrivals[i], releases[i] + kPeriod);
    late += arrivals[i] > releases[i] + kPeriod ? 1 : 0;
  }
  EXPECT_EQ(early, 0U);
  const LogicalTimeCounts counts = group->logical_time()->counts();
  EXPECT_LE(late, counts.late);
  EXPECT_EQ(counts.runs, releases.size());
  EXPECT_EQ(counts.published, reader->arrivals());
  EXPECT_EQ(counts.dropped, 0U);
}

TEST_F(LogicalTimeTest, AMessageThatCameAfterTheReleaseBelongsToTheNextPeriod)
{
  executor = make_executor(1);
  const auto group = logical_group();
  std::vector<std::pair<char, Time>> order;
  const auto in = add_function(
    *executor, "in", [&](const takt_core::Run & run) { order.emplace_back('i', run.release); },
    group, input());
  const auto timer = add_function(
    *executor, "timer", [&](const takt_core::Run & run) { order.emplace_back('t', run.release); },
    group, {}, every(kPeriod));
  // Keeps the thread busy over a release, and announces a message before and after that release;
  // one message only if the thread got its core after that release.
  const auto blocker = add_function(*executor, "blocker", [&](const takt_core::Run &) {
    const Time next = executor->scheduler().next_release(*timer);
    executor->ready(*in);
    const bool before = now() < next;
    spin_until(next + takt_rt::Duration(1));
    if (before) {
      executor->ready(*in);
    }
  });
  std::thread spinning([this] { EXPECT_TRUE(executor->spin().ok()); });
  constexpr int kMost = 1000;  // only a failing test needs them
  while (blocker->runs.load() < kMost && (blocker->runs.load() < 5 || in->arrivals() < 6)) {
    const int runs = timer->runs.load();
    EXPECT_TRUE(eventually([&] { return timer->runs.load() > runs; }));
    const int blocked = blocker->runs.load();
    executor->ready(*blocker);
    EXPECT_TRUE(eventually([&] { return blocker->runs.load() > blocked; }));
  }
  EXPECT_TRUE(eventually([&] { return in->runs.load() == static_cast<int>(in->arrivals()); }));
  executor->cancel();
  spinning.join();
  ASSERT_GE(in->runs.load(), 6);
  std::vector<Time> waiting;
  Time before{};
  for (const auto & [kind, release] : order) {
    if (kind == 'i') {
      waiting.push_back(release);
      continue;
    }
    for (const Time arrival : waiting) {
      EXPECT_LE(arrival, release);
      EXPECT_GT(arrival, before);
    }
    waiting.clear();
    before = release;
  }
}

TEST_F(LogicalTimeTest, GroupsExchangeTheSameWhateverTheThreads)
{
  struct Got
  {
    Time read;     // release of the reading run
    Time arrived;  // arrival of the message
    Time written;  // release of the run that wrote it
    Time skipped;  // release of the reading run that would have been first without skipped periods
  };
  std::vector<Got> got;
  Got next{};
  std::mutex mutex;
  std::deque<Time> written;  // release of the writing run, for each waiting message
  const auto sink = logical_group();
  Binding first;
  first.threads = 0b01;
  Binding second;
  second.threads = 0b10;
  const auto in = add_function(
    *executor, "in",
    [&](const takt_core::Run & run) {
      next.arrived = run.release;
      const std::lock_guard lock(mutex);
      next.written = written.front();
      written.pop_front();
    },
    sink, input());
  const auto reader = add_function(
    *executor, "reader",
    [&](const takt_core::Run & run) {
      if (next.written != Time{}) {
        next.read = run.release;
        got.push_back(next);
      }
      next = {};
      next.skipped = run.release + kPeriod;
    },
    sink, second, every(kPeriod));
  const auto writer = add_function(
    *executor, "writer",
    [&](const takt_core::Run & run) {
      publish([&, release = run.release] {
        const std::lock_guard lock(mutex);
        written.push_back(release);
        executor->ready(*in);
      });
    },
    logical_group(), first, every(kPeriod));
  spin([&] { return reader->runs.load() >= 20; });
  ASSERT_GE(got.size(), 15U);
  std::size_t at_border = 0;
  for (const Got & one : got) {
    EXPECT_GE(one.arrived, one.written + kPeriod);
    if (one.arrived == one.written + kPeriod) {  // the writer was not late
      EXPECT_TRUE(one.read == one.arrived || one.skipped < one.read);
      at_border += one.read == one.arrived ? 1 : 0;
    }
  }
  EXPECT_GT(at_border, 0U);
}

TEST_F(LogicalTimeTest, ALateRunPublishesAtItsEndOrNever)
{
  for (const LateOutputs late : {LateOutputs::publish, LateOutputs::drop}) {
    executor = make_executor(1);
    int released = 0;
    std::uint64_t at_border = 0;
    const auto group = logical_group(late);
    const auto reader = add_function(*executor, "reader");
    std::vector<Time> borders;
    const auto timer = add_function(
      *executor, "timer",
      [&](const takt_core::Run & run) {
        const Time border = run.release + kPeriod;
        publish(
          [&, border] {
            at_border += now() < border ? 1 : 0;
            executor->ready(*reader);
          },
          &released);
        spin_until(border);
      },
      group, {}, every(kPeriod));
    spin([&] { return timer->runs.load() >= 3; });
    const LogicalTimeCounts counts = group->logical_time()->counts();
    EXPECT_EQ(counts.late, counts.runs);
    EXPECT_EQ(at_border, 0U);
    EXPECT_EQ(counts.published, late == LateOutputs::publish ? counts.runs : 0U);
    EXPECT_EQ(counts.dropped, late == LateOutputs::drop ? counts.runs : 0U);
    EXPECT_EQ(static_cast<std::uint64_t>(released), counts.runs);
    EXPECT_EQ(reader->arrivals(), counts.published);
  }
}

TEST_F(LogicalTimeTest, OutputsCarryTheActivationsOfTheirRun)
{
  std::uint32_t root = 0;
  std::uint32_t number = 0;
  const auto reader = add_function(
    *executor, "reader", [&](const takt_core::Run & run) { root = run.activations.begin()->root; });
  const auto timer = add_function(
    *executor, "timer",
    [&](const takt_core::Run & run) {
      number = run.callback->number();
      publish([&] { executor->ready(*reader); });
    },
    logical_group(), {}, every(kPeriod));
  spin([&] { return reader->runs.load() >= 1; });
  EXPECT_EQ(root, number);
}

TEST_F(LogicalTimeTest, ATimerThatLeavesPublishesWhatItHolds)
{
  int released = 0;
  int published = 0;
  const auto timer = add_function(
    *executor, "timer", [&](const takt_core::Run &) { publish([&] { ++published; }, &released); },
    logical_group(), {}, every(std::chrono::hours(1)));
  std::thread spinning([this] { EXPECT_TRUE(executor->spin().ok()); });
  EXPECT_TRUE(eventually([&] { return timer->runs.load() == 1; }));
  executor->remove(*timer);
  EXPECT_EQ(published, 1);
  EXPECT_EQ(released, 1);
  EXPECT_EQ(executor->callbacks().size(), 0U);
  executor->cancel();
  spinning.join();
}

TEST_F(LogicalTimeTest, ATimerThatLeavesFromInsideItselfPublishesAtTheEndOfItsRun)
{
  int released = 0;
  int published = 0;
  std::shared_ptr<FunctionCallback> timer;
  std::atomic<bool> ran{false};
  const auto group = logical_group();
  timer = add_function(
    *executor, "timer",
    [&](const takt_core::Run &) {
      publish([&] { ++published; }, &released);
      executor->remove(*timer);
      EXPECT_EQ(published, 0);
      ran = true;
    },
    group, {}, every(std::chrono::hours(1)));
  spin([&] { return ran.load() && !executor->scheduler().running(*timer); });
  EXPECT_EQ(published, 1);
  EXPECT_EQ(released, 1);
  EXPECT_EQ(group->logical_time()->counts().published, 1U);
}

TEST_F(LogicalTimeTest, AnExecutorThatEndsDropsWhatItHolds)
{
  int released = 0;
  int published = 0;
  const auto group = logical_group();
  const auto timer = add_function(
    *executor, "timer", [&](const takt_core::Run &) { publish([&] { ++published; }, &released); },
    group, {}, every(std::chrono::hours(1)));
  spin([&] { return timer->runs.load() == 1; });
  executor.reset();
  EXPECT_EQ(published, 0);
  EXPECT_EQ(released, 1);
  EXPECT_EQ(group->logical_time()->counts().dropped, 1U);
}

TEST_F(LogicalTimeTest, AGroupHasOneTimerAndGetsItsLogicalTimeBeforeIt)
{
  const auto group = logical_group();
  add_function(*executor, "first", {}, group, {}, every(kPeriod));
  EXPECT_FALSE(group->set_logical_time(LateOutputs::drop));
  CallbackOptions options;
  options.id = "second";
  options.kind = Kind::timer;
  options.group = group;
  options.timer = every(kPeriod);
  const Status added = executor->add(
    std::make_shared<FunctionCallback>(options, std::function<void(const takt_core::Run &)>()));
  ASSERT_FALSE(added.ok());
  EXPECT_NE(
    to_string(added.faults().front()).find("whose period is that of first"), std::string::npos);
}

TEST_F(LogicalTimeTest, RefusesAReentrantGroup)
{
  const auto group = std::make_shared<Group>(GroupKind::reentrant, "all at once");
  ASSERT_TRUE(group->set_logical_time(LateOutputs::publish));
  EXPECT_THROW(add_function(*executor, "timer", {}, group, {}, every(kPeriod)), std::runtime_error);
  EXPECT_EQ(executor->callbacks().size(), 0U);
}

TEST_F(LogicalTimeTest, OtherCallbacksAndOtherExecutorsPublishAtOnce)
{
  int published = 0;
  const auto group = logical_group();
  const auto service = add_function(
    *executor, "service", [&](const takt_core::Run &) { publish([&] { ++published; }); }, group);
  const auto inner = make_executor(1);
  const auto nested =
    add_function(*inner, "nested", [&](const takt_core::Run &) { publish([&] { ++published; }); });
  const auto timer = add_function(
    *executor, "timer",
    [&](const takt_core::Run &) {
      inner->ready(*nested);
      EXPECT_TRUE(inner->spin_some(Duration::zero()).ok());
      EXPECT_NE(LogicalTime::current(), nullptr);
    },
    group, {}, every(kPeriod));
  executor->ready(*service);
  spin([&] { return timer->runs.load() >= 1 && service->runs.load() >= 1; });
  EXPECT_EQ(published, service->runs.load() + nested->runs.load());
}

}  // namespace
}  // namespace takt_core::test
