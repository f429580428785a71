// Chains whose activations no longer end, although their executors spin. A client of the control
// socket gets the alarms. The period between two looks is 10 s, so an earlier alarm comes because a
// deadline has passed.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "support/client.hpp"
#include "support/made.hpp"
#include "support/served.hpp"
#include "takt_rt/futex.hpp"

namespace takt_watch
{
namespace
{

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using takt_control::MessageType;
using test::Client;
using test::Served;

/// A chain with a deadline of 1 s, from a timer of 20 ms to a subscription.
class OverdueChain : public test::ServedTest
{
protected:
  explicit OverdueChain(std::size_t threads = 1) : served_("main", threads)
  {
    served_.facts.chain_rule = [](const std::string &) {
      takt_schedule::ChainWatchRule rule;
      rule.fail_safe.push_back({takt_schedule::AlarmAction::Kind::run, "", {"stop"}, "", 0});
      return rule;
    };
    served_.watch();
    last_ = test::subscription("/b:sub(/y)");
    root_ = test::timer("/a:timer(20ms)", milliseconds(20), [this] {
      if (!loses_.load()) {
        served_.executor->ready(
          *last_, 1);  // called on the timer's thread, so that the run carries the activation
      }
    });
    EXPECT_TRUE(served_.executor->add(root_).ok());
    EXPECT_TRUE(served_.executor->add(last_).ok());
    takt_core::ChainOptions chain;
    chain.name = "hot";
    chain.path = {"/a:timer(20ms)", "/b:sub(/y)"};
    chain.deadline = seconds(1);
    EXPECT_TRUE(served_.executor->reconfigure({.more_chains = {chain}}).ok());
    client_ = std::make_unique<Client>();
    client_->ask(MessageType::subscribe);
    served_.start();
    test::wait_for([&] { return chain_now()["activations"] > 2; });
  }
  ~OverdueChain() override { served_.end(); }

  json chain_now() { return client_->statistics()["executors"][0]["chains"][0]; }

  Served served_;
  std::unique_ptr<Client> client_{};
  std::atomic<bool> loses_{false};
  std::shared_ptr<test::Work> root_;
  std::shared_ptr<test::Work> last_;
};

void expect_silence(const json & alarm)
{
  EXPECT_EQ(alarm["kind"], "deadline");
  EXPECT_EQ(alarm["state"], "raised");
  EXPECT_EQ(alarm["chain"], "hot");
  EXPECT_EQ(alarm["fail_safe"], true);
  EXPECT_EQ(alarm["deadline_ns"], 1'000'000'000);
  ASSERT_TRUE(alarm["silent_ns"].is_number()) << alarm.dump();
  EXPECT_GE(alarm["silent_ns"], 1'000'000'000);
  EXPECT_NE(alarm["text"].dump().find("an activation has not ended after"), std::string::npos);
}

TEST_F(OverdueChain, whose_messages_are_lost_raises_its_alarm_without_an_end)
{
  loses_.store(true);
  const auto asked = std::chrono::steady_clock::now();
  expect_silence(client_->alarm());
  EXPECT_LT(std::chrono::steady_clock::now() - asked, seconds(9)) << "a period later";
  const json chain = chain_now();
  EXPECT_GE(chain["overdue"], 1);
  EXPECT_GE(chain["misses"], chain["overdue"]);
  EXPECT_GE(chain["activations"], chain["misses"]);
}

TEST_F(OverdueChain, whose_root_gets_no_thread_raises_its_alarm_while_that_lasts)
{
  std::atomic<std::uint32_t> told{0};
  const auto blocks = test::subscription("/c:sub(/z)", [&] {
    while (told.load() == 0) {
      takt_rt::futex_wait(told, 0);
    }
  });
  ASSERT_TRUE(served_.executor->add(blocks).ok());
  served_.executor->ready(*blocks, 1);
  expect_silence(client_->alarm());
  EXPECT_EQ(told.load(), 0U) << "it still blocks the only thread";
  test::wait_for([&] { return chain_now()["overdue"] > 3; });
  told.store(1);
  takt_rt::futex_wake(told, 1);
  // The timer runs only for the first of the missed periods. This run ends late, and is not counted
  // again.
  test::wait_for([&] { return chain_now()["consecutive_misses"] == 0; });
  const json chain = chain_now();
  EXPECT_EQ(chain["misses"], chain["overdue"]) << chain.dump();
}

}  // namespace
}  // namespace takt_watch
