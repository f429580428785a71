// Events of publishers and subscriptions: matched peers, QoS that does not fit, deadlines,
// liveliness, lost messages.
//
// The program stands in for functions of rcl that a test makes answer as another middleware would.
#include <dlfcn.h>
#include <rcl/event.h>
#include <rcutils/logging.h>
#include <rmw/rmw.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <mutex>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"
#include "takt_schedule/parse.hpp"

namespace
{

std::atomic<bool> g_supported{true};

// The event of lost messages of the newest subscription with such a callback.
struct Losses
{
  std::atomic<const rcl_event_t *> event{nullptr};
  std::atomic<rcl_event_callback_t> listener{nullptr};
  std::atomic<const void *> data{nullptr};
  std::atomic<std::size_t> lost{0};
  std::atomic<int> takes{0};
} g_losses;

template <typename Function>
Function next(Function, const char * name)
{
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::mutex g_mutex;
std::vector<std::string> g_warnings;
rcutils_logging_output_handler_t g_handler = nullptr;

void hear(
  const rcutils_log_location_t * location, int severity, const char * name,
  rcutils_time_point_value_t time, const char * format, va_list * arguments)
{
  if (severity == RCUTILS_LOG_SEVERITY_WARN) {
    va_list copy;
    va_copy(copy, *arguments);
    char text[512];
    std::vsnprintf(text, sizeof text, format, copy);
    va_end(copy);
    const std::lock_guard lock(g_mutex);
    g_warnings.push_back(std::string(name) + " " + text);
  }
  g_handler(location, severity, name, time, format, arguments);
}

std::vector<std::string> warnings()
{
  const std::lock_guard lock(g_mutex);
  return g_warnings;
}

}  // namespace

extern "C" {

rcl_ret_t rcl_publisher_event_init(
  rcl_event_t * event, const rcl_publisher_t * publisher, const rcl_publisher_event_type_t type)
{
  static const auto real = next(&rcl_publisher_event_init, "rcl_publisher_event_init");
  return g_supported ? real(event, publisher, type) : RCL_RET_UNSUPPORTED;
}

rcl_ret_t rcl_subscription_event_init(
  rcl_event_t * event, const rcl_subscription_t * subscription,
  const rcl_subscription_event_type_t type)
{
  static const auto real = next(&rcl_subscription_event_init, "rcl_subscription_event_init");
  if (type == RCL_SUBSCRIPTION_MESSAGE_LOST) {
    g_losses.event = event;
  }
  return g_supported ? real(event, subscription, type) : RCL_RET_UNSUPPORTED;
}

rcl_ret_t rcl_event_set_callback(
  const rcl_event_t * event, rcl_event_callback_t listener, const void * data)
{
  static const auto real = next(&rcl_event_set_callback, "rcl_event_set_callback");
  if (event == g_losses.event) {
    g_losses.listener = listener;
    g_losses.data = data;
  }
  return real(event, listener, data);
}

rcl_ret_t rcl_take_event(const rcl_event_t * event, void * status)
{
  static const auto real = next(&rcl_take_event, "rcl_take_event");
  if (event == g_losses.event) {
    ++g_losses.takes;
    *static_cast<rmw_message_lost_status_t *>(status) = {g_losses.lost, 0};
    return RCL_RET_OK;
  }
  return real(event, status);
}

}  // extern "C"

namespace takt_rcl::test
{
namespace
{

using Number = std_msgs::msg::UInt64;

std::string running_id()
{
  return takt_core::current_run()->callback->id();
}

class EventsOf : public RosTest
{
protected:
  void SetUp() override
  {
    RosTest::SetUp();
    g_warnings.clear();
    g_handler = rcutils_logging_get_output_handler();
    rcutils_logging_set_output_handler(&hear);
  }
  void TearDown() override
  {
    g_supported = true;
    rcutils_logging_set_output_handler(g_handler);
  }

