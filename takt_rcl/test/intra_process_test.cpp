// Messages by pointer: who gets which object, what the middleware gets, and that both ways together
// behave as one.
//
// The program counts rcl_publish.
#include <dlfcn.h>
#include <rcl/publisher.h>

#include <atomic>
#include <set>
#include <std_msgs/msg/string.hpp>
#include <std_msgs/msg/u_int64.hpp>
#include <thread>

#include "ros_test.hpp"

namespace
{
std::atomic<int> g_published{0};  // through the middleware
std::atomic<int> g_counted{0};    // questions to the middleware for a publisher's subscriptions
}  // namespace

extern "C" rcl_ret_t rcl_publisher_get_subscription_count(
  const rcl_publisher_t * publisher, std::size_t * count)
{
  static const auto real = reinterpret_cast<decltype(&rcl_publisher_get_subscription_count)>(
    ::dlsym(RTLD_NEXT, "rcl_publisher_get_subscription_count"));
  g_counted.fetch_add(1);
  return real(publisher, count);
}

extern "C" rcl_ret_t rcl_publish(
  const rcl_publisher_t * publisher, const void * message, rmw_publisher_allocation_t * allocation)
{
  static const auto real =
    reinterpret_cast<decltype(&rcl_publish)>(::dlsym(RTLD_NEXT, "rcl_publish"));
  g_published.fetch_add(1);
  return real(publisher, message, allocation);
}

namespace takt_rcl::test
{

using Number = std_msgs::msg::UInt64;
using String = std_msgs::msg::String;
using Values = std::vector<std::uint64_t>;

Number number(std::uint64_t value)
{
  Number message;
  message.data = value;
  return message;
}

class ByPointer : public RosTest
{
protected:
  void SetUp() override
  {
    RosTest::SetUp();
    if (!Context::publication_sequence_supported()) {
      GTEST_SKIP() << "this middleware has no publication sequence numbers";
    }
    NodeOptions within = options();
    within.use_intra_process_comms(true);
    n = std::make_shared<Node>("n", within);
    outside = node("outside");
    e = std::make_unique<Executor>(executor());
    e->add_node(n);
  }
  void TearDown() override
  {
    e.reset();
    outside.reset();
    n.reset();
  }

  /// Callbacks run until none is ready.
  void spin()
  {
    for (int idle = 0; idle < 4;) {
      bool ran = false;
      e->core().spin_once(takt_rt::Duration::zero(), &ran);
      idle = ran ? 0 : idle + 1;
    }
  }
  /// The middleware knows all pairs from here on.
  template <typename Msg>
  void warm_up(Publisher<Msg> & publisher, std::size_t matched)
  {
    ASSERT_TRUE(publisher.wait_for_matched(matched, kPatience));
    publisher.publish(Msg());
    spin();
    g_published = 0;
  }

