// Serialised messages, and publishers and subscriptions of types known by name.
#include <diagnostic_msgs/srv/add_diagnostics.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"
#include "takt_rcl/error.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rcl::test
{
namespace
{

using Number = std_msgs::msg::UInt64;
using Text = std_msgs::msg::String;
constexpr const char * kText = "std_msgs/msg/String";

SerializedMessage bytes_of(const std::string & content)
{
  Text text;
  text.data = content;
  SerializedMessage result;
  EXPECT_TRUE(Serialization<Text>().serialize_message(&text, &result));
  return result;
}

std::string text_of(const SerializedMessage & bytes)
{
  Text text;
  EXPECT_TRUE(Serialization<Text>().deserialize_message(&bytes, &text));
  return text.data;
}

void fail_with(const std::string & words, const std::function<void()> & call)
{
  try {
    call();
    ADD_FAILURE() << "nothing was thrown instead of: " << words;
  } catch (const Error & error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

class Generic : public RosTest
{
};

TEST_F(Generic, MessagesBecomeBytesAndBack)
{
  const SerializedMessage bytes = bytes_of("hello");
  EXPECT_EQ(text_of(bytes), "hello");
  SerializedMessage copy(bytes);
  EXPECT_TRUE(std::ranges::equal(copy.bytes(), bytes.bytes()));
  copy = bytes_of(std::string(10000, 'x'));
  EXPECT_EQ(text_of(copy).size(), 10000u);
  copy.assign(bytes.bytes());
  EXPECT_EQ(text_of(copy), "hello");
  EXPECT_GT(copy.capacity(), 10000u);
}

TEST_F(Generic, ALimitedBufferRefusesLargerMessagesAndStaysUsable)
{
  SerializedMessage small(64);
  small.limit(64);
  Text text;
  text.data = std::string(1000, 'x');
  EXPECT_FALSE(Serialization<Text>().serialize_message(&text, &small));
  EXPECT_EQ(small.size(), 0u);
  text.data = "fits";
  EXPECT_TRUE(Serialization<Text>().serialize_message(&text, &small));
  EXPECT_EQ(text_of(small), "fits");
  EXPECT_THROW(small.assign(std::vector<std::uint8_t>(65)), std::bad_alloc);
}

TEST_F(Generic, WrongBytesAreRefused)
{
  SerializedMessage wrong;
  wrong.assign(std::vector<std::uint8_t>{0, 1, 0, 0, 255, 255, 255, 255});
  Text text;
  EXPECT_FALSE(Serialization<Text>().deserialize_message(&wrong, &text));
}

TEST_F(Generic, EverySignatureGetsTheBytesOfATypedPublisher)
{
  auto n = node("n");
  std::vector<std::string> got;
  std::shared_ptr<const SerializedMessage> kept;
  auto reads = n->create_generic_subscription(
    "a", kText, QoS(10), [&](const SerializedMessage & m, const MessageInfo & info) {
      EXPECT_FALSE(info.from_intra_process());
      got.push_back("reads " + text_of(m));
    });
  auto shares = n->create_generic_subscription(
    "a", "std_msgs/String", QoS(10), [&](std::shared_ptr<const SerializedMessage> m) {
      if (kept == nullptr) {
        kept = m;
      }
      got.push_back("shares " + text_of(*m));
    });
  auto owns = n->create_generic_subscription(
    "a", kText, QoS(10),
    [&](UniqueMessage<SerializedMessage> m) { got.push_back("owns " + text_of(*m)); });
  auto typed = n->create_subscription<Text>(
    "a", QoS(10), [&](const SerializedMessage & m) { got.push_back("typed " + text_of(m)); });
  EXPECT_EQ(reads->id(), "/n:sub(/a)");
  auto publisher = n->create_publisher<Text>("a", QoS(10));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(publisher->wait_for_matched(4, kPatience));
  Text text;
  for (const char * const word : {"one", "two"}) {
    text.data = word;
    ASSERT_NE(publisher->publish(text), 0u);
  }
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 8; }));
  for (const char * const who : {"reads", "shares", "owns", "typed"}) {
    std::vector<std::string> own;
    std::ranges::copy_if(
      got, std::back_inserter(own), [&](const std::string & one) { return one.starts_with(who); });
    EXPECT_EQ(
      own, (std::vector<std::string>{who + std::string(" one"), who + std::string(" two")}));
  }
  EXPECT_EQ(text_of(*kept), "one");  // a later message does not change a kept one
  EXPECT_EQ(shares->taken_messages(), 2u);
  EXPECT_EQ(shares->allocated_messages() + owns->allocated_messages(), 0u);
}

TEST_F(Generic, AGenericPublisherReachesTypedSubscriptionsAlsoOfNodesWithMessagesByPointer)
{
  auto n = std::make_shared<Node>("n", options().use_intra_process_comms(true));
  std::vector<std::string> got;
  auto subscription = n->create_subscription<Text>(
    "a", QoS(10), [&](const Text & text) { got.push_back(text.data); });
  auto generic = n->create_generic_publisher("a", kText, QoS(10));
  auto typed = n->create_publisher<Text>("a", QoS(10));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(generic->wait_for_matched(1, kPatience));
  ASSERT_TRUE(typed->wait_for_matched(1, kPatience));
  EXPECT_EQ(generic->publish(bytes_of("generic")), 1u);
  EXPECT_EQ(generic->publish(bytes_of("again")), 2u);
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 2; }));
  EXPECT_EQ(typed->publish(bytes_of("typed")), 1u);
  EXPECT_EQ(typed->publish(bytes_of("by pointer")), 2u);
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 4; }));
  e.spin_some();
  EXPECT_EQ(got, (std::vector<std::string>{"generic", "again", "typed", "by pointer"}));
  SerializedMessage wrong;
  wrong.assign(std::vector<std::uint8_t>{0, 1, 0, 0, 255, 255, 255, 255});
  EXPECT_EQ(typed->publish(wrong), 0u);
  EXPECT_EQ(typed->failed_publishes(), 1u);
}

