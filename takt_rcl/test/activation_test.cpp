// A chain's messages carry its root's activations through publishes and takes to its end.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <std_msgs/msg/u_int64.hpp>
#include <utility>

#include "ros_test.hpp"
#include "takt_trace/recording.hpp"
#include "takt_trace/trace_file.hpp"

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
    root = std::find(root, at_root.end(), at_end[i]);  // the activations between may have been
                                                       // overwritten
    ASSERT_NE(root, at_root.end()) << i;
    ++root;
    EXPECT_GE(release_at_end[i], at_end[i].release);  // the message's own arrival came later
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

// Messages that already wait do not belong to the activation of the callback that makes the
// subscription.
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

// A message has the same name in both processes: its publisher's gid and its number. Chains of
// several processes are joined by this name.
class Traced : public RosTest, public ::testing::WithParamInterface<bool>
{
};

TEST_P(Traced, NamesAMessageAlikeWhereItIsPublishedAndTaken)
{
  const bool by_pointer = GetParam();
  auto n = std::make_shared<Node>("n", "/space", options().use_intra_process_comms(by_pointer));
  auto pub = n->create_publisher<Number>("numbers", QoS(5));
  std::uint64_t received = 0;
  auto sub = n->create_subscription<Number>(
    "numbers", QoS(5), [&](const Number & message) { received = message.data; });
  const auto number = [](std::uint64_t data) {
    Number message;
    message.data = data;
    return message;
  };
  auto guard = n->create_guard_condition([&] { pub->publish(number(2)); });
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(pub->wait_for_matched(1, kPatience));
  takt_trace::RecordingOptions options;
  options.folder = testing::TempDir();
  ASSERT_TRUE(takt_trace::start_recording(options).ok());
  pub->publish(number(1));  // outside of callbacks
  guard->trigger();
  const bool all_came = spin_until(e, [&] { return received == 2; });
  const auto file = takt_trace::stop_recording();
  ASSERT_TRUE(file.ok());
  const auto traces = takt_trace::read_traces(file->path);
  std::filesystem::remove(file->path);
  ASSERT_TRUE(all_came && traces.ok());

  const takt_trace::ProcessTrace & trace = traces->front();
  using Name = std::pair<std::int64_t, std::int64_t>;
  std::vector<Name> published, taken;
  for (const takt_trace::TracedThread & thread : trace.threads) {
    const takt_trace::Record * take = nullptr;
    for (const takt_trace::Record & record : thread.records) {
      if (
        record.kind == takt_trace::RecordKind::publish &&
        trace.topics.at(record.id) == "/space/numbers") {
        published.emplace_back(record.a, record.b);
      } else if (record.kind == takt_trace::RecordKind::take) {
        take = &record;
      } else if (record.kind == takt_trace::RecordKind::run_start && take != nullptr) {
        EXPECT_EQ(trace.callbacks.at(record.id).id, "/space/n:sub(/space/numbers)");
        taken.emplace_back(take->a, take->b);
        take = nullptr;
      }
    }
  }
  const auto by_number = [](const Name & a, const Name & b) { return a.second < b.second; };
  std::sort(published.begin(), published.end(), by_number);
  const std::int64_t gid = takt_trace::fold(pub->gid().data(), pub->gid().size());
  ASSERT_EQ(published.size(), 2u);
  // The middleware gets and numbers the first message of a pair.
  EXPECT_EQ(published[0], Name(gid, 1));
  EXPECT_EQ(published[1].second, 2);
  EXPECT_EQ(published[1].first != gid, by_pointer);
  EXPECT_EQ(taken, published);
}

INSTANTIATE_TEST_SUITE_P(Activations, Traced, ::testing::Bool());

}  // namespace takt_rcl::test