  std::shared_ptr<Node> n;
  std::shared_ptr<Node> outside;
  std::unique_ptr<Executor> e;
};

TEST_F(ByPointer, ReadersSeeTheMessageInPlace)
{
  auto pub = n->create_publisher<String>("s", QoS(5));
  std::vector<const void *> got;
  auto in_place =
    n->create_subscription<String>("s", QoS(5), [&](const String & m) { got.push_back(&m); });
  auto shares = n->create_subscription<String>(
    "s", QoS(5), [&](String::ConstSharedPtr m) { got.push_back(m.get()); });
  warm_up(*pub, 2);
  got.clear();
  auto allocated = std::make_unique<String>();
  const void * const first = allocated.get();
  pub->publish(std::move(allocated));
  auto borrowed = pub->borrow();
  const void * const second = borrowed.get();
  pub->publish(std::move(borrowed));
  spin();
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(
    (std::multiset<const void *>{got.begin(), got.end()}),
    (std::multiset<const void *>{first, first, second, second}));
  EXPECT_EQ(g_published, 0);
  EXPECT_EQ(pub->allocated_messages(), 0u);
}

TEST_F(ByPointer, ASingleOwnerGetsTheMessageItself)
{
  auto a = n->create_publisher<String>("a", QoS(5));
  auto b = n->create_publisher<String>("b", QoS(5));
  auto c = n->create_publisher<String>("c", QoS(5));
  std::vector<const void *> got;
  auto allocated = n->create_subscription<String>(
    "a", QoS(5), [&](String::UniquePtr m) { got.push_back(m.get()); });
  auto pooled = n->create_subscription<String>(
    "b", QoS(5), [&](UniqueMessage<String> m) { got.push_back(m.get()); });
  auto shared = n->create_subscription<String>(
    "c", QoS(5), [&](const String::SharedPtr & m) { got.push_back(m.get()); });
  for (auto * const pub : {a.get(), b.get(), c.get()}) {
    warm_up(*pub, 1);
    got.clear();
    auto message = std::make_unique<String>();
    const void * const address = message.get();
    pub->publish(std::move(message));
    spin();
    EXPECT_EQ(got, std::vector<const void *>{address});
  }
  for (auto * const pub : {b.get(), c.get()}) {
    got.clear();
    auto message = pub->borrow();
    const void * const address = message.get();
    pub->publish(std::move(message));
    spin();
    EXPECT_EQ(got, std::vector<const void *>{address});
  }
  EXPECT_EQ(g_published, 0);
  EXPECT_EQ(pooled->allocated_messages() + shared->allocated_messages(), 0u);
}

/// A pointer that was moved from still knows its place in the pool.
TEST_F(ByPointer, ANullPointerIsAFailedPublish)
{
  for (auto & home : {n, outside}) {
    auto pub = home->create_publisher<Number>("numbers", QoS(5));
    Values got;
    const auto note = [&](std::uint64_t value) { got.push_back(value); };
    auto reads =
      home->create_subscription<Number>("numbers", QoS(5), [&](const Number & m) { note(m.data); });
    const auto publish_twice = [&](auto message) {
      message->data = 7;
      EXPECT_NE(pub->publish(std::move(message)), 0u);
      EXPECT_EQ(pub->publish(std::move(message)), 0u);  // NOLINT: null on purpose
    };
    if (home == outside) {
      e->add_node(outside);
    }
    warm_up(*pub, 1);
    got.clear();
    publish_twice(pub->borrow());
    publish_twice(std::make_unique<Number>());
    spin();
    EXPECT_EQ(got, (Values{7, 7}));
    EXPECT_EQ(pub->failed_publishes(), 2u);
    reads.reset();
    ASSERT_TRUE(wait_until([&] { return pub->get_subscription_count() == 0; }));
    auto owns = home->create_subscription<Number>(
      "numbers", QoS(5), [&](UniqueMessage<Number> m) { note(m->data); });
    warm_up(*pub, 1);
    got.clear();
    publish_twice(pub->borrow());
    publish_twice(std::make_unique<Number>());
    spin();
    EXPECT_EQ(got, (Values{7, 7}));
    EXPECT_EQ(pub->failed_publishes(), 4u);
  }
}

TEST_F(ByPointer, APoolDoesNotGrowWithSubscriptionsThatComeAndGo)
{
  auto pub = n->create_publisher<Number>("numbers", QoS(5));
  const auto subscribe = [&] {
    return n->create_subscription<Number>("numbers", QoS(5), [](const Number &) {});
  };
  // The number of messages that the pool has.
  const auto room = [&] {
    std::vector<UniqueMessage<Number>> held;
    for (const std::uint64_t before = pub->allocated_messages();
         pub->allocated_messages() == before;) {
      held.push_back(pub->borrow());
    }
    return held.size() - 1;
  };
  const std::size_t none = room();
  subscribe();
  const std::size_t one = room();
  EXPECT_GT(one, none);
  for (int i = 0; i < 100; ++i) {
    subscribe();
  }
  EXPECT_EQ(room(), one);
  const auto first = subscribe();
  const auto second = subscribe();
  EXPECT_EQ(room() - none, 2 * (one - none));
}

TEST_F(ByPointer, AMessageGoesOnFromCallbackToCallback)
{
  auto a = n->create_publisher<String>("a", QoS(5));
  auto b = n->create_publisher<String>("b", QoS(5));
  const void * got = nullptr;
  std::string text;
  auto middle = n->create_subscription<String>("a", QoS(5), [&](UniqueMessage<String> m) {
    m->data += " world";
    b->publish(std::move(m));
  });
  auto last = n->create_subscription<String>("b", QoS(5), [&](const String & m) {
    got = &m;
    text = m.data;
  });
  warm_up(*a, 1);
  warm_up(*b, 1);
  auto message = a->borrow();
  message->data = "hello";
  const void * const address = message.get();
  a->publish(std::move(message));
  spin();
  EXPECT_EQ(got, address);
  EXPECT_EQ(text, "hello world");
}

TEST_F(ByPointer, OwnersBesideOthersGetCopies)
{
  auto pub = n->create_publisher<String>("s", QoS(5));
  std::string read;
  auto reads =
    n->create_subscription<String>("s", QoS(5), [&](const String & m) { read = m.data; });
  std::vector<std::string> changed;
  const auto change = [&](auto m) {
    m->data += "!";
    changed.push_back(m->data);
  };
  auto one =
    n->create_subscription<String>("s", QoS(5), [&](String::UniquePtr m) { change(std::move(m)); });
  auto two = n->create_subscription<String>(
    "s", QoS(5), [&](UniqueMessage<String> m) { change(std::move(m)); });
  auto three = n->create_subscription<String>("s", QoS(5), [&](String::SharedPtr m) { change(m); });
  warm_up(*pub, 4);
  changed.clear();
  auto message = std::make_unique<String>();
  message->data = "x";
  pub->publish(std::move(message));
  spin();
  EXPECT_EQ(read, "x");
  EXPECT_EQ(changed, (std::vector<std::string>{"x!", "x!", "x!"}));
}

TEST_F(ByPointer, AKeptMessageOutlivesPublisherAndSubscription)
{
  auto pub = n->create_publisher<String>("s", QoS(5));
  String::ConstSharedPtr kept;
  auto sub =
    n->create_subscription<String>("s", QoS(5), [&](String::ConstSharedPtr m) { kept = m; });
  warm_up(*pub, 1);
  String message;
  message.data = "kept for long enough to be no small string";
  pub->publish(message);
  spin();
  pub.reset();
  sub.reset();
  EXPECT_EQ(kept->data, message.data);
}

TEST_F(ByPointer, InfoIsThatOfThePublisher)
{
  auto pub = n->create_publisher<Number>("numbers", QoS(5));
  std::vector<MessageInfo> infos;
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(5), [&](const Number &, const MessageInfo & info) { infos.push_back(info); });
  const auto now = [] {
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  };
  const std::int64_t before = now();
  EXPECT_EQ(pub->publish(number(1)), 1u);
  EXPECT_EQ(pub->publish(number(2)), 2u);
  EXPECT_EQ(pub->last_sequence(), 2u);
  spin();
  ASSERT_EQ(infos.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(infos[i].from_intra_process());
    EXPECT_EQ(infos[i].publication_sequence_number(), i + 1);
    EXPECT_EQ(infos[i].publisher_gid(), pub->gid());
    EXPECT_GE(infos[i].source_timestamp(), before);
    EXPECT_LE(infos[i].source_timestamp(), infos[i].received_timestamp());
    EXPECT_LE(infos[i].received_timestamp(), now());
  }
}

