// Content filters: at creation, at run time, and everything that must outlive the middleware's new
// reader.
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"
#include "takt_rcl/error.hpp"

namespace takt_rcl::test
{
namespace
{

using Number = std_msgs::msg::UInt64;
using Numbers = std::vector<std::uint64_t>;

class ContentFilters : public RosTest
{
protected:
  void SetUp() override
  {
    RosTest::SetUp();
    n = node("n");
    publisher = n->create_publisher<Number>("numbers", QoS(100));
  }
  void subscribe(const std::string & expression, const std::vector<std::string> & parameters)
  {
    options_.content_filter_options = {expression, parameters};
    subscription = n->create_subscription<Number>(
      "numbers", QoS(100), [this](const Number & m) { got.push_back(m.data); }, options_);
    if (!expression.empty() && !subscription->is_content_filter_enabled()) {
      GTEST_SKIP() << "this middleware does not filter";
    }
    ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
    ASSERT_TRUE(subscription->wait_for_matched(1, kPatience));
  }
  void publish(std::uint64_t from, std::uint64_t to)
  {
    for (std::uint64_t i = from; i <= to; ++i) {
      Number one;
      one.data = i;
      ASSERT_NE(publisher->publish(one), 0u);
    }
  }
  // After a change of the reader the publisher must find it. The last number passes every filter of
  // these tests.
  void expect(Executor & e, const Numbers & wanted)
  {
    got.clear();
    ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
    ASSERT_TRUE(subscription->wait_for_matched(1, kPatience));
    publish(1, 10);
    ASSERT_TRUE(spin_until(e, [&] { return !got.empty() && got.back() == 10; }));
    EXPECT_EQ(got, wanted);
  }
  // Makes a subscription whose messages wait for those of `starts`, and publishes three of them.
  void store_three(Executor & e, std::uint32_t keep)
  {
    starts =
      n->create_subscription<Number>("starts", QoS(1), [this](const Number &) { ++started; });
    start = n->create_publisher<Number>("starts", QoS(1));
    ASSERT_TRUE(start->wait_for_matched(1, kPatience));
    ASSERT_TRUE(starts->wait_for_matched(1, kPatience));
    subscribe("", {});
    trigger_on(starts).with(subscription).keep(keep);
    e.add_node(n);
    publish(1, 3);
    ASSERT_TRUE(wait_until([&] { return subscription->backlog() == 3; }));
  }
  // The new reader gets the message 4 only.
  void replace_reader_and_start(Executor & e)
  {
    subscription->set_content_filter("data > 0");
    ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
    publish(4, 4);
    ASSERT_TRUE(wait_until([&] { return subscription->backlog() == 4; }));
    start->publish(Number{});
    ASSERT_TRUE(spin_until(e, [&] { return started == 1; }));
  }

  std::shared_ptr<Node> n;
  SubscriptionOptions options_;
  Publisher<Number>::SharedPtr publisher;
  Subscription<Number>::SharedPtr subscription;
  Subscription<Number>::SharedPtr starts;
  Publisher<Number>::SharedPtr start;
  int started = 0;
  Numbers got;
};

const Numbers kAll{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

TEST_F(ContentFilters, AtCreation)
{
  subscribe("data > %0 AND data <> %1", {"3", "8"});
  if (IsSkipped()) {
    return;
  }
  auto e = executor();
  e.add_node(n);
  expect(e, {4, 5, 6, 7, 9, 10});
  EXPECT_EQ(subscription->get_content_filter().filter_expression, "data > %0 AND data <> %1");
  EXPECT_EQ(
    subscription->get_content_filter().expression_parameters, (std::vector<std::string>{"3", "8"}));
  publish(10, 10);
  EXPECT_EQ(subscription->lost_messages() + subscription->failed_takes(), 0u);
  EXPECT_EQ(subscription->taken_messages(), 6u);
}

TEST_F(ContentFilters, SetChangedAndRemovedAtRunTime)
{
  subscribe("", {});
  EXPECT_FALSE(subscription->is_content_filter_enabled());
  EXPECT_EQ(subscription->get_content_filter().filter_expression, "");
  auto e = executor();
  e.add_node(n);
  expect(e, kAll);
  subscription->set_content_filter("data > %0", {"7"});
  EXPECT_TRUE(subscription->is_cft_enabled());
  expect(e, {8, 9, 10});
  subscription->set_content_filter("data > %0", {"8"});
  expect(e, {9, 10});
  subscription->set_content_filter("data = 2 OR data = 10");
  expect(e, {2, 10});
  subscription->set_content_filter("");
  EXPECT_FALSE(subscription->is_content_filter_enabled());
  subscription->set_content_filter("");
  expect(e, kAll);
  EXPECT_EQ(subscription->lost_messages(), 0u);
}

TEST_F(ContentFilters, AChangeOutsideOfExecutorsKeepsTheMessagesAfterIt)
{
  subscribe("", {});
  subscription->set_content_filter("data > 5");
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  ASSERT_TRUE(subscription->wait_for_matched(1, kPatience));
  publish(1, 10);
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return !got.empty() && got.back() == 10; }));
  EXPECT_EQ(got, (Numbers{6, 7, 8, 9, 10}));
  e.remove_node(n);
  subscription->set_content_filter("");
  auto again = executor();
  again.add_node(n);
  expect(again, kAll);
}