  static std::shared_ptr<Subscription<Number>> subscribe(
    const std::shared_ptr<Node> & n, const SubscriptionOptions & options = {},
    const QoS & qos = QoS(10))
  {
    return n->create_subscription<Number>(
      "numbers", qos, [](const Number &) {}, options);
  }
};

TEST_F(EventsOf, MatchedPeersComeAndGo)
{
  auto n = node("n", "/ns");
  std::vector<MatchedInfo> of_publisher;
  std::vector<MatchedInfo> of_subscription;
  std::vector<std::string> ids;
  PublisherOptions publisher_options;
  publisher_options.event_callbacks.matched_callback = [&](MatchedInfo & info) {
    of_publisher.push_back(info);
    ids.push_back(running_id());
    EXPECT_EQ(takt_core::current_run()->callback->kind(), takt_core::Kind::waitable);
    EXPECT_EQ(takt_core::current_run()->callback->group().id(), "/ns/n:group(events)");
  };
  publisher_options.callback_group =
    n->create_callback_group(CallbackGroupType::MutuallyExclusive, "events");
  SubscriptionOptions subscription_options;
  subscription_options.event_callbacks.matched_callback = [&](MatchedInfo & info) {
    of_subscription.push_back(info);
    EXPECT_EQ(running_id(), "/ns/n:waitable(event)#2");
    EXPECT_EQ(takt_core::current_run()->callback->group().id(), "/ns/n:group(default)");
  };
  auto e = executor();
  e.add_node(n);
  auto publisher = n->create_publisher<Number>("numbers", QoS(10), publisher_options);
  auto subscription = subscribe(n, subscription_options);
  ASSERT_TRUE(spin_until(e, [&] { return !of_publisher.empty() && !of_subscription.empty(); }));
  EXPECT_EQ(of_publisher[0].total_count, 1u);
  EXPECT_EQ(of_publisher[0].total_count_change, 1u);
  EXPECT_EQ(of_publisher[0].current_count, 1u);
  EXPECT_EQ(of_publisher[0].current_count_change, 1);
  EXPECT_EQ(of_subscription[0].total_count_change, 1u);
  EXPECT_EQ(of_subscription[0].current_count, 1u);
  subscription.reset();
  ASSERT_TRUE(spin_until(e, [&] { return of_publisher.size() == 2; }));
  EXPECT_EQ(of_publisher[1].total_count, 1u);
  EXPECT_EQ(of_publisher[1].total_count_change, 0u);
  EXPECT_EQ(of_publisher[1].current_count, 0u);
  EXPECT_EQ(of_publisher[1].current_count_change, -1);
  EXPECT_EQ(ids, std::vector<std::string>(2, "/ns/n:waitable(event)"));
}

// All that came before are one run, and its changes are those since the publisher was made.
TEST_F(EventsOf, WhatCameBeforeTheExecutorIsOneRun)
{
  auto n = node("n");
  auto others = node("others");
  std::vector<MatchedInfo> got;
  PublisherOptions options;
  options.event_callbacks.matched_callback = [&](MatchedInfo & info) { got.push_back(info); };
  std::vector<std::shared_ptr<SubscriptionBase>> subscriptions{subscribe(others)};
  auto publisher = n->create_publisher<Number>("numbers", QoS(10), options);
  subscriptions.push_back(subscribe(others));
  subscriptions.push_back(subscribe(others));
  ASSERT_TRUE(publisher->wait_for_matched(3, kPatience));
  subscriptions.pop_back();
  ASSERT_TRUE(wait_until([&] { return publisher->get_subscription_count() == 2; }));
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return !got.empty(); }));
  subscriptions.push_back(subscribe(others));
  ASSERT_TRUE(spin_until(e, [&] { return !got.empty() && got.back().total_count == 4; }));
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].total_count, 3u);
  EXPECT_EQ(got[0].total_count_change, 3u);
  EXPECT_EQ(got[0].current_count, 2u);
  EXPECT_EQ(got[0].current_count_change, 2);
  EXPECT_EQ(got[1].total_count_change, 1u);
  EXPECT_EQ(got[1].current_count_change, 1);
}

TEST_F(EventsOf, WhatComesBetweenExecutorsIsKept)
{
  auto n = node("n");
  auto others = node("others");
  std::vector<MatchedInfo> got;
  PublisherOptions options;
  options.event_callbacks.matched_callback = [&](MatchedInfo & info) { got.push_back(info); };
  auto publisher = n->create_publisher<Number>("numbers", QoS(10), options);
  auto first = subscribe(others);
  auto one = executor();
  one.add_node(n);
  ASSERT_TRUE(spin_until(one, [&] { return got.size() == 1; }));
  one.remove_node(n);
  auto second = subscribe(others);
  ASSERT_TRUE(publisher->wait_for_matched(2, kPatience));
  auto other = executor();
  other.add_node(n);
  ASSERT_TRUE(spin_until(other, [&] { return got.size() == 2; }));
  EXPECT_EQ(got[1].total_count, 2u);
  EXPECT_EQ(got[1].total_count_change, 1u);
}