TEST_F(Generic, ASerialisedSubscriptionOfANodeWithMessagesByPointerMissesNone)
{
  auto n = std::make_shared<Node>("n", options().use_intra_process_comms(true));
  std::size_t bytes = 0;
  std::size_t typed = 0;
  auto raw =
    n->create_subscription<Number>("a", QoS(10), [&](const SerializedMessage &) { ++bytes; });
  auto plain = n->create_subscription<Number>("a", QoS(10), [&](const Number &) { ++typed; });
  auto publisher = n->create_publisher<Number>("a", QoS(10));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(publisher->wait_for_matched(2, kPatience));
  for (std::size_t i = 1; i <= 5; ++i) {
    publisher->publish(Number());
    ASSERT_TRUE(spin_until(e, [&] { return bytes == i && typed == i; }));
  }
  e.spin_some();
  EXPECT_EQ(bytes, 5u);
  EXPECT_EQ(typed, 5u);
}

TEST_F(Generic, ALargerMessageEnlargesItsBufferOnce)
{
  auto n = node("n");
  std::size_t got = 0;
  SubscriptionOptions small;
  small.serialized_buffers.capacity = 64;
  auto subscription = n->create_generic_subscription(
    "a", kText, QoS(10), [&](const SerializedMessage & m) { got += text_of(m).size(); }, small);
  auto publisher = n->create_generic_publisher("a", kText, QoS(10));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  for (const std::size_t size : {10u, 1000u, 900u, 1000u}) {
    const std::size_t before = got;
    publisher->publish(bytes_of(std::string(size, 'x')));
    ASSERT_TRUE(spin_until(e, [&] { return got == before + size; }));
  }
  EXPECT_EQ(subscription->allocated_messages(), 1u);
  EXPECT_EQ(subscription->oversized_messages() + subscription->failed_takes(), 0u);
}

TEST_F(Generic, ALargerMessageIsDroppedWhereTheOptionsSaySo)
{
  auto n = node("n");
  std::vector<std::size_t> got;
  SubscriptionOptions small;
  small.serialized_buffers = {64, SerializedBuffers::Larger::drop};
  auto subscription = n->create_generic_subscription(
    "a", kText, QoS(10), [&](const SerializedMessage & m) { got.push_back(text_of(m).size()); },
    small);
  auto publisher = n->create_generic_publisher("a", kText, QoS(10));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  for (const std::size_t size : {10u, 1000u, 20u, 2000u, 30u}) {
    publisher->publish(bytes_of(std::string(size, 'x')));
  }
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 3; }));
  EXPECT_EQ(got, (std::vector<std::size_t>{10, 20, 30}));
  EXPECT_EQ(subscription->oversized_messages(), 2u);
  EXPECT_EQ(subscription->failed_takes() + subscription->allocated_messages(), 0u);
  EXPECT_EQ(subscription->taken_messages(), 3u);
  if (Context::publication_sequence_supported()) {
    EXPECT_EQ(subscription->lost_messages(), 2u);
  }
}

