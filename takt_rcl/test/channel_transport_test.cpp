// Messages between processes through shared memory, in a running executor.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <std_msgs/msg/string.hpp>
#include <std_msgs/msg/u_int64.hpp>
#include <thread>

#include "ros_test.hpp"
#include "takt_channel/channel.hpp"

namespace takt_rcl::test
{
namespace
{

using std_msgs::msg::String;
using std_msgs::msg::UInt64;

class ChannelTransport : public RosTest
{
protected:
  void SetUp() override
  {
    if (!takt_channel::available()) {
      GTEST_SKIP() << "this build of takt has no channels";
    }
    RosTest::SetUp();
  }

  static PublisherOptions published()
  {
    PublisherOptions options;
    options.transport = Transport::shared_memory;
    return options;
  }
  static SubscriptionOptions subscribed()
  {
    SubscriptionOptions options;
    options.transport = Transport::shared_memory;
    return options;
  }
};

// The peer publishes one message for each letter that it gets, or receives.
class ChannelPeer
{
public:
  explicit ChannelPeer(const char * mode = nullptr)
  {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe");
    }
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::execl(TAKT_RCL_CHANNEL_PEER, TAKT_RCL_CHANNEL_PEER, mode, nullptr);
      std::_Exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
    char letter = 0;
    while (letter != '\n') {
      if (::read(from_, &letter, 1) != 1) {
        throw std::runtime_error("the peer has not begun");
      }
    }
  }
  ~ChannelPeer()
  {
    ::close(to_);
    if (pid_ > 0) {
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(from_);
  }
  void ask(const std::string & letters) const
  {
    (void)!::write(to_, letters.data(), letters.size());
  }
  /// Until it has published or received so many more messages.
  void await(int messages) const
  {
    char dot = 0;
    for (int i = 0; i < messages; ++i) {
      if (::read(from_, &dot, 1) != 1) {
        throw std::runtime_error("the peer has ended");
      }
    }
  }
  void kill()
  {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

private:
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

// Voluntary context switches of this process's threads.
std::map<pid_t, std::uint64_t> switches()
{
  std::map<pid_t, std::uint64_t> all;
  for (const auto & thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(thread.path() / "status");
    std::string word;
    while (status >> word) {
      if (word == "voluntary_ctxt_switches:") {
        status >> all[static_cast<pid_t>(std::stoi(thread.path().filename()))];
      }
    }
  }
  return all;
}

TEST_F(ChannelTransport, TheThreadOfTheCallbackAloneWakesForAMessageOfAnotherProcess)
{
  constexpr std::uint64_t kMessages = 2000;
  const auto receiver = node("receiver");
  std::unique_ptr<ChannelPeer> peer;
  std::atomic<std::uint64_t> received{0};
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<pid_t> thread{0};
  const auto subscription = receiver->create_subscription<UInt64>(
    "/numbers", 10,
    [&](const UInt64 & message, const MessageInfo & info) {
      const std::uint64_t expected = received.load();
      wrong += message.data != expected || info.publication_sequence_number() != expected + 1;
      thread = ::gettid();
      if (expected + 1 < kMessages) {
        peer->ask(expected % 2 == 0 ? "b" : "c");
      }
      received = expected + 1;
    },
    subscribed());
  EXPECT_TRUE(subscription->uses_shared_memory());
  auto executor = this->executor(2);  // two threads, of which one keeps sleeping
  executor.add_node(receiver);
  peer = std::make_unique<ChannelPeer>();
  EXPECT_EQ(subscription->get_publisher_count(), 1U);
  Spinning spinning(executor);
  const auto before = switches();
  peer->ask("c");
  ASSERT_TRUE(wait_until([&] { return received == kMessages; }));
  const auto after = switches();
  spinning.stop();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(subscription->taken_messages(), kMessages);
  EXPECT_EQ(subscription->lost_messages(), 0U);
  // Each message comes after the callback of the one before. The two threads of takt take turns, as
  // the kernel wakes the one that slept first; this thread, which waits, and the middleware's own
  // have nothing to do with messages.
  std::uint64_t takts = 0;
  for (const auto & [tid, count] : after) {
    const auto known = before.find(tid);
    const std::uint64_t since = known == before.end() ? count : count - known->second;
    std::string name;
    std::ifstream("/proc/self/task/" + std::to_string(tid) + "/comm") >> name;
    if (since > kMessages / 10 && tid != ::getpid()) {
      takts += since;
    }
  }
  std::printf(
    "%.3f voluntary switches for each message\n",
    static_cast<double>(takts) / static_cast<double>(kMessages));
  EXPECT_LE(takts, kMessages * 105 / 100 + 2);
}

TEST_F(ChannelTransport, AMessageThatWasPublishedOutlivesItsKilledPublisher)
{
  const auto receiver = node("receiver");
  std::atomic<std::uint64_t> received{0};
  const auto subscription = receiver->create_subscription<UInt64>(
    "/numbers", 10, [&](const UInt64 &) { ++received; }, subscribed());
  auto executor = this->executor();
  executor.add_node(receiver);
  {
    ChannelPeer peer;
    peer.ask("cbcbc");
    peer.await(5);
    peer.kill();
  }
  EXPECT_EQ(received, 0U);
  ASSERT_TRUE(spin_until(executor, [&] { return received >= 5; }));
  // A new publisher takes the place of the killed one.
  ChannelPeer again;
  again.ask("bc");
  EXPECT_TRUE(spin_until(executor, [&] { return received >= 7; }));
  again.await(2);
  executor.spin_some();
  EXPECT_EQ(received, 7U);
  EXPECT_EQ(subscription->lost_messages(), 0U);
}

// With a queue that is full, and while messages come.
TEST_F(ChannelTransport, KilledSubscriptionsHoldNeitherThePublisherNorTheNextSubscriptionUp)
{
  const auto one = node("one");
  const auto publisher = one->create_publisher<UInt64>("/numbers", 10, published());
  UInt64 message;
  for (int i = 0; i < 5; ++i) {
    ChannelPeer receiver("receive");
    ASSERT_EQ(publisher->get_subscription_count(), 1U) << i;
    ASSERT_NE(publisher->publish(message), 0U);
    receiver.await(1);
    for (int sent = 0; sent < 200; ++sent) {
      auto borrowed = publisher->borrow();
      borrowed->data = ++message.data;
      ASSERT_NE(publisher->publish(std::move(borrowed)), 0U) << i;
    }
    receiver.kill();
    EXPECT_EQ(publisher->get_subscription_count(), 0U) << i;
  }
  EXPECT_EQ(publisher->failed_publishes(), 0U);
}

TEST_F(ChannelTransport, KilledPublishersLoseNoMessageAndTheNextOneIsHeard)
{
  const auto receiver = node("receiver");
  std::atomic<std::uint64_t> received{0};
  const auto subscription = receiver->create_subscription<UInt64>(
    "/numbers", 10, [&](const UInt64 &) { ++received; }, subscribed());
  auto executor = this->executor();
  executor.add_node(receiver);
  Spinning spinning(executor);
  std::uint64_t sent = 0;
  for (int i = 0; i < 5; ++i) {
    ChannelPeer peer;
    peer.ask("cbcbc");
    peer.await(5);
    peer.ask("bbbbb");  // killed while it publishes these, or before
    peer.kill();
    sent += 5;
    ASSERT_TRUE(wait_until([&] { return received >= sent; })) << i;
    sent = received;
  }
  spinning.stop();
  EXPECT_EQ(subscription->lost_messages(), 0U);
  EXPECT_EQ(subscription->get_publisher_count(), 0U);
}

TEST_F(ChannelTransport, CountsMessagesThatTheQueueLost)
{
  const auto one = node("one");
  const auto publisher = one->create_publisher<UInt64>("/numbers", 4, published());
  std::vector<std::uint64_t> seen;
  const auto subscription = one->create_subscription<UInt64>(
    "/numbers", 4, [&](const UInt64 & message) { seen.push_back(message.data); }, subscribed());
  auto executor = this->executor();
  executor.add_node(one);
  UInt64 message;
  publisher->publish(message);
  ASSERT_TRUE(spin_until(executor, [&] { return seen.size() == 1; }));
  for (message.data = 1; message.data <= 9; ++message.data) {
    EXPECT_EQ(publisher->publish(message), message.data + 1);
  }
  ASSERT_TRUE(spin_until(executor, [&] { return seen.size() == 5; }));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 6, 7, 8, 9}));
  EXPECT_EQ(subscription->lost_messages(), 5U);
  const auto counts = subscription->callback()->message_counts();
  EXPECT_EQ(counts.overwritten, 5U);
  EXPECT_EQ(counts.arrivals, 10U);
  EXPECT_EQ(counts.waiting, 0U);
}

TEST_F(ChannelTransport, ABorrowedMessageIsReadWhereItWasWritten)
{
  const auto one = node("one");
  const auto publisher = one->create_publisher<UInt64>("/numbers", 4, published());
  const void * read = nullptr;
  std::shared_ptr<const UInt64> kept;
  const auto in_place = one->create_subscription<UInt64>(
    "/numbers", 4, [&](const UInt64 & message) { read = &message; }, subscribed());
  const auto keeps = one->create_subscription<UInt64>(
    "/numbers", 4, [&](std::shared_ptr<const UInt64> message) { kept = message; }, subscribed());
  auto executor = this->executor();
  executor.add_node(one);
  auto first = publisher->borrow();
  auto second = publisher->borrow();
  const auto third = publisher->borrow();  // allocated: two loans are all
  first->data = 7;
  second->data = 8;
  third->data = 9;
  const void * const written = first.get();
  EXPECT_NE(publisher->publish(std::move(first)), 0U);
  ASSERT_TRUE(spin_until(executor, [&] { return read != nullptr && kept != nullptr; }));
  // The reader has the same page at another address.
  EXPECT_EQ(
    reinterpret_cast<std::uintptr_t>(read) % 64, reinterpret_cast<std::uintptr_t>(written) % 64);
  const auto first_kept = kept;
  second.reset();  // unpublished
  for (std::uint64_t i = 0; i < 100; ++i) {
    auto again = publisher->borrow();
    again->data = 100 + i;
    EXPECT_NE(publisher->publish(std::move(again)), 0U);
    ASSERT_TRUE(spin_until(executor, [&] { return kept->data == 100 + i; }));
  }
  EXPECT_EQ(first_kept->data, 7U) << "a kept message is a copy";
  EXPECT_EQ(publisher->failed_publishes(), 0U);
}

TEST_F(ChannelTransport, ABorrowedMessageMayEndAfterItsPublisher)
{
  const auto one = node("one");
  auto publisher = one->create_publisher<UInt64>("/numbers", 4, published());
  std::atomic<std::uint64_t> last{0};
  const auto subscription = one->create_subscription<UInt64>(
    "/numbers", 4, [&](const UInt64 & message) { last = message.data; }, subscribed());
  auto executor = this->executor();
  executor.add_node(one);
  auto first = publisher->borrow();
  auto second = publisher->borrow();
  publisher.reset();
  first->data = 7;  // the memory is still there
  first.reset();
  second->data = 8;
  // Another publisher copies a message that is none of its own.
  publisher = one->create_publisher<UInt64>("/numbers", 4, published());
  EXPECT_NE(publisher->publish(std::move(second)), 0U);
  EXPECT_TRUE(spin_until(executor, [&] { return last == 8; }));
  EXPECT_EQ(subscription->get_publisher_count(), 1U);
  publisher.reset();
  EXPECT_EQ(subscription->get_publisher_count(), 0U);
}

TEST_F(ChannelTransport, APollingSubscriptionTakesFromTheChannel)
{
  const auto one = node("one");
  PollingOptions polled;
  polled.transport = Transport::shared_memory;
  const auto reader = one->create_polling_subscription<UInt64>("/numbers", 4, polled);
  EXPECT_TRUE(reader->uses_shared_memory());
  const auto publisher = one->create_publisher<UInt64>("/numbers", 4, published());
  EXPECT_EQ(reader->get_publisher_count(), 1U);
  UInt64 message;
  MessageInfo info;
  EXPECT_FALSE(reader->take(message));
  const auto publish = [&](std::uint64_t from, std::uint64_t to) {
    for (message.data = from; message.data <= to; ++message.data) {
      publisher->publish(message);
    }
  };
  publish(1, 3);
  EXPECT_EQ(reader->count(), 3U);
  ASSERT_TRUE(reader->take(message, info));
  EXPECT_EQ(message.data, 1U);
  EXPECT_EQ(info.publisher_gid(), publisher->gid());
  EXPECT_EQ(info.publication_sequence_number(), 1U);
  EXPECT_EQ(reader->count(), 2U);
  std::vector<UInt64> both(5);
  ASSERT_EQ(reader->take_sequence(both), 2U);
  EXPECT_EQ(both[1].data, 3U);
  publish(4, 10);  // the queue keeps four
  EXPECT_EQ(reader->count(), 4U);
  ASSERT_NE(reader->latest(), nullptr);
  EXPECT_EQ(reader->latest()->data, 10U);
  EXPECT_EQ(reader->lost(), 3U);
  EXPECT_EQ(reader->taken_messages(), 7U);
  EXPECT_EQ(reader->count(), 0U);
}

TEST_F(ChannelTransport, TheMiddlewareGetsACopyForItsOwnSubscriptions)
{
  const auto one = node("one");
  auto options = published();
  const auto publisher = one->create_publisher<UInt64>("/numbers", 10, options);
  std::vector<std::uint64_t> by_channel;
  std::vector<std::uint64_t> by_middleware;
  const auto channel = one->create_subscription<UInt64>(
    "/numbers", 10, [&](const UInt64 & message) { by_channel.push_back(message.data); },
    subscribed());
  auto executor = this->executor();
  executor.add_node(one);
  UInt64 message;
  publisher->publish(message);
  {
    const auto tool = node("tool");
    const auto seen = tool->create_subscription<UInt64>(
      "/numbers", 10, [&](const UInt64 & got) { by_middleware.push_back(got.data); });
    executor.add_node(tool);
    ASSERT_TRUE(publisher->wait_for_matched(2, kPatience));
    ASSERT_TRUE(seen->wait_for_matched(1, kPatience));
    message.data = 1;
    publisher->publish(message);
    auto borrowed = publisher->borrow();
    borrowed->data = 2;
    publisher->publish(std::move(borrowed));
    ASSERT_TRUE(
      spin_until(executor, [&] { return by_channel.size() == 3 && by_middleware.size() == 2; }));
    executor.remove_node(tool);
  }
  // With its last subscription gone the middleware gets nothing more, and the channel everything.
  ASSERT_TRUE(wait_until([&] { return publisher->get_subscription_count() == 1; }));
  message.data = 3;
  publisher->publish(message);
  ASSERT_TRUE(spin_until(executor, [&] { return by_channel.size() == 4; }));
  EXPECT_EQ(by_channel, (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(by_middleware, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(one->count_publishers("/numbers"), 1U) << "tools see the topic";
}

// A subscription of the middleware that is found by events alone: nobody asks the publisher for its
// count.
TEST_F(ChannelTransport, ASubscriptionOfTheMiddlewareThatComesLateGetsCopies)
{
  const auto one = node("one");
  bool matched = false;
  for (const bool has_callback : {false, true}) {
    auto options = published();
    if (has_callback) {
      options.event_callbacks.matched_callback = [&](MatchedInfo & info) {
        matched = info.current_count == 1;
      };
    }
    const std::string topic = has_callback ? "/watched" : "/numbers";
    const auto publisher = one->create_publisher<UInt64>(topic, 10, options);
    UInt64 message;
    publisher->publish(message);
    const auto tool = node("tool" + std::to_string(has_callback));
    std::uint64_t last = 0;
    const auto seen =
      tool->create_subscription<UInt64>(topic, 10, [&](const UInt64 & got) { last = got.data; });
    auto executor = this->executor();
    executor.add_node(one);
    executor.add_node(tool);
    ASSERT_TRUE(seen->wait_for_matched(1, kPatience));
    ASSERT_TRUE(spin_until(executor, [&] {
      ++message.data;
      publisher->publish(message);
      return last > 0;
    }));
    executor.remove_node(one);
    executor.remove_node(tool);
  }
  EXPECT_TRUE(matched);
}

TEST_F(ChannelTransport, TypesWithPointersStayWithTheMiddleware)
{
  const auto one = node("one");
  const auto publisher = one->create_publisher<String>("/words", 10, published());
  std::string seen;
  const auto subscription = one->create_subscription<String>(
    "/words", 10, [&](const String & message) { seen = message.data; }, subscribed());
  EXPECT_FALSE(publisher->uses_shared_memory());
  EXPECT_FALSE(subscription->uses_shared_memory());
  auto executor = this->executor();
  executor.add_node(one);
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  String message;
  message.data = "as before";
  publisher->publish(message);
  EXPECT_TRUE(spin_until(executor, [&] { return seen == "as before"; }));
}

template <typename Function>
std::string error_of(const Function & function)
{
  try {
    function();
  } catch (const Error & error) {
    return error.what();
  }
  return "none";
}

TEST_F(ChannelTransport, RefusesAQualityOfServiceThatNoChannelHas)
{
  const auto one = node("one");
  EXPECT_NE(
    error_of(
      [&] { one->create_publisher<UInt64>("/numbers", QoS(1).transient_local(), published()); })
      .find(
        "'/numbers': transport shared_memory is for a history of KEEP_LAST, durability volatile"),
    std::string::npos);
  EXPECT_NE(
    error_of([&] {
      one->create_subscription<UInt64>(
        "/numbers", QoS(KeepAll()), [](const UInt64 &) {}, subscribed());
    }).find("durability volatile"),
    std::string::npos);
  auto watched = subscribed();
  watched.event_callbacks.matched_callback = [](auto &) {};
  EXPECT_NE(
    error_of([&] {
      one->create_subscription<UInt64>(
        "/numbers", 1, [](const UInt64 &) {}, watched);
    }).find("a subscription has no event callbacks"),
    std::string::npos);
}

TEST_F(ChannelTransport, TheStartOrderOfDifferentDepthsRefusesNobody)
{
  auto n = node("n");
  const auto shallow = n->create_publisher<UInt64>("/numbers", 1, published());
  std::vector<std::uint64_t> seen;
  const auto deep = n->create_subscription<UInt64>(
    "/numbers", 10, [&](const UInt64 & message) { seen.push_back(message.data); }, subscribed());
  PollingOptions polled;
  polled.transport = Transport::shared_memory;
  const auto polling = n->create_polling_subscription<UInt64>("/numbers", 10, polled);
  EXPECT_EQ(deep->get_actual_qos().depth(), 1U);
  EXPECT_EQ(polling->get_actual_qos().depth(), 1U);
  auto e = executor();
  e.add_node(n);
  UInt64 message;
  for (message.data = 1; message.data <= 3; ++message.data) {
    shallow->publish(message);
  }
  ASSERT_TRUE(spin_until(e, [&] { return !seen.empty(); }));
  EXPECT_EQ(seen, std::vector<std::uint64_t>{3});
  EXPECT_TRUE(polling->take(message));
  EXPECT_EQ(message.data, 3U);
  const auto later = n->create_publisher<UInt64>("/numbers", 10, published());
  EXPECT_NE(later->publish(message), 0U);
}

TEST_F(ChannelTransport, AMessageThatCameDuringARunHasActivationsOfItsOwn)
{
  auto n = node("n");
  const auto publisher = n->create_publisher<UInt64>("/numbers", 10, published());
  std::vector<takt_core::Activation> begun;
  const auto subscription = n->create_subscription<UInt64>(
    "/numbers", 10,
    [&](const UInt64 & message) {
      const takt_core::ActivationSet * const own = takt_core::current_activations();
      ASSERT_TRUE(own != nullptr && own->size() == 1);
      begun.push_back(*own->begin());
      if (message.data < 3) {
        // Another thread publishes, which works for no activation.
        std::thread([&] {
          UInt64 next;
          next.data = message.data + 1;
          publisher->publish(next);
        }).join();
      }
    },
    subscribed());
  auto e = executor();
  e.add_node(n);
  publisher->publish(UInt64());
  ASSERT_TRUE(spin_until(e, [&] { return begun.size() == 4; }));
  for (std::size_t i = 1; i < begun.size(); ++i) {
    EXPECT_FALSE(begun[i] == begun[i - 1]) << i;
  }
}

TEST_F(ChannelTransport, APollingSubscriptionCountsNoMessageThatItCannotGet)
{
  auto n = node("n");
  PollingOptions polled;
  polled.transport = Transport::shared_memory;
  const auto inputs = n->create_polling_subscription<UInt64>("/numbers", 10, polled);
  UInt64 message;
  UInt64 got;
  std::shared_ptr<Publisher<UInt64>> publisher;
  const auto publish = [&] {
    ++message.data;
    publisher->publish(message);
  };
  for (int round = 0; round < 3; ++round) {
    publisher = n->create_publisher<UInt64>("/numbers", 10, published());
    for (int i = 0; i < 10; ++i) {
      publish();
      ASSERT_TRUE(inputs->take(got));
      EXPECT_EQ(got.data, message.data);
    }
    publisher.reset();
  }
  // Publishers took the place of others, and no count was asked for.
  publisher = n->create_publisher<UInt64>("/numbers", 10, published());
  publish();
  EXPECT_EQ(inputs->count(), 1u);
  publish();
  EXPECT_EQ(inputs->count(), 2u);
  publisher.reset();  // its messages may end with it
  while (inputs->take(got)) {
  }
  EXPECT_EQ(inputs->count(), 0u);
}

TEST_F(ChannelTransport, TheLatestMessageIsTheNewestOfAllPublishers)
{
  auto n = node("n");
  PollingOptions polled;
  polled.transport = Transport::shared_memory;
  const auto inputs = n->create_polling_subscription<UInt64>("/numbers", 10, polled);
  const std::array both{
    n->create_publisher<UInt64>("/numbers", 10, published()),
    n->create_publisher<UInt64>("/numbers", 10, published())};
  UInt64 message;
  for (const std::size_t last : {0, 1}) {
    for (const std::size_t one : {last, 1 - last, last}) {
      ++message.data;
      both[one]->publish(message);
    }
    const UInt64 * const newest = inputs->latest();
    ASSERT_NE(newest, nullptr);
    EXPECT_EQ(newest->data, message.data);
  }
}

TEST_F(ChannelTransport, RefusesAContentFilter)
{
  auto n = node("n");
  auto subscription = n->create_subscription<UInt64>(
    "/filtered", 10, [](const UInt64 &) {}, subscribed());
  EXPECT_TRUE(subscription->uses_shared_memory());
  EXPECT_FALSE(subscription->is_content_filter_enabled());
  EXPECT_THROW(subscription->set_content_filter("data > 3"), Error);
  subscription->set_content_filter("");
}

TEST_F(ChannelTransport, AnExecutorTakesItsSubscriptionOver)
{
  const auto one = node("one");
  const auto publisher = one->create_publisher<UInt64>("/numbers", 10, published());
  std::vector<std::uint64_t> seen;
  const auto subscription = one->create_subscription<UInt64>(
    "/numbers", 10, [&](const UInt64 & message) { seen.push_back(message.data); }, subscribed());
  UInt64 message;
  const auto publish = [&] {
    publisher->publish(message);
    ++message.data;
  };
  publish();
  {
    auto first = executor();
    first.add_node(one);
    publish();
    ASSERT_TRUE(spin_until(first, [&] { return seen.size() == 2; }));
    publish();
    first.remove_node(one);
  }
  publish();
  auto second = executor();
  second.add_node(one);
  publish();
  EXPECT_TRUE(spin_until(second, [&] { return seen.size() == 5; }));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

// Also where takt is built without channels.
TEST_F(RosTest, WithoutChannelsTheTransportIsRefusedInOneSentence)
{
  if (takt_channel::available()) {
    GTEST_SKIP() << "this build of takt has channels";
  }
  const auto one = node("one");
  PublisherOptions options;
  options.transport = Transport::shared_memory;
  EXPECT_NE(
    error_of([&] {
      one->create_publisher<UInt64>("/numbers", 10, options);
    }).find("this build of takt has no channels in shared memory"),
    std::string::npos);
}

}  // namespace
}  // namespace takt_rcl::test