TEST_F(EventsOf, PublisherMayEndInsideItsOwnEventCallback)
{
  auto n = node("n");
  auto subscription = subscribe(n);
  std::weak_ptr<int> witness;
  std::atomic<int> ran{0};
  std::shared_ptr<Publisher<Number>> publisher;
  PublisherOptions options;
  {
    auto captured = std::make_shared<int>(7);
    witness = captured;
    options.event_callbacks.matched_callback = [&, captured](MatchedInfo &) {
      publisher.reset();
      EXPECT_EQ(*captured, 7);  // the objects of a run live until its end
      ++ran;
    };
  }
  publisher = n->create_publisher<Number>("numbers", QoS(10), options);
  options = {};
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  auto e = executor();
  e.add_node(n);
  const Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return ran == 1; }));
  ASSERT_TRUE(wait_until([&] { return witness.expired(); }));
  ASSERT_TRUE(wait_until([&] { return subscription->get_publisher_count() == 0; }));
  EXPECT_EQ(ran, 1);
}

TEST_F(EventsOf, SubscriptionMayEndInsideItsOwnEventCallback)
{
  auto n = node("n");
  auto publisher = n->create_publisher<Number>("numbers", QoS(10));
  std::weak_ptr<int> witness;
  std::atomic<int> ran{0};
  std::shared_ptr<SubscriptionBase> subscription;
  SubscriptionOptions options;
  {
    auto captured = std::make_shared<int>(7);
    witness = captured;
    options.event_callbacks.matched_callback = [&, captured](MatchedInfo &) {
      subscription.reset();
      EXPECT_EQ(*captured, 7);
      ++ran;
    };
  }
  subscription = subscribe(n, options);
  options = {};
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  auto e = executor();
  e.add_node(n);
  const Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return ran == 1; }));
  ASSERT_TRUE(wait_until([&] { return witness.expired(); }));
  ASSERT_TRUE(wait_until([&] { return publisher->get_subscription_count() == 0; }));
  EXPECT_EQ(ran, 1);
}

// The destructor waits for a run on another thread.
TEST_F(EventsOf, ThePublishersEndWaitsForItsEventCallback)
{
  auto n = node("n");
  auto subscription = subscribe(n);
  std::atomic<bool> began{false};
  std::atomic<bool> goes_on{false};
  std::atomic<bool> ended{false};
  PublisherOptions options;
  options.event_callbacks.matched_callback = [&](MatchedInfo &) {
    began = true;
    ASSERT_TRUE(wait_until([&] { return goes_on.load(); }));
    ended = true;
  };
  auto publisher = n->create_publisher<Number>("numbers", QoS(10), options);
  auto e = executor();
  e.add_node(n);
  const Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return began.load(); }));
  std::thread ending([&] {
    publisher.reset();
    EXPECT_TRUE(ended);
  });
  goes_on = true;
  ending.join();
}

TEST_F(EventsOf, IncompatibleQosIsToldToBothSides)
{
  auto n = node("n");
  std::vector<QOSOfferedIncompatibleQoSInfo> offered;
  std::vector<QOSRequestedIncompatibleQoSInfo> requested;
  PublisherOptions publisher_options;
  publisher_options.event_callbacks.incompatible_qos_callback =
    [&](QOSOfferedIncompatibleQoSInfo & info) { offered.push_back(info); };
  SubscriptionOptions subscription_options;
  subscription_options.event_callbacks.incompatible_qos_callback =
    [&](QOSRequestedIncompatibleQoSInfo & info) { requested.push_back(info); };
  auto publisher = n->create_publisher<Number>("numbers", QoS(10).best_effort(), publisher_options);
  auto subscription = subscribe(n, subscription_options);
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return !offered.empty() && !requested.empty(); }));
  EXPECT_EQ(offered[0].total_count, 1);
  EXPECT_EQ(offered[0].total_count_change, 1);
  EXPECT_EQ(offered[0].last_policy_kind, RMW_QOS_POLICY_RELIABILITY);
  EXPECT_EQ(requested[0].total_count, 1);
  EXPECT_EQ(requested[0].total_count_change, 1);
  EXPECT_EQ(requested[0].last_policy_kind, RMW_QOS_POLICY_RELIABILITY);
  EXPECT_TRUE(warnings().empty()) << warnings()[0];  // the callbacks are instead of warnings
}