// As logical_time_test.cpp for typed messages: nothing of a group with `let` comes out before the
// end of the period.
TEST_F(Generic, BytesOfAGroupWithLogicalTimeComeOutAtTheEndOfThePeriod)
{
  const auto schedule = takt_schedule::parse_schedule(
    "version: 1\nexecutors:\n  main:\n    threads: {t: {count: 2}}\n    default: t\n    groups:\n"
    "      - {match: \"/n:group(default)\", let: true}\n",
    "schedule.yaml");
  ASSERT_TRUE(schedule);
  Executor e = Executor::from_schedule(context, schedule.value(), "main");
  auto n = node("n");
  auto other = node("other");
  auto generic = n->create_generic_publisher("numbers", "std_msgs/msg/UInt64", QoS(100));
  auto typed = n->create_publisher<Number>("numbers", QoS(100));
  auto timer = n->create_wall_timer(20ms, [&](Timer &, const TimerInfo & info) {
    Number release;
    release.data = static_cast<std::uint64_t>(info.expected_call_time.nanoseconds());
    SerializedMessage bytes;
    ASSERT_TRUE(Serialization<Number>().serialize_message(&release, &bytes));
    EXPECT_EQ(generic->publish(bytes), GenericPublisher::kHeld);
    EXPECT_EQ(typed->publish(bytes), Publisher<Number>::kHeld);
  });
  std::size_t got = 0;
  auto reader = other->create_subscription<Number>("numbers", QoS(100), [&](const Number & m) {
    EXPECT_GE(static_cast<std::uint64_t>(takt_rt::to_ns(takt_rt::now())), m.data + 20'000'000);
    if (++got == 10) {
      e.cancel();
    }
  });
  e.add_node(n);
  e.add_node(other);
  ASSERT_TRUE(generic->wait_for_matched(1, kPatience));
  ASSERT_TRUE(typed->wait_for_matched(1, kPatience));
  e.spin();
  EXPECT_GE(got, 10u);
}

TEST_F(Generic, WithoutAPackagePathATypeIsAnErrorThatNamesIt)
{
  const char * const path = std::getenv("AMENT_PREFIX_PATH");
  ASSERT_NE(path, nullptr);
  const std::string before = path;
  auto n = node("n");
  ASSERT_EQ(unsetenv("AMENT_PREFIX_PATH"), 0);
  fail_with("message type 'no_such_msgs/msg/String'", [&] {
    n->create_generic_publisher("a", "no_such_msgs/msg/String", QoS(1));
  });
  ASSERT_EQ(setenv("AMENT_PREFIX_PATH", before.c_str(), 1), 0);
}

TEST_F(Generic, UnknownTypesAreErrorsThatNameThem)
{
  auto n = node("n");
  const auto publish = [&](const char * type) { n->create_generic_publisher("a", type, QoS(1)); };
  fail_with("'String' is not the name of a message type", [&] { publish("String"); });
  fail_with("is not the name of a message type", [&] { publish("std_msgs/msg/../String"); });
  fail_with("no package 'no_such_msgs'", [&] { publish("no_such_msgs/msg/String"); });
  fail_with("package 'std_msgs' has no message type 'std_msgs/msg/NoSuch'", [&] {
    publish("std_msgs/msg/NoSuch");
  });
  fail_with("package 'std_msgs' has no message type", [&] {
    n->create_generic_subscription(
      "a", "std_msgs/srv/String", QoS(1), [](const SerializedMessage &) {});
  });
}

using Diagnostics = diagnostic_msgs::srv::AddDiagnostics;
constexpr const char * kDiagnostics = "diagnostic_msgs/srv/AddDiagnostics";

template <typename Msg>
SerializedMessage bytes_of_message(const Msg & message)
{
  SerializedMessage result;
  EXPECT_TRUE(Serialization<Msg>().serialize_message(&message, &result));
  return result;
}
template <typename Msg>
Msg message_of(const SerializedMessage & bytes)
{
  Msg message;
  EXPECT_TRUE(Serialization<Msg>().deserialize_message(&bytes, &message));
  return message;
}
Diagnostics::Request question(const std::string & text)
{
  Diagnostics::Request request;
  request.load_namespace = text;
  return request;
}

