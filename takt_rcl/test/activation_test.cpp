// Activations travel from a root through publish and take to the end of its chain.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"

namespace takt_rcl::test
{

using Number = std_msgs::msg::UInt64;
using takt_core::Activation;
using takt_core::ActivationSet;

class Activations : public RosTest
{
};

Activation only(const ActivationSet & set)
{
  EXPECT_EQ(set.size(), 1u);
  return set.empty() ? Activation{} : *set.begin();
}

TEST_F(Activations, ChainKeepsTheRootsRelease)
{
  auto n = node("n");
  std::mutex mutex;
  std::vector<Activation> at_root;
  std::vector<Activation> at_end;
  std::vector<takt_rt::Time> release_at_end;
  auto a = n->create_publisher<Number>("a", QoS(50));
  auto b = n->create_publisher<Number>("b", QoS(50));
  auto timer = n->create_wall_timer(2ms, [&] {
    const std::lock_guard lock(mutex);
    at_root.push_back(only(*takt_core::current_activations()));
    a->publish(Number());
  });
  SubscriptionOptions apart;
  apart.callback_group = n->create_callback_group(CallbackGroupType::MutuallyExclusive);
  auto middle = n->create_subscription<Number>(
    "a", QoS(50), [&](const Number & m) { b->publish(m); }, apart);
  SubscriptionOptions last;
  last.callback_group = n->create_callback_group(CallbackGroupType::MutuallyExclusive);
  auto end = n->create_subscription<Number>(
    "b", QoS(50),
    [&](const Number &) {
      const std::lock_guard lock(mutex);
      at_end.push_back(only(*takt_core::current_activations()));
      release_at_end.push_back(takt_core::current_run()->release);
    },
    last);
  auto e = executor(2);
  e.add_node(n);
  ASSERT_TRUE(a->wait_for_matched(1, kPatience) && b->wait_for_matched(1, kPatience));
  {
    Spinning spinning(e);
    ASSERT_TRUE(wait_until([&] {
      const std::lock_guard lock(mutex);
      return at_end.size() >= 20;
    }));
  }
  auto root = at_root.begin();
  for (std::size_t i = 0; i < at_end.size(); ++i) {
    EXPECT_EQ(at_end[i].root, timer->number());
    root = std::find(root, at_root.end(), at_end[i]);  // others may have been overwritten
    ASSERT_NE(root, at_root.end()) << i;
    ++root;
    EXPECT_GE(release_at_end[i], at_end[i].release);  // its own arrival came later
  }
}

TEST_F(Activations, JoinCarriesAllItsInputs)
{
  auto n = node("n");
  auto left = n->create_publisher<Number>("left", QoS(5));
  auto right = n->create_publisher<Number>("right", QoS(5));
  auto fused = n->create_publisher<Number>("fused", QoS(5));
  GuardConditionOptions named;
  named.name = "left";
  auto root_left = n->create_guard_condition([&] { left->publish(Number()); }, named);
  named.name = "right";
  auto root_right = n->create_guard_condition([&] { right->publish(Number()); }, named);
  Join<Number> joins[2];
  const auto fuse = [&] {
    if (joins[0].has() && joins[1].has()) {
      const JoinScope scope(joins[0], joins[1]);
      fused->publish(Number());
      joins[0].clear();
      joins[1].clear();
    }
  };
  auto sub_left = n->create_subscription<Number>("left", QoS(5), [&](const Number & m) {
    joins[0].store(m);
    fuse();
  });
  auto sub_right =
    n->create_subscription<Number>("right", QoS(5), [&](std::shared_ptr<const Number> m) {
      joins[1].store(m);
      fuse();
    });
  ActivationSet got;
  auto end = n->create_subscription<Number>(
    "fused", QoS(5), [&](const Number &) { got = *takt_core::current_activations(); });
  auto e = executor();
  e.add_node(n);
  for (const auto & publisher : {left, right, fused}) {
    ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  }
  root_left->trigger();
  root_right->trigger();
  ASSERT_TRUE(spin_until(e, [&] { return !got.empty(); }));
  ASSERT_EQ(got.size(), 2u);
  std::vector<std::uint32_t> roots{got.begin()[0].root, got.begin()[1].root};
  std::sort(roots.begin(), roots.end());
  EXPECT_EQ(roots[0], std::min(root_left->number(), root_right->number()));
  EXPECT_EQ(roots[1], std::max(root_left->number(), root_right->number()));
}

// What waits already is not the work of the callback that makes the subscription.
TEST_F(Activations, WaitingMessagesDoNotInheritFromWhoeverSubscribes)
{
  auto n = node("n");
  auto pub = n->create_publisher<Number>("numbers", QoS(5).transient_local());
  pub->publish(Number());
  Activation got;
  std::shared_ptr<SubscriptionBase> sub;
  auto guard = n->create_guard_condition([&] {
    sub = n->create_subscription<Number>("numbers", QoS(5).transient_local(), [&](const Number &) {
      got = only(*takt_core::current_activations());
    });
    // Wait here for the message, so that it is announced at registration or by another thread.
    EXPECT_TRUE(sub->wait_for_matched(1, kPatience));
  });
  auto e = executor();
  e.add_node(n);
  guard->trigger();
  ASSERT_TRUE(spin_until(e, [&] { return got.root != 0; }));
  EXPECT_EQ(got.root, sub->number());
}

TEST_F(Activations, ObserverSeesWhatJoinsProcesses)
{
  struct Observer : MessageObserver
  {
    void on_publish(
      const Gid & publisher, std::uint64_t sequence, std::string_view topic,
      const ActivationSet * activations) noexcept override
    {
      gid = publisher;
      published = sequence;
      name = topic;
      roots = activations != nullptr ? activations->size() : 0;
    }
    void on_take(
      std::uint32_t number, const Gid & publisher, std::uint64_t sequence) noexcept override
    {
      EXPECT_EQ(publisher, gid);
      EXPECT_LE(sequence, published);
      callback = number;
      taken = sequence;
    }
    Gid gid{};
    std::uint64_t published = 0;
    std::uint64_t taken = 0;
    std::uint32_t callback = 0;
    std::string name;
    std::size_t roots = 0;
  } observer;
  ASSERT_TRUE(context->add_message_observer(observer));
  auto n = node("n", "/space");
  auto pub = n->create_publisher<Number>("numbers", QoS(5));
  auto sub = n->create_subscription<Number>("numbers", QoS(5), [](const Number &) {});
  auto guard = n->create_guard_condition([&] { pub->publish(Number()); });
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  pub->publish(Number());
  EXPECT_EQ(observer.roots, 0u);  // not in a callback
  guard->trigger();
  ASSERT_TRUE(spin_until(e, [&] { return observer.taken == 2; }));
  EXPECT_EQ(observer.name, "/space/numbers");
  EXPECT_EQ(observer.gid, pub->gid());
  EXPECT_EQ(observer.callback, sub->number());
  EXPECT_EQ(observer.roots, 1u);
  context->remove_message_observer(observer);
}

}  // namespace takt_rcl::test