TEST_F(ContentFilters, OfOldMessagesAndANewOneKeepTakesTheNewOne)
{
  auto e = executor();
  store_three(e, 1);
  replace_reader_and_start(e);
  EXPECT_EQ(got, Numbers{4});
  EXPECT_EQ(subscription->taken_messages(), 1u);
}

TEST_F(ContentFilters, ArrivalsOfOldMessagesAreNotThoseOfNewOnes)
{
  auto e = executor();
  store_three(e, 0);
  subscription->set_content_filter("data > 0");
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  start->publish(Number{});
  ASSERT_TRUE(spin_until(e, [&] { return started == 1; }));
  EXPECT_EQ(subscription->backlog(), 0u);
  EXPECT_EQ(got, Numbers{});
  publish(4, 4);
  ASSERT_TRUE(wait_until([&] { return subscription->backlog() == 1; }));
  start->publish(Number{});
  ASSERT_TRUE(spin_until(e, [&] { return started == 2; }));
  EXPECT_EQ(got, Numbers{4});
}

TEST_F(ContentFilters, TheNextExecutorGetsNoArrivalsOfOldMessages)
{
  auto e = executor();
  store_three(e, 0);
  subscription->set_content_filter("data > 0");
  e.remove_node(n);
  auto again = executor();
  again.add_node(n);
  EXPECT_EQ(subscription->backlog(), 0u);
}

TEST_F(ContentFilters, ArrivalsOutsideOfExecutorsEndWithTheirMessages)
{
  options_.depth = 1;
  subscribe("", {});
  publish(1, 3);
  ASSERT_TRUE(wait_until([&] { return subscription->overwritten() == 2; }));
  subscription->set_content_filter("data > 0");
  EXPECT_EQ(subscription->overwritten(), 2u);
  auto e = executor();
  e.add_node(n);
  EXPECT_EQ(subscription->backlog(), 0u);
}

TEST_F(ContentFilters, ARefusedFilterIsAnErrorAndMessagesStillCome)
{
  subscribe("", {});
  auto e = executor();
  e.add_node(n);
  EXPECT_THROW(subscription->set_content_filter("no_such_field = 1"), Error);
  EXPECT_THROW(subscription->set_content_filter("data >"), Error);
  expect(e, kAll);
  SubscriptionOptions wrong;
  wrong.content_filter_options.filter_expression = "data >";
  EXPECT_THROW(
    n->create_subscription<Number>(
      "numbers", QoS(1), [](const Number &) {}, wrong),
    Error);
}

TEST_F(ContentFilters, EventsComeAlsoFromTheNewReader)
{
  std::uint64_t missed = 0;
  options_.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo & info) {
    EXPECT_GT(info.total_count_change, 0);
    missed += 1;
  };
  const QoS qos = QoS(100).deadline(5ms);
  publisher = n->create_publisher<Number>("numbers", qos);
  subscription = n->create_subscription<Number>(
    "numbers", qos, [this](const Number & m) { got.push_back(m.data); }, options_);
  auto e = executor();
  e.add_node(n);
  expect(e, kAll);
  ASSERT_TRUE(spin_until(e, [&] { return missed > 2; }));
  subscription->set_content_filter("data > %0", {"7"});
  expect(e, {8, 9, 10});
  missed = 0;
  ASSERT_TRUE(spin_until(e, [&] { return missed > 2; }));
}