TEST_F(Generic, AServiceAndAClientOfTypesByNameAndOfKnownTypesUnderstandEachOther)
{
  auto n = node("n");
  auto by_name = n->create_generic_service(
    "by_name", kDiagnostics, [](const SerializedMessage & request, SerializedMessage & response) {
      const auto asked = message_of<Diagnostics::Request>(request);
      if (asked.load_namespace != "nothing") {
        Diagnostics::Response answer;
        answer.success = true;
        answer.message = "heard " + asked.load_namespace;
        response = bytes_of_message(answer);
      }
    });
  auto known = n->create_service<Diagnostics>(
    "known", [](const Diagnostics::Request & request, Diagnostics::Response & response) {
      response.message = "known " + request.load_namespace;
    });
  EXPECT_EQ(by_name->id(), "/n:service(/by_name)");
  auto to_by_name = n->create_client<Diagnostics>("by_name");
  auto to_known = n->create_generic_client("known", "diagnostic_msgs/AddDiagnostics");
  auto e = executor();
  e.add_node(n);
  EXPECT_TRUE(to_by_name->wait_for_service(kPatience));
  EXPECT_TRUE(to_known->wait_for_service(kPatience));
  std::vector<std::string> answers;
  for (const char * text : {"hello", "nothing"}) {
    to_by_name->async_send_request(question(text), [&](const Diagnostics::Response & answer) {
      answers.push_back(answer.message + (answer.success ? "!" : "."));
    });
  }
  const std::int64_t number = to_known->async_send_request(
    bytes_of_message(question("hello")), [&](const SerializedMessage & bytes, std::int64_t of) {
      answers.push_back(
        message_of<Diagnostics::Response>(bytes).message + " " + std::to_string(of));
    });
  auto future = to_known->async_send_request(bytes_of_message(question("future")));
  ASSERT_TRUE(future.valid());
  EXPECT_TRUE(spin_until(e, [&] { return answers.size() == 3 && future.ready(); }));
  EXPECT_EQ(std::ranges::count(answers, "heard hello!"), 1);
  EXPECT_EQ(std::ranges::count(answers, "."), 1) << "the response has default values";
  EXPECT_EQ(std::ranges::count(answers, "known hello " + std::to_string(number)), 1);
  EXPECT_EQ(message_of<Diagnostics::Response>(*future.get()).message, "known future");
  EXPECT_EQ(to_known->taken_responses(), 2u);
  EXPECT_EQ(to_known->pending_requests(), 0u);
}

TEST_F(Generic, ServicesAndClientsSayWhatDoesNotFit)
{
  auto n = node("n");
  const auto silent = [](const SerializedMessage &, SerializedMessage &) {};
  fail_with("is not the name of a service type; write it as 'std_srvs/srv/SetBool'", [&] {
    n->create_generic_client("s", "SetBool");
  });
  fail_with("package 'diagnostic_msgs' has no service type 'diagnostic_msgs/srv/None'", [&] {
    n->create_generic_service("s", "diagnostic_msgs/srv/None", silent);
  });
  fail_with("no package 'never_msgs' for the service type", [&] {
    n->create_generic_client("s", "never_msgs/srv/None");
  });
  fail_with("needs a function", [&] { n->create_generic_service("s", kDiagnostics, nullptr); });
  SerializedMessage wrong;
  wrong.assign(std::vector<std::uint8_t>{0, 1, 0, 0, 255, 255, 255, 255});
  auto client = n->create_generic_client("s", kDiagnostics);
  fail_with(
    "a request of 8 bytes is no message of type 'diagnostic_msgs/srv/AddDiagnostics_Request'",
    [&] { client->async_send_request(wrong); });
  auto service = n->create_generic_service(
    "s", kDiagnostics,
    [&](const SerializedMessage &, SerializedMessage & response) { response = wrong; });
  auto e = executor();
  e.add_node(n);
  EXPECT_TRUE(client->wait_for_service(kPatience));
  client->async_send_request(bytes_of_message(question("x")), [](const SerializedMessage &) {});
  fail_with("wrote 8 bytes, which are no message of type", [&] {
    spin_until(e, [&] { return service->sent_responses() > 0; });
  });
}

}  // namespace
}  // namespace takt_rcl::test
