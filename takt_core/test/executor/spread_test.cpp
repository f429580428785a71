// Sets of messages whose header stamps lie close together (Condition::spread) in a running
// executor.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/executor_fixture.hpp"

namespace takt_core::test
{
namespace
{

using std::chrono::milliseconds;

constexpr Time at(std::int64_t stamp)
{
  return takt_rt::from_ns(stamp * 1'000'000);
}

/// A subscription whose messages are header stamps.
class Stamped : public Callback
{
public:
  using Callback::Callback;

  void send(Executor & executor, Time stamp)
  {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(stamp);
      if (waiting_.size() > depth()) {
        waiting_.pop_front();
      }
    }
    executor.ready(*this);
  }
  bool take(const Run & run) override
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      return false;
    }
    EXPECT_FALSE(has_message_) << "a second message was taken before the first one was used";
    has_message_ = true;
    message_ = run.stamp = waiting_.front();
    waiting_.pop_front();
    return true;
  }
  void run(const Run & run) override
  {
    EXPECT_TRUE(has_message_.exchange(false));
    EXPECT_EQ(run.stamp, message_);
    if (body) {
      body(message_);
    }
    ++runs;
  }
  void leave_out(const Run &) noexcept override
  {
    EXPECT_TRUE(has_message_.exchange(false));
    ++dropped;
  }

  std::function<void(Time)> body;
  std::atomic<int> runs{0};
  std::atomic<int> dropped{0};

private:
  std::mutex mutex_;
  std::deque<Time> waiting_;
  std::atomic<bool> has_message_{false};
  Time message_{};
};

class Spread : public testing::Test
{
protected:
  void make(std::uint32_t threads, Duration spread)
  {
    executor = make_executor(threads);
    group = std::make_shared<Group>(GroupKind::mutually_exclusive, "group");
    Condition condition;
    condition.count = 0;
    condition.spread = spread;
    ASSERT_TRUE(group->set_condition(condition));
  }
  std::shared_ptr<Stamped> made(const std::string & id, bool stamped = true)
  {
    CallbackOptions options;
    options.id = id;
    options.kind = Kind::subscription;
    options.group = group;
    options.depth = 10;
    options.stamped = stamped;
    auto callback = std::make_shared<Stamped>(options);
    callback->body = [this, id](Time stamp) {
      seen.push_back(id + " " + std::to_string(takt_rt::to_ns(stamp) / 1'000'000));
    };
    return callback;
  }
  std::shared_ptr<Stamped> add(const std::string & id)
  {
    auto callback = made(id);
    EXPECT_TRUE(executor->add(callback).ok());
    return callback;
  }
  std::vector<std::string> spin()
  {
    seen.clear();
    std::size_t ran = 1;
    while (ran > 0) {
      EXPECT_TRUE(executor->spin_some(Duration::zero(), &ran).faults.empty());
    }
    return seen;
  }
  using Lines = std::vector<std::string>;

  std::shared_ptr<Group> group;
  std::unique_ptr<Executor> executor;
  Lines seen;
};

TEST_F(Spread, RunsASetOnceItsStampsLieClose)
{
  make(1, milliseconds(10));
  const auto a = add("a");
  const auto b = add("b");
  a->send(*executor, at(100));
  EXPECT_EQ(spin(), Lines{}) << "no message of b has come";
  a->send(*executor, at(105));
  b->send(*executor, at(90));
  EXPECT_EQ(spin(), (Lines{"a 100", "b 90"}));
  b->send(*executor, at(94));
  EXPECT_EQ(spin(), Lines{}) << "11 ms lie between 94 and 105";
  EXPECT_EQ(b->dropped, 1) << "later messages of a are younger still";
  b->send(*executor, at(104));
  EXPECT_EQ(spin(), (Lines{"a 105", "b 104"}));
  EXPECT_EQ(a->dropped, 0);
}

