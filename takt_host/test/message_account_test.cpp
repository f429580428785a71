#include "takt_host/message_account.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace takt_host
{
namespace
{

using takt_core::MessageKey;

class Reader final : public takt_core::Callback
{
public:
  using Callback::Callback;
  bool take(const takt_core::Run &) override { return true; }
  void run(const takt_core::Run &) override {}
};

class Account : public ::testing::Test
{
protected:
  Account()
  {
    takt_core::ExecutorOptions options;
    options.epoch = takt_core::Epoch::host;
    options.phases.emplace();
    executor = std::move(*takt_core::Executor::create(options));
    takt_core::CallbackOptions one;
    one.id = "reader";
    one.kind = takt_core::Kind::subscription;
    reader = std::make_shared<Reader>(one);
    takt_core::Binding binding;
    binding.phased = takt_core::Phased::settles;
    EXPECT_TRUE(executor->add(reader, binding).ok());
  }

  /// Reports a take that found the message; `overwritten`: announcements without a take so far.
  void take(MessageAccount & account, const MessageKey & message, std::uint64_t overwritten = 0)
  {
    const auto noted = account.found(run, message);
    account.tell(*executor, *reader, message, noted, overwritten);
  }
  std::uint64_t disturbances() const { return executor->phases()->disturbances; }
  takt_core::Disturbance last() const { return executor->phases()->last->cause; }

  std::unique_ptr<takt_core::Executor> executor;
  std::shared_ptr<Reader> reader;
  takt_core::Run run{};
};

TEST_F(Account, tells_phases_of_a_gap_and_of_a_new_publisher)
{
  MessageAccount account({.reliable = true, .sequences = true});
  take(account, {{1}, 7});
  EXPECT_EQ(disturbances(), 0U);
  take(account, {{1}, 8});
  EXPECT_EQ(disturbances(), 0U);
  take(account, {{1}, 10});
  EXPECT_EQ(disturbances(), 1U);
  EXPECT_EQ(last(), takt_core::Disturbance::lost_message);
  take(account, {{1}, 9});  // late, not lost
  EXPECT_EQ(disturbances(), 1U);
  take(account, {{1}, 11});
  EXPECT_EQ(disturbances(), 1U);
  take(account, {{2}, 1});
  EXPECT_EQ(disturbances(), 2U);
  EXPECT_EQ(last(), takt_core::Disturbance::restarted_process);
  take(account, {{2}, 2});
  EXPECT_EQ(disturbances(), 2U);
  EXPECT_EQ(to_string(last()), "restarted process");
}

TEST_F(Account, tells_nothing_by_numbers_that_leave_gaps_for_other_reasons)
{
  MessageAccount account({.reliable = true, .sequences = false});
  take(account, {{1}, 7});
  take(account, {{1}, 10});
  EXPECT_EQ(disturbances(), 0U);
  EXPECT_FALSE(account.losses(0).lost.has_value());
}

TEST_F(Account, names_the_message_that_was_found_as_the_publishers_of_the_process_do)
{
  const MessageKey message{{1}, 7, 1'000};
  MessageAccount by_sequence({.sequences = true, .named_by = NamedBy::sequence});
  take(by_sequence, message);
  EXPECT_EQ(run.found, message.name_by_sequence());
  MessageAccount by_time({.sequences = true, .named_by = NamedBy::source_time});
  take(by_time, message);
  EXPECT_EQ(run.found, message.name_by_time());
  EXPECT_NE(message.name_by_time(), message.name_by_sequence());
}

TEST_F(Account, gives_a_message_without_that_mark_no_name)
{
  MessageAccount by_sequence({.sequences = true, .named_by = NamedBy::sequence});
  take(by_sequence, {{1}, 0, 1'000});
  EXPECT_EQ(run.found, 0U);
  MessageAccount by_time({.sequences = true, .named_by = NamedBy::source_time});
  take(by_time, {{1}, 7, 0});
  EXPECT_EQ(run.found, 0U);
}

TEST_F(Account, splits_what_is_missing_into_overwritten_and_lost)
{
  MessageAccount best_effort({.reliable = false, .sequences = true});
  take(best_effort, {{1}, 1}, 0);
  take(best_effort, {{1}, 5}, 2);
  EXPECT_EQ(best_effort.losses(2).overwritten, 2U);
  EXPECT_EQ(best_effort.losses(2).lost, 1U);
}

TEST_F(Account, of_a_source_that_goes_on_elsewhere_counts_from_there)
{
  const auto gaps = std::make_shared<SequenceGaps>();
  MessageAccount first({.sequences = true, .gaps = gaps});
  take(first, {{1}, 1});
  take(first, {{1}, 4});
  EXPECT_EQ(first.losses(0).lost, 2U);
  MessageAccount second({.sequences = true, .gaps = gaps});
  take(second, {{1}, 5});
  EXPECT_EQ(second.losses(0).lost, 0U);
  take(second, {{1}, 7});
  EXPECT_EQ(second.losses(0).lost, 1U);
}

}  // namespace
}  // namespace takt_host