// Also without an executor, and once for each publisher and each subscription.
TEST_F(EventsOf, IncompatibleQosWithoutACallbackIsOneWarning)
{
  auto n = node("n");
  auto publisher = n->create_publisher<Number>("numbers", QoS(10).best_effort());
  auto first = subscribe(n);
  ASSERT_TRUE(wait_until([&] { return warnings().size() == 2; }));
  auto second = n->create_polling_subscription<Number>("numbers", QoS(10));
  ASSERT_TRUE(wait_until([&] { return warnings().size() == 3; }));
  publisher.reset();  // no warning of it is in progress any more
  auto found = warnings();
  std::sort(found.begin(), found.end());
  const std::string subscription =
    "n /n: the subscription to '/numbers' and a publisher have incompatible QoS (reliability): no "
    "message passes between them";
  EXPECT_EQ(
    found, (std::vector<std::string>{
             "n /n: the publisher on '/numbers' and a subscription have incompatible QoS "
             "(reliability): no message passes between them",
             subscription, subscription}));
}

TEST_F(EventsOf, TheWarningCanBeSwitchedOff)
{
  auto n = node("n");
  bool told = false;
  PublisherOptions publisher_options;
  publisher_options.event_callbacks.incompatible_qos_callback =
    [&](QOSOfferedIncompatibleQoSInfo &) { told = true; };
  SubscriptionOptions subscription_options;
  subscription_options.use_default_callbacks = false;
  auto subscription = subscribe(n, subscription_options);
  auto publisher = n->create_publisher<Number>("numbers", QoS(10).best_effort(), publisher_options);
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return told; }));
  subscription.reset();
  EXPECT_TRUE(warnings().empty()) << warnings()[0];
}

TEST_F(EventsOf, AMiddlewareWithoutTheEventIsOneClearError)
{
  auto n = node("n");
  g_supported = false;
  const auto fault_of = [](const auto & call) -> std::string {
    try {
      call();
    } catch (const UnsupportedEventTypeException & error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  const std::string because = std::string(", because ") + rmw_get_implementation_identifier() +
                              " does not report such events";
  PublisherOptions publisher_options;
  publisher_options.event_callbacks.matched_callback = [](MatchedInfo &) {};
  EXPECT_EQ(
    fault_of([&] { n->create_publisher<Number>("numbers", QoS(10), publisher_options); }),
    "/n: the publisher on '/numbers' cannot have a matched_callback" + because);
  SubscriptionOptions subscription_options;
  subscription_options.event_callbacks.message_lost_callback = [](QOSMessageLostInfo &) {};
  EXPECT_EQ(
    fault_of([&] { subscribe(n, subscription_options); }),
    "/n: the subscription to '/numbers' cannot have a message_lost_callback" + because);
  auto publisher = n->create_publisher<Number>("numbers", QoS(10));  // only the warning is missing
  auto subscription = subscribe(n);
  EXPECT_TRUE(publisher->wait_for_matched(1, kPatience));
}

// The middleware reports losses three times before the callback runs, then once within its run.
TEST_F(EventsOf, LostMessagesAddUpUntilTheCallbackRuns)
{
  auto n = node("n");
  std::vector<QOSMessageLostInfo> got;
  const auto lose = [](std::size_t count) {
    g_losses.lost += count;
    g_losses.listener.load()(g_losses.data, count);
  };
  g_losses.lost = 0;
  g_losses.takes = 0;
  SubscriptionOptions options;
  options.event_callbacks.message_lost_callback = [&](QOSMessageLostInfo & info) {
    got.push_back(info);
    if (got.size() == 1) {
      lose(1);
    }
  };
  auto subscription = subscribe(n, options);
  lose(1);
  auto e = executor();
  e.add_node(n);
  lose(2);
  lose(4);
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 2; }));
  EXPECT_EQ(got[0].total_count, 7u);
  EXPECT_EQ(got[0].total_count_change, 7u);
  EXPECT_EQ(got[1].total_count, 8u);
  EXPECT_EQ(got[1].total_count_change, 1u);
  // An event that an earlier take got already runs no callback.
  g_losses.listener.load()(g_losses.data, 1);
  ASSERT_TRUE(spin_until(e, [&] { return g_losses.takes == 3; }));
  lose(1);
  ASSERT_TRUE(spin_until(e, [&] { return g_losses.takes == 4; }));
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 3; }));
  EXPECT_EQ(got[2].total_count, 9u);
  EXPECT_EQ(got[2].total_count_change, 1u);
  subscription.reset();
  EXPECT_EQ(g_losses.listener.load(), nullptr);
  g_losses.event = nullptr;
}