TEST_F(ByPointer, TheActivationGoesAlong)
{
  auto pub = n->create_publisher<Number>("numbers", QoS(2));
  using Got = std::pair<std::uint64_t, std::uint32_t>;
  std::vector<Got> got;
  auto sub = n->create_subscription<Number>("numbers", QoS(2), [&](const Number & m) {
    const takt_core::ActivationSet & activations = *takt_core::current_activations();
    got.emplace_back(m.data, activations.empty() ? 0 : activations.begin()->instance);
  });
  warm_up(*pub, 1);
  got.clear();
  for (std::uint32_t i = 1; i <= 3; ++i) {
    takt_core::ActivationSet activations;
    activations.add({4711, i, takt_rt::now()});
    const takt_core::ActivationScope scope(activations);
    pub->publish(number(i));
  }
  spin();
  EXPECT_EQ(got, (std::vector<Got>{{2, 2}, {3, 3}}));
  EXPECT_EQ(sub->overwritten(), 1u);
}

TEST_F(ByPointer, TheMiddlewareGetsMessagesOnlyForOthers)
{
  auto pub = n->create_publisher<Number>("numbers", QoS(50));
  Values got;
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(50), [&](const Number & m) { got.push_back(m.data); });
  warm_up(*pub, 1);
  got.clear();
  Values expected;
  std::uint64_t value = 0;
  const auto publish = [&](int count) {
    g_published = 0;
    for (int i = 0; i < count; ++i) {
      expected.push_back(++value);
      pub->publish(number(value));
    }
    spin();
    EXPECT_EQ(got, expected);
  };
  publish(10);
  EXPECT_EQ(g_published, 0);
  Values got_outside;
  auto other = outside->create_subscription<Number>(
    "numbers", QoS(50), [&](const Number & m, const MessageInfo & info) {
      EXPECT_FALSE(info.from_intra_process());
      got_outside.push_back(m.data);
    });
  e->add_node(outside);
  ASSERT_TRUE(pub->wait_for_matched(2, kPatience));
  publish(10);
  EXPECT_EQ(g_published, 10);
  EXPECT_EQ(got_outside, Values(expected.begin() + 10, expected.end()));
  EXPECT_EQ(other->lost_messages(), 0u);
  other.reset();
  ASSERT_TRUE(wait_until([&] { return pub->get_subscription_count() == 1; }));
  publish(10);
  EXPECT_EQ(g_published, 0);
  EXPECT_EQ(sub->lost_messages() + sub->overwritten(), 0u);
}

