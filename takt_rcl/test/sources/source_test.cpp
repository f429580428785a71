// The suite of sources (takt_host's test/source/suite.hpp) on takt_rcl's subscriptions and the
// installed middleware.
#include "source/rmw_take.hpp"
#include "source/suite.hpp"

#include <rcl/publisher.h>

#include <map>
#include <std_msgs/msg/u_int64.hpp>
#include <tuple>

#include "intra_process.hpp"
#include "ros_test.hpp"
#include "takt_channel/channel.hpp"

namespace
{
bool g_published = false;  // through the middleware
}

extern "C" rcl_ret_t rcl_publish(
  const rcl_publisher_t * publisher, const void * message, rmw_publisher_allocation_t * allocation)
{
  static const auto real =
    reinterpret_cast<decltype(&rcl_publish)>(::dlsym(RTLD_NEXT, "rcl_publish"));
  g_published = true;
  return real(publisher, message, allocation);
}

namespace takt_rcl::test
{
namespace
{

using Number = std_msgs::msg::UInt64;
using takt_host::test::Promise;
using takt_host::test::rmw_take_between;

enum class Way
{
  middleware,
  pointer,
  both_ways,    // another subscription takes no pointers: each message travels both ways
  to_an_inbox,  // publishers of messages by pointer could come, but none does
  channel       // shared memory
};

// Before its run the executor looks at all channels.
struct Looker final : takt_core::Callback
{
  using Callback::Callback;
  void run(const takt_core::Run &) override {}
};

class RclBackEnd final : public takt_host::test::BackEnd
{
public:
  RclBackEnd(std::shared_ptr<Node> node, Executor executor, Way way)
  : node_(std::move(node)),
    executor_(std::move(executor)),
    way_(way)
  {
    rmw_take_between() = {};
    rmw_take_between().armed = true;
    if (way_ == Way::channel) {
      before_take_ = std::make_shared<takt_host::test::BeforeTake>();
      EXPECT_TRUE(executor_.core().add_observer(before_take_).ok());
      takt_core::CallbackOptions options;
      options.id = "/looker";
      looker_ = std::make_shared<Looker>(options);
      takt_core::Binding first;
      first.priority = 1;
      EXPECT_TRUE(executor_.core().add(looker_, first).ok());
    }
  }
  ~RclBackEnd() override { rmw_take_between() = {}; }