// An event belongs to no activation, not to that of the callback on whose thread it happened.
TEST_F(EventsOf, AnEventCarriesNoActivation)
{
  auto n = node("n");
  std::vector<takt_core::ActivationSet> of_events;
  SubscriptionOptions options;
  options.event_callbacks.message_lost_callback = [&](QOSMessageLostInfo &) {
    of_events.push_back(takt_core::current_run()->activations);
  };
  g_losses.lost = 0;
  auto subscription = subscribe(n, options);
  std::uint32_t number = 0;
  auto guard = n->create_guard_condition([&] {
    number = takt_core::current_run()->callback->number();
    ++g_losses.lost;
    g_losses.listener.load()(g_losses.data, 1);
  });
  auto e = executor();
  e.add_node(n);
  guard->trigger();
  ASSERT_TRUE(spin_until(e, [&] { return !of_events.empty(); }));
  for (const auto & activation : of_events[0]) {
    EXPECT_NE(activation.root, number);
  }
  EXPECT_FALSE(of_events[0].empty());  // an activation of its own
  subscription.reset();
  g_losses.event = nullptr;
}

// Each of two callbacks ends the other's entity while both run: the last one does not wait.
TEST_F(EventsOf, PublishersMayEndEachOther)
{
  auto n = node("n");
  auto subscription = subscribe(n);
  std::array<std::shared_ptr<Publisher<Number>>, 2> publishers;
  std::atomic<int> began{0};
  std::atomic<int> ended{0};
  for (std::size_t i = 0; i < 2; ++i) {
    PublisherOptions options;
    options.callback_group = n->create_callback_group(CallbackGroupType::MutuallyExclusive);
    options.event_callbacks.matched_callback = [&, i](MatchedInfo &) {
      ++began;
      ASSERT_TRUE(wait_until([&] { return began == 2; }));
      publishers[1 - i].reset();
      ++ended;
    };
    publishers[i] = n->create_publisher<Number>("numbers", QoS(10), options);
  }
  auto e = executor(2);
  e.add_node(n);
  const Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return ended == 2; }));
  ASSERT_TRUE(wait_until([&] { return subscription->get_publisher_count() == 0; }));
}

// In a reentrant group a second event runs beside the first; each run has its own status.
TEST_F(EventsOf, RunsOfAReentrantGroupHaveTheirOwnStatus)
{
  auto n = node("n");
  const auto lose = [] {
    ++g_losses.lost;
    g_losses.listener.load()(g_losses.data, 1);
  };
  g_losses.lost = 0;
  std::atomic<int> began{0};
  std::array<std::atomic<std::size_t>, 2> totals{};
  SubscriptionOptions options;
  options.callback_group = n->create_callback_group(CallbackGroupType::Reentrant);
  options.event_callbacks.message_lost_callback = [&](QOSMessageLostInfo & info) {
    const int own = began++;
    ASSERT_TRUE(wait_until([&] { return began == 2; }));
    totals[own] = info.total_count;
  };
  auto subscription = subscribe(n, options);
  auto e = executor(2);
  e.add_node(n);
  const Spinning spinning(e);
  lose();
  ASSERT_TRUE(wait_until([&] { return began == 1; }));
  lose();
  ASSERT_TRUE(wait_until([&] { return totals[0] > 0 && totals[1] > 0; }));
  EXPECT_EQ(totals[0], 1u);
  EXPECT_EQ(totals[1], 2u);
  subscription.reset();
  g_losses.event = nullptr;
}