/// The middleware matches the two of a pair, too.
TEST_F(ByPointer, ASubscriptionCountsOnceWhateverItsMessagesTake)
{
  auto pub = n->create_publisher<Number>("numbers", QoS(5));
  std::size_t most = 0;
  const auto settles_at = [&](std::size_t count) {
    return wait_until([&] {
      const std::size_t now = pub->get_subscription_count();
      most = std::max(most, now);
      return now == count;
    });
  };
  auto by_pointer = n->create_subscription<Number>("numbers", QoS(5), [](const Number &) {});
  auto bytes = n->create_subscription<Number>("numbers", QoS(5), [](const SerializedMessage &) {});
  auto other = outside->create_subscription<Number>("numbers", QoS(5), [](const Number &) {});
  ASSERT_TRUE(settles_at(3));
  for (int i = 0; i < 10; ++i) {
    pub->publish(number(1));  // the pair counts as matched from a message on
    spin();
    EXPECT_EQ(pub->get_subscription_count(), 3U);
  }
  EXPECT_LE(most, 3U);
  by_pointer.reset();
  ASSERT_TRUE(settles_at(2));
  bytes.reset();
  other.reset();
  ASSERT_TRUE(settles_at(0));
  EXPECT_NE(pub->publish(number(2)), 0U);
}

/// The count takes locks of the middleware.
TEST_F(ByPointer, TheMiddlewareIsAskedForItsSubscriptionsOnlyWhenTheyChange)
{
  auto pub = n->create_publisher<Number>("numbers", QoS(50));
  std::uint64_t got = 0;
  auto sub =
    n->create_subscription<Number>("numbers", QoS(50), [&](const Number & m) { got = m.data; });
  warm_up(*pub, 1);
  pub->publish(number(1));  // the warm-up may have been ahead of its event
  // Events of the middleware's own threads may still come, at most one for each change.
  const int before = g_counted;
  for (std::uint64_t i = 0; i < 100; ++i) {
    pub->publish(number(i));
    spin();
    EXPECT_EQ(got, i);
  }
  EXPECT_LE(g_counted - before, 1);
  std::uint64_t got_outside = 0;
  auto other = outside->create_subscription<Number>(
    "numbers", QoS(50), [&](const Number & m) { got_outside = m.data; });
  e->add_node(outside);
  // The publisher finds the other subscription by itself: nobody asks it for its count here.
  ASSERT_TRUE(wait_until([&] {
    pub->publish(number(7));
    spin();
    return got_outside == 7;
  }));
}

TEST_F(ByPointer, PublishersOfBothWaysReachASubscription)
{
  auto by_pointer = n->create_publisher<Number>("numbers", QoS(50));
  auto other = outside->create_publisher<Number>("numbers", QoS(50));
  auto witness = outside->create_subscription<Number>("numbers", QoS(50), [](const Number &) {});
  Values got;
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(50), [&](const Number & m) { got.push_back(m.data); });
  for (auto * const pub : {by_pointer.get(), other.get()}) {
    ASSERT_TRUE(pub->wait_for_matched(2, kPatience));
  }
  Values expected;
  for (std::uint64_t i = 0; i < 40; i += 2) {
    by_pointer->publish(number(i));
    other->publish(number(i + 1));
    expected.push_back(i);
    expected.push_back(i + 1);
  }
  spin();
  EXPECT_EQ(got, expected);  // in the order of their arrival, too
  EXPECT_EQ(sub->taken_messages(), 40u);
  EXPECT_EQ(sub->lost_messages() + sub->overwritten(), 0u);
  by_pointer.reset();  // copies of its messages may be left in the middleware
  other->publish(number(100));
  expected.push_back(100);
  spin();
  EXPECT_EQ(got, expected);
}