TEST_F(Spread, LeavesOutTheMessagesThatNoSetCanHave)
{
  make(1, milliseconds(0));
  const auto a = add("a");
  const auto b = add("b");
  for (const int stamp : {1, 2, 3, 4}) {
    a->send(*executor, at(stamp));
  }
  EXPECT_EQ(spin(), Lines{});
  b->send(*executor, at(3));
  EXPECT_EQ(spin(), (Lines{"a 3", "b 3"}));
  EXPECT_EQ(a->dropped, 2);
  EXPECT_EQ(a->left_out(), 2U);
  b->send(*executor, at(4));
  EXPECT_EQ(spin(), (Lines{"a 4", "b 4"}));
}

// Without the rule a message from before the time began anew would wait, and each message of the
// other input would be left out until its stamp is as late. A second such message is still in the
// history when the time begins anew.
TEST_F(Spread, GoesOnWhenTheStampsBeginAnew)
{
  make(1, milliseconds(10));
  const auto a = add("a");
  const auto b = add("b");
  for (const int stamp : {1000, 1100}) {
    a->send(*executor, at(stamp));
    b->send(*executor, at(stamp));
  }
  a->send(*executor, at(1200));
  a->send(*executor, at(1300));
  EXPECT_EQ(spin(), (Lines{"a 1000", "b 1000", "a 1100", "b 1100"}));
  b->send(*executor, at(0));
  EXPECT_EQ(spin(), Lines{});
  EXPECT_EQ(a->dropped, 2);
  a->send(*executor, at(0));
  EXPECT_EQ(spin(), Lines{}) << "the time of a begins anew, too, and b's message is left out";
  b->send(*executor, at(100));
  a->send(*executor, at(100));
  EXPECT_EQ(spin(), (Lines{"b 100", "a 100"}));
}

TEST_F(Spread, AStampThatIsOlderByLessThanASecondIsNoNewBeginning)
{
  make(1, milliseconds(0));
  const auto a = add("a");
  const auto b = add("b");
  b->send(*executor, at(2000));
  for (const int stamp : {1500, 500, 2000}) {  // out of order by one second
    a->send(*executor, at(stamp));
  }
  EXPECT_EQ(spin(), (Lines{"b 2000", "a 2000"}));
  EXPECT_EQ(b->dropped, 0);
  b->send(*executor, at(2500));
  a->send(*executor, at(999));
  spin();
  EXPECT_EQ(b->dropped, 1);
}

TEST_F(Spread, AMessageWithoutAStampIsLeftOut)
{
  make(1, milliseconds(10));
  const auto a = add("a");
  const auto b = add("b");
  a->send(*executor, kNever);
  b->send(*executor, at(5));
  a->send(*executor, at(5));
  EXPECT_EQ(spin(), (Lines{"b 5", "a 5"}));
  EXPECT_EQ(a->dropped, 1);
}

TEST_F(Spread, ARemovedInputLeavesItsMessageOutAndIsNotWaitedFor)
{
  make(1, milliseconds(10));
  const auto a = add("a");
  const auto b = add("b");
  const auto c = add("c");
  a->send(*executor, at(1));
  b->send(*executor, at(1));
  EXPECT_EQ(spin(), Lines{});
  executor->remove(*b);
  EXPECT_EQ(b->dropped, 1);
  EXPECT_EQ(a->dropped, 0);
  executor->remove(*c);
  EXPECT_EQ(a->dropped, 1) << "no other message would start the callback of a complete set";
  a->send(*executor, at(2));
  EXPECT_EQ(spin(), Lines{"a 2"});
  a->send(*executor, at(3));
  EXPECT_TRUE(executor->add(b).ok());
  EXPECT_EQ(spin(), Lines{});
  executor.reset();
  EXPECT_EQ(a->dropped, 2) << "the end of the executor frees the message";
}

TEST_F(Spread, RefusesCallbacksThatCannotBeInputs)
{
  make(1, milliseconds(10));
  const auto words = [&](const std::shared_ptr<Stamped> & callback, const Binding & binding) {
    const auto added = executor->add(callback, binding);
    return added.ok() ? std::string() : to_string(added.faults().front());
  };
  EXPECT_EQ(
    words(made("/n:sub(/a)", false), {}),
    "/n:sub(/a): its group group waits for messages whose stamps lie close together (spread), "
    "and its type has no std_msgs/msg/Header as first field; omit spread, or give the "
    "subscription another group");
  Binding waits;
  waits.non_triggering.emplace();
  EXPECT_NE(
    words(made("/n:sub(/a)"), waits).find("omit trigger: false, or `with` in the program"),
    std::string::npos);
  const Condition condition = *group->condition();
  group = std::make_shared<Group>(GroupKind::reentrant, "reentrant");
  ASSERT_TRUE(group->set_condition(condition));
  EXPECT_NE(words(made("/n:sub(/a)"), {}).find("this group is reentrant"), std::string::npos);
}