  void subscribe(std::uint32_t depth, bool reliable) override
  {
    const QoS qos = reliable ? QoS(depth).reliable() : QoS(depth).best_effort();
    SubscriptionOptions options;
    options.use_intra_process_comm =
      way_ == Way::middleware ? IntraProcessSetting::Disable : IntraProcessSetting::Enable;
    if (way_ == Way::channel) {
      options.transport = Transport::shared_memory;
    }
    subscription_ = node_->create_subscription<Number>(
      "numbers", qos,
      [this](const Number & one, const MessageInfo & info) {
        EXPECT_EQ(info.from_intra_process(), takes_pointers());
        got.push_back({one.data, takt_core::current_run()->found});
      },
      options);
    if (way_ == Way::both_ways) {
      other_ = node_->create_subscription<Number>(
        "numbers", qos, [](const Number &) {}, apart());
    }
    match();
  }
  std::size_t add_publisher() override
  {
    publishers_.push_back(make_publisher());
    match();
    return publishers_.size() - 1;
  }
  void publish(std::size_t publisher, std::uint64_t value) override
  {
    auto & from = *publishers_[publisher];
    Number number;
    number.data = value;
    g_published = false;
    from.publish(number);
    const std::uint64_t lost = rmw_take_between().lost[from.gid()];
    const auto key = g_published ? takt_core::MessageKey{from.gid(), ++numbered_[&from] + lost, 0}
                                 : takt_core::MessageKey{
                                     takt_rcl::by_pointer(from.gid()), from.last_sequence(), 0};
    names[value] = key.name_by_sequence();
  }
  void lose(std::size_t publisher, std::uint64_t count) override
  {
    rmw_take_between().lost[publishers_[publisher]->gid()] += count;
  }
  void join() override { executor_.add_node(node_); }
  void before_next_take(std::function<void()> function) override
  {
    if (takes_pointers()) {
      make_publisher();  // and ends: the next take looks for copies of its messages in the
                         // middleware
    }
    (before_take_ != nullptr ? before_take_->function : rmw_take_between().before) =
      std::move(function);
  }
  void look() override
  {
    if (way_ == Way::channel) {
      executor_.core().ready(*looker_);
      executor_.core().spin_once(takt_rt::Duration::zero());
    }
  }
  takt_core::Executor & executor() override { return executor_.core(); }
  const takt_core::Callback & callback() override { return *subscription_->callback(); }

private:
  bool takes_pointers() const { return way_ == Way::pointer || way_ == Way::both_ways; }
  // A group that is in no executor.
  SubscriptionOptions apart()
  {
    SubscriptionOptions options;
    options.callback_group =
      node_->create_callback_group(CallbackGroupType::MutuallyExclusive, false);
    return options;
  }
  Publisher<Number>::SharedPtr make_publisher()
  {
    PublisherOptions options;
    options.use_intra_process_comm =
      takes_pointers() ? IntraProcessSetting::Enable : IntraProcessSetting::Disable;
    if (way_ == Way::channel) {
      options.transport = Transport::shared_memory;
    }
    return node_->create_publisher<Number>("numbers", QoS(100), options);
  }
  void match()
  {
    if (subscription_ == nullptr) {
      return;
    }
    ASSERT_TRUE(subscription_->wait_for_matched(publishers_.size(), kPatience));
    for (const auto & publisher : publishers_) {
      ASSERT_TRUE(publisher->wait_for_matched(other_ != nullptr ? 2 : 1, kPatience));
    }
  }

  const std::shared_ptr<Node> node_;
  Executor executor_;
  const Way way_;
  std::shared_ptr<takt_host::test::BeforeTake> before_take_;  // null: rmw_take_between
  std::shared_ptr<Looker> looker_;                            // null: no channel
  Subscription<Number>::SharedPtr subscription_;
  Subscription<Number>::SharedPtr other_;
  std::vector<Publisher<Number>::SharedPtr> publishers_;
  std::map<const PublisherBase *, std::uint64_t> numbered_;  // messages that the middleware got
};

class Sources : public RosTest, public ::testing::WithParamInterface<std::tuple<Way, Promise>>
{
};

TEST_P(Sources, keep_the_promise)
{
  if (!Context::publication_sequence_supported()) {
    GTEST_SKIP() << "this middleware has no publication sequence numbers";
  }
  const auto & [way, promise] = GetParam();
  if (way == Way::channel && !takt_channel::available()) {
    GTEST_SKIP() << "this build of takt has no channels";
  }
  ExecutorOptions options;
  options.order = takt_core::Order::priority;
  RclBackEnd back_end(node("n"), Executor(context, options), way);
  EXPECT_EQ(promise.check(back_end), "");
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<Way, Promise>> & test)
{
  static const char * const ways[] = {
    "middleware", "pointer", "both_ways", "to_an_inbox", "channel"};
  return std::string(std::get<1>(test.param).name) + "_" +
         ways[static_cast<int>(std::get<0>(test.param))];
}

std::vector<std::tuple<Way, Promise>> promises()
{
  std::vector<std::tuple<Way, Promise>> all;
  for (const Way way :
       {Way::middleware, Way::pointer, Way::both_ways, Way::to_an_inbox, Way::channel}) {
    for (const Promise & promise : takt_host::test::promises()) {
      // A message by pointer or in shared memory cannot be lost on its way.
      const bool loses = std::string(promise.name) == "counts_what_was_lost";
      if (!loses || way == Way::middleware || way == Way::to_an_inbox) {
        all.emplace_back(way, promise);
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Rcl, Sources, ::testing::ValuesIn(promises()), name_of);

}  // namespace
}  // namespace takt_rcl::test