/// One history of both ways keeps the last `depth` messages.
TEST_F(ByPointer, TheDepthHoldsForBothWaysTogether)
{
  for (const std::uint64_t depth : {1u, 3u}) {
    auto by_pointer = n->create_publisher<Number>("numbers", QoS(50));
    auto other = outside->create_publisher<Number>("numbers", QoS(50));
    Values got;
    auto sub = n->create_subscription<Number>(
      "numbers", QoS(depth), [&](const Number & m) { got.push_back(m.data); });
    for (auto * const pub : {by_pointer.get(), other.get()}) {
      ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
    }
    by_pointer->publish(number(0));
    spin();
    for (std::uint64_t last = 10; last < 16; ++last) {
      got.clear();
      // For each `last` the two publishers publish the messages in another order.
      for (std::uint64_t i = 0; i < 6; ++i) {
        (((last * 0x9e37 + 0x35 * last * last) >> i) % 2 != 0 ? by_pointer : other)
          ->publish(number(i));
      }
      spin();
      std::set<std::uint64_t> expected;
      for (std::uint64_t i = 6 - depth; i < 6; ++i) {
        expected.insert(i);
      }
      EXPECT_EQ(got.size(), depth);
      EXPECT_EQ((std::set<std::uint64_t>{got.begin(), got.end()}), expected)
        << depth << " " << last;
    }
    EXPECT_EQ(sub->backlog(), 0u);
  }
}

TEST_F(ByPointer, IncompatibleProfilesDoNotMeet)
{
  auto best_effort = n->create_publisher<Number>("numbers", QoS(5).best_effort());
  int got = 0;
  auto reliable = n->create_subscription<Number>("numbers", QoS(5), [&](const Number &) { ++got; });
  auto other = n->create_subscription<Number>(
    "numbers", QoS(5).best_effort(), [&](const Number &) { got += 100; });
  ASSERT_TRUE(best_effort->wait_for_matched(1, kPatience));
  best_effort->publish(number(1));
  spin();
  EXPECT_EQ(got, 100);
}

TEST_F(ByPointer, LateSubscriptionsGetKeptMessages)
{
  auto pub = n->create_publisher<Number>("numbers", QoS(3).transient_local());
  for (std::uint64_t i = 0; i < 5; ++i) {
    pub->publish(number(i));
  }
  Values got;
  auto late = n->create_subscription<Number>(
    "numbers", QoS(3).transient_local(), [&](const Number & m) { got.push_back(m.data); });
  ASSERT_TRUE(spin_until(*e, [&] { return got.size() == 3; }));
  pub->publish(number(5));
  ASSERT_TRUE(spin_until(*e, [&] { return got.size() == 4; }));
  EXPECT_EQ(got, (Values{2, 3, 4, 5}));
}

TEST_F(ByPointer, AShutDownContextRefusesMessages)
{
  auto pub = n->create_publisher<Number>("numbers", QoS(3));
  auto sub = n->create_subscription<Number>("numbers", QoS(3), [](const Number &) {});
  context->shutdown();
  EXPECT_EQ(pub->publish(number(1)), 0u);
  EXPECT_EQ(pub->failed_publishes(), 1u);
}

/// Publishers and subscriptions come and go on several threads while others publish and take.
TEST_F(ByPointer, EndsComeAndGoUnderLoad)
{
  auto steady = n->create_publisher<Number>("numbers", QoS(100));
  std::atomic<std::uint64_t> last{0};
  std::atomic<bool> in_order{true};
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(100), [&](const Number & m, const MessageInfo & info) {
      if (info.publisher_gid() == steady->gid()) {
        in_order = in_order && m.data > last;
        last = m.data;
      }
    });
  Executor threads = executor(2);
  e->remove_node(n);
  threads.add_node(n);
  Spinning spinning(threads);
  std::atomic<bool> stop{false};
  std::vector<std::thread> all;
  std::atomic<std::uint64_t> sent{0};
  all.emplace_back([&] {
    while (!stop) {
      steady->publish(number(++sent));
    }
  });
  for (int i = 0; i < 2; ++i) {
    all.emplace_back([&, i] {
      auto & home = i == 0 ? n : outside;
      for (int round = 0; round < 30; ++round) {
        auto own = home->create_publisher<Number>("numbers", QoS(100));
        auto heard = std::make_shared<std::atomic<int>>(0);
        auto listener = home->create_subscription<Number>(
          "numbers", QoS(5), [heard](UniqueMessage<Number>) { ++*heard; });
        own->publish(number(1'000'000));
        if (i == 0) {
          wait_until([&] { return *heard > 0; });
        }
        (round % 2 != 0 ? own.reset() : listener.reset());
      }
    });
  }
  all[1].join();
  all[2].join();
  stop = true;
  all[0].join();
  ASSERT_TRUE(wait_until([&] { return last == sent; }));
  EXPECT_TRUE(in_order);
  EXPECT_EQ(sub->failed_takes(), 0u);
}

}  // namespace takt_rcl::test