TEST_F(EventsOf, MissedDeadlinesAreToldToBothSides)
{
  auto n = std::make_shared<Node>("n", options().use_intra_process_comms(true));
  std::vector<QOSDeadlineOfferedInfo> offered;
  std::vector<QOSDeadlineRequestedInfo> requested;
  PublisherOptions publisher_options;
  publisher_options.event_callbacks.deadline_callback = [&](QOSDeadlineOfferedInfo & info) {
    offered.push_back(info);
  };
  SubscriptionOptions subscription_options;
  subscription_options.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo & info) {
    requested.push_back(info);
  };
  const QoS qos = QoS(10).deadline(20ms);
  auto publisher = n->create_publisher<Number>("numbers", qos, publisher_options);
  auto subscription = subscribe(n, subscription_options, qos);
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  publisher->publish(Number());  // Fast DDS watches from the first message on
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return offered.size() >= 2 && requested.size() >= 2; }));
  for (std::size_t i = 1; i < offered.size(); ++i) {
    EXPECT_EQ(offered[i].total_count, offered[i - 1].total_count + offered[i].total_count_change);
  }
  EXPECT_EQ(requested[0].total_count, requested[0].total_count_change);
  EXPECT_EQ(requested[1].total_count, requested[0].total_count + requested[1].total_count_change);
}

TEST_F(EventsOf, LivelinessIsLostAndComesBack)
{
  auto n = node("n");
  std::vector<QOSLivelinessLostInfo> lost;
  std::vector<QOSLivelinessChangedInfo> changed;
  PublisherOptions publisher_options;
  publisher_options.event_callbacks.liveliness_callback = [&](QOSLivelinessLostInfo & info) {
    lost.push_back(info);
  };
  SubscriptionOptions subscription_options;
  subscription_options.event_callbacks.liveliness_callback = [&](QOSLivelinessChangedInfo & info) {
    changed.push_back(info);
  };
  const QoS qos =
    QoS(10).liveliness(RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC).liveliness_lease_duration(50ms);
  auto publisher = n->create_publisher<Number>("numbers", qos, publisher_options);
  auto subscription = subscribe(n, subscription_options, qos);
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  auto e = executor();
  e.add_node(n);
  EXPECT_TRUE(publisher->assert_liveliness());
  ASSERT_TRUE(spin_until(
    e, [&] { return !lost.empty() && !changed.empty() && changed.back().alive_count == 0; }));
  EXPECT_EQ(lost[0].total_count, 1);
  EXPECT_EQ(lost[0].total_count_change, 1);
  EXPECT_EQ(changed.back().not_alive_count, 1);
  const std::size_t before = changed.size();
  EXPECT_TRUE(publisher->assert_liveliness());
  ASSERT_TRUE(spin_until(e, [&] { return changed.size() > before && lost.size() > 1; }));
  std::int32_t alive = 0;
  for (const auto & info : changed) {
    alive += info.alive_count_change;
    EXPECT_EQ(alive, info.alive_count);
  }
  EXPECT_EQ(lost[1].total_count, lost[0].total_count + lost[1].total_count_change);
}

TEST_F(EventsOf, AScheduleNamesThemAsOtherCallbacks)
{
  const auto schedule = takt_schedule::parse_schedule(
    R"yaml(version: 1
executors:
  main:
    missing_rights: report
    threads:
      hot: {}
      rest: {}
    default: hot
    callbacks:
      - {match: "/n:waitable(event)*", threads: rest}
)yaml",
    "schedule.yaml");
  ASSERT_TRUE(schedule.ok());
  auto n = node("n");
  std::atomic<std::int64_t> event_thread{-1};
  PublisherOptions options;
  options.callback_group = n->create_callback_group(CallbackGroupType::MutuallyExclusive);
  options.event_callbacks.deadline_callback = [](QOSDeadlineOfferedInfo &) {};
  options.event_callbacks.matched_callback = [&](MatchedInfo &) {
    EXPECT_EQ(running_id(), "/n:waitable(event)#2");
    event_thread = takt_core::current_run()->thread;
  };
  auto publisher = n->create_publisher<Number>("numbers", QoS(10), options);
  auto subscription = subscribe(n);
  auto e = Executor::from_schedule(context, schedule.value(), "main");
  e.add_node(n);
  EXPECT_TRUE(e.schedule_warnings().empty());
  const Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return event_thread >= 0; }));
  EXPECT_EQ(event_thread, 1);
}

}  // namespace
}  // namespace takt_rcl::test