TEST_F(ContentFilters, TheFirstMatchOfTheNewReaderIsAnEvent)
{
  std::vector<MatchedInfo> infos;
  options_.event_callbacks.matched_callback = [&](MatchedInfo & info) { infos.push_back(info); };
  subscribe("", {});
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return infos.size() == 1; }));
  EXPECT_EQ(infos[0].total_count, 1u);
  subscription->set_content_filter("data > 0");
  ASSERT_TRUE(spin_until(e, [&] { return infos.size() == 2; }));
  EXPECT_EQ(infos[1].total_count, 1u);
  EXPECT_EQ(infos[1].total_count_change, 1u);
  EXPECT_EQ(infos[1].current_count_change, 0);
}

TEST_F(ContentFilters, ChangesWhileMessagesAreTaken)
{
  subscribe("", {});
  auto e = executor();
  e.add_node(n);
  std::atomic<bool> stop{false};
  std::thread publishing([&] {
    Number one;
    one.data = 10;
    while (!stop) {
      publisher->publish(one);
      std::this_thread::yield();
    }
  });
  {
    const Spinning spinning(e);
    for (int i = 0; i < 10; ++i) {
      subscription->set_content_filter("data > %0", {std::to_string(i)});
      const std::uint64_t before = subscription->taken_messages();
      EXPECT_TRUE(wait_until([&] { return subscription->taken_messages() > before + 10; }));
      subscription->set_content_filter("");
      const std::uint64_t again = subscription->taken_messages();
      EXPECT_TRUE(wait_until([&] { return subscription->taken_messages() > again + 10; }));
    }
  }
  stop = true;
  publishing.join();
}

TEST_F(ContentFilters, MessagesByPointerKnowNoFilter)
{
  n = std::make_shared<Node>("within", options().use_intra_process_comms(true));
  publisher = n->create_publisher<Number>("pointers", QoS(100));
  auto by_pointer = n->create_subscription<Number>("pointers", QoS(100), [](const Number &) {});
  EXPECT_THROW(by_pointer->set_content_filter("data > 3"), Error);
  by_pointer.reset();
  SubscriptionOptions filtered;
  filtered.content_filter_options.filter_expression = "data > 3";
  subscription = n->create_subscription<Number>(
    "pointers", QoS(100), [this](const Number & m) { got.push_back(m.data); }, filtered);
  auto e = executor();
  e.add_node(n);
  expect(e, {4, 5, 6, 7, 8, 9, 10});
}

TEST_F(ContentFilters, APollingSubscriptionGetsTheMessagesThatItsFilterChooses)
{
  subscribe("", {});
  PollingOptions high;
  high.content_filter_options = {"data > %0", {"7"}};
  PollingSubscription<Number>::SharedPtr reader;
  try {
    reader = n->create_polling_subscription<Number>("numbers", QoS(100), high);
  } catch (const Error & error) {
    ASSERT_NE(std::string(error.what()).find("does not filter"), std::string::npos) << error.what();
    GTEST_SKIP() << "this middleware does not filter";
  }
  ASSERT_TRUE(publisher->wait_for_matched(2, kPatience));
  ASSERT_TRUE(reader->wait_for_matched(1, kPatience));
  publish(1, 10);
  ASSERT_TRUE(wait_until([&] { return reader->count() == 3; }));
  Number message;
  for (std::uint64_t wanted = 8; wanted <= 10; ++wanted) {
    ASSERT_TRUE(reader->take(message));
    EXPECT_EQ(message.data, wanted);
  }
  EXPECT_FALSE(reader->take(message));
  publish(11, 11);
  ASSERT_TRUE(wait_until([&] { return reader->take(message); }));
  EXPECT_EQ(reader->lost(), 0U) << "dropped messages are no losses";
}

}  // namespace
}  // namespace takt_rcl::test