// One thread runs the callbacks of a set, so a schedule that gives them different threads would not
// hold.
TEST_F(Spread, TheInputsHaveTheSameThreads)
{
  make(2, milliseconds(10));
  const auto on = [](ThreadMask threads) {
    Binding binding;
    binding.threads = threads;
    return binding;
  };
  const auto a = made("a");
  const auto b = made("b");
  ASSERT_TRUE(executor->add(a, on(1)).ok());
  for (const ThreadMask other : {0, 2, 3}) {
    const Status added = executor->add(b, on(other));
    ASSERT_EQ(added.faults().size(), 1U) << other;
    EXPECT_EQ(
      to_string(added.faults().front()),
      "group group holds b and a, which are bound to different threads, and the thread that "
      "completes a set of messages (spread) runs the callbacks of the whole set; bind them to the "
      "same threads, or omit spread");
  }
  ASSERT_TRUE(executor->add(b, on(1)).ok());
  CallbackOptions options;
  options.id = "timer";
  options.kind = Kind::timer;
  options.group = group;
  options.timer.emplace();
  options.timer->period = std::chrono::hours(1);
  EXPECT_TRUE(executor->add(std::make_shared<FunctionCallback>(options, nullptr), on(2)).ok())
    << "it is no input";

  Reconfiguration change;
  change.callbacks = {{b, on(0)}};
  EXPECT_EQ(executor->check(change).size(), 1U);
  change.callbacks.push_back({a, on(3)});
  EXPECT_TRUE(executor->check(change).empty()) << "0 and 3 are the same threads";
}

// Three sources, two threads, and an input that comes and goes. For ThreadSanitizer, too.
TEST_F(Spread, NoMessageIsLostOrRunTwiceWhileInputsComeAndGo)
{
  constexpr int kMessages = 2000;
  make(2, milliseconds(0));
  std::atomic<int> inside{0};
  std::vector<std::shared_ptr<Stamped>> inputs;
  for (const char * id : {"a", "b"}) {
    inputs.push_back(made(id));
    inputs.back()->body = [&](Time) {
      EXPECT_EQ(inside.fetch_add(1), 0);
      inside.fetch_sub(1);
    };
    ASSERT_TRUE(executor->add(inputs.back()).ok());
  }
  const auto guest = made("guest");
  guest->body = nullptr;
  std::thread spinning([&] { EXPECT_TRUE(executor->spin().faults.empty()); });
  std::thread visits([&] {
    for (int i = 0; i < 200; ++i) {
      EXPECT_TRUE(executor->add(guest).ok());
      guest->send(*executor, at(i));
      executor->remove(*guest);
    }
  });
  std::vector<std::thread> sources;
  for (const auto & input : inputs) {
    sources.emplace_back([&, input] {
      for (int i = 0; i < kMessages; ++i) {
        while (input->backlog() >= 8) {
          std::this_thread::yield();
        }
        input->send(*executor, at(i));
      }
    });
  }
  for (std::thread & source : sources) {
    source.join();
  }
  visits.join();
  const auto used = [](const Stamped & one) { return one.runs + one.dropped; };
  // The last message of one input may wait for one of the other.
  EXPECT_TRUE(eventually([&] {
    return used(*inputs[0]) + used(*inputs[1]) >= 2 * kMessages - 1 &&
           inputs[0]->backlog() + inputs[1]->backlog() == 0;
  }));
  executor->cancel();
  spinning.join();
  EXPECT_GT(inputs[0]->runs, 0);
  EXPECT_EQ(inputs[0]->overwritten() + inputs[1]->overwritten(), 0U);
}

}  // namespace
}  // namespace takt_core::test
