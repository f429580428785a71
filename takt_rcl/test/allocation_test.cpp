// takt allocates nothing for messages in steady state. The test does not count the middleware's
// allocations within publish and take. It counts takt's allocations in the listener, which the
// middleware calls.
//
// The program replaces malloc, the registration of listeners, and rcl's functions that publish,
// send and take.
#include <dlfcn.h>
#include <execinfo.h>
#include <rcl/client.h>
#include <rcl/event.h>
#include <rcl/publisher.h>
#include <rcl/service.h>
#include <rcl/subscription.h>

#include <atomic>
#include <cstdlib>
#include <diagnostic_msgs/srv/add_diagnostics.hpp>
#include <sensor_msgs/msg/image.hpp>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"

namespace
{

std::atomic<bool> g_counting{false};
std::atomic<std::uint64_t> g_allocations{0};
std::atomic<std::uint64_t> g_heard{0};
thread_local bool t_in_middleware = false;
thread_local bool t_watched = false;  // executor threads only
thread_local bool t_reporting = false;

void count() noexcept
{
  if (g_counting.load(std::memory_order_relaxed) && t_watched && !t_in_middleware && !t_reporting) {
    if (g_allocations.fetch_add(1) == 0) {
      t_reporting = true;
      void * frames[24];
      ::backtrace_symbols_fd(frames, ::backtrace(frames, 24), 2);
      t_reporting = false;
    }
  }
}

struct InMiddleware
{
  InMiddleware() { t_in_middleware = true; }
  ~InMiddleware() { t_in_middleware = false; }
};

struct Listener
{
  rcl_event_callback_t function;
  const void * data;
};

void listen(const void * listener, std::size_t number)
{
  const bool was = std::exchange(t_in_middleware, false);
  const auto * const real = static_cast<const Listener *>(listener);
  g_heard.fetch_add(1);
  real->function(real->data, number);
  t_in_middleware = was;
}

// On a thread of the middleware.
void listen_to_event(const void * listener, std::size_t number)
{
  const bool was = std::exchange(t_watched, true);
  listen(listener, number);
  t_watched = was;
}

template <typename Function>
Function next(Function, const char * name)
{
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void * __libc_malloc(std::size_t);
void * __libc_calloc(std::size_t, std::size_t);
void * __libc_realloc(void *, std::size_t);
void * __libc_memalign(std::size_t, std::size_t);

void * malloc(std::size_t size)
{
  count();
  return __libc_malloc(size);
}
void * calloc(std::size_t number, std::size_t size)
{
  count();
  return __libc_calloc(number, size);
}
void * realloc(void * old, std::size_t size)
{
  count();
  return __libc_realloc(old, size);
}
void * aligned_alloc(std::size_t alignment, std::size_t size)
{
  count();
  return __libc_memalign(alignment, size);
}

rcl_ret_t rcl_publish(
  const rcl_publisher_t * publisher, const void * message, rmw_publisher_allocation_t * allocation)
{
  static const auto real = next(&rcl_publish, "rcl_publish");
  const InMiddleware scope;
  return real(publisher, message, allocation);
}

rcl_ret_t rcl_take(
  const rcl_subscription_t * subscription, void * message, rmw_message_info_t * info,
  rmw_subscription_allocation_t * allocation)
{
  static const auto real = next(&rcl_take, "rcl_take");
  const InMiddleware scope;
  return real(subscription, message, info, allocation);
}

rcl_ret_t rcl_publish_serialized_message(
  const rcl_publisher_t * publisher, const rcl_serialized_message_t * message,
  rmw_publisher_allocation_t * allocation)
{
  static const auto real = next(&rcl_publish_serialized_message, "rcl_publish_serialized_message");
  const InMiddleware scope;
  return real(publisher, message, allocation);
}

rcl_ret_t rcl_take_serialized_message(
  const rcl_subscription_t * subscription, rcl_serialized_message_t * message,
  rmw_message_info_t * info, rmw_subscription_allocation_t * allocation)
{
  static const auto real = next(&rcl_take_serialized_message, "rcl_take_serialized_message");
  const InMiddleware scope;
  return real(subscription, message, info, allocation);
}

rcl_ret_t rcl_take_sequence(
  const rcl_subscription_t * subscription, std::size_t count, rmw_message_sequence_t * messages,
  rmw_message_info_sequence_t * infos, rmw_subscription_allocation_t * allocation)
{
  static const auto real = next(&rcl_take_sequence, "rcl_take_sequence");
  const InMiddleware scope;
  return real(subscription, count, messages, infos, allocation);
}

rcl_ret_t rcl_subscription_set_on_new_message_callback(
  const rcl_subscription_t * subscription, rcl_event_callback_t function, const void * data)
{
  static const auto real = next(
    &rcl_subscription_set_on_new_message_callback, "rcl_subscription_set_on_new_message_callback");
  if (function == nullptr) {
    return real(subscription, nullptr, nullptr);
  }
  return real(subscription, &listen, new Listener{function, data});  // lives as long as the program
}

rcl_ret_t rcl_send_request(
  const rcl_client_t * client, const void * request, std::int64_t * sequence_number)
{
  static const auto real = next(&rcl_send_request, "rcl_send_request");
  const InMiddleware scope;
  return real(client, request, sequence_number);
}

rcl_ret_t rcl_send_response(
  const rcl_service_t * service, rmw_request_id_t * request, void * response)
{
  static const auto real = next(&rcl_send_response, "rcl_send_response");
  const InMiddleware scope;
  return real(service, request, response);
}

rcl_ret_t rcl_take_request_with_info(
  const rcl_service_t * service, rmw_service_info_t * info, void * request)
{
  static const auto real = next(&rcl_take_request_with_info, "rcl_take_request_with_info");
  const InMiddleware scope;
  return real(service, info, request);
}

rcl_ret_t rcl_take_response_with_info(
  const rcl_client_t * client, rmw_service_info_t * info, void * response)
{
  static const auto real = next(&rcl_take_response_with_info, "rcl_take_response_with_info");
  const InMiddleware scope;
  return real(client, info, response);
}

rcl_ret_t rcl_service_set_on_new_request_callback(
  const rcl_service_t * service, rcl_event_callback_t function, const void * data)
{
  static const auto real =
    next(&rcl_service_set_on_new_request_callback, "rcl_service_set_on_new_request_callback");
  if (function == nullptr) {
    return real(service, nullptr, nullptr);
  }
  return real(service, &listen, new Listener{function, data});
}

rcl_ret_t rcl_client_set_on_new_response_callback(
  const rcl_client_t * client, rcl_event_callback_t function, const void * data)
{
  static const auto real =
    next(&rcl_client_set_on_new_response_callback, "rcl_client_set_on_new_response_callback");
  if (function == nullptr) {
    return real(client, nullptr, nullptr);
  }
  return real(client, &listen, new Listener{function, data});
}

rcl_ret_t rcl_take_event(const rcl_event_t * event, void * status)
{
  static const auto real = next(&rcl_take_event, "rcl_take_event");
  const InMiddleware scope;
  return real(event, status);
}

rcl_ret_t rcl_event_set_callback(
  const rcl_event_t * event, rcl_event_callback_t function, const void * data)
{
  static const auto real = next(&rcl_event_set_callback, "rcl_event_set_callback");
  if (function == nullptr) {
    return real(event, nullptr, nullptr);
  }
  return real(event, &listen_to_event, new Listener{function, data});
}

}  // extern "C"

namespace takt_rcl::test
{

class Allocations : public RosTest
{
protected:
  /// A chain: timer → const Msg & → shared_ptr → unique, with a join, on two threads.
  template <typename Msg>
  void expect_none(const Msg & content, bool by_pointer = false)
  {
    auto n = std::make_shared<Node>("n", options().use_intra_process_comms(by_pointer));
    auto a = n->create_publisher<Msg>("a", QoS(10));
    auto b = n->create_publisher<Msg>("b", QoS(10));
    auto c = n->create_publisher<Msg>("c", QoS(10));
    for (const auto & publisher : {a, b, c}) {
      publisher->prepare(content);
    }
    auto message = std::make_unique<Msg>(content);
    auto join = std::make_unique<Join<Msg>>();
    auto timer = n->create_wall_timer(1ms, [&](const TimerInfo &) {
      t_watched = true;
      a->publish(*message);
    });
    SubscriptionOptions reentrant;
    reentrant.callback_group = n->create_callback_group(CallbackGroupType::Reentrant);
    auto first = n->create_subscription<Msg>(
      "a", QoS(10),
      [&](const Msg & m, const MessageInfo &) {
        t_watched = true;
        b->publish(m);
      },
      reentrant);
    auto second = n->create_subscription<Msg>("b", QoS(10), [&](std::shared_ptr<const Msg> m) {
      t_watched = true;
      join->store(*m);
      join->store(m);
      const JoinScope scope(*join);
      c->publish(join->get());
      join->clear();
    });
    std::atomic<std::uint64_t> ended{0};
    auto third = n->create_subscription<Msg>("c", QoS(10), [&](UniqueMessage<Msg>) {
      t_watched = true;
      ++ended;
    });
    auto guard = n->create_guard_condition([&] { t_watched = true; });
    auto e = executor(2);
    e.add_node(n);
    for (const auto & publisher : {a, b, c}) {
      ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
    }
    Spinning spinning(e);
    ASSERT_TRUE(wait_until([&] { return ended > 200; }));  // after warm-up
    const std::uint64_t heard = g_heard;
    const std::uint64_t before = ended;
    g_allocations = 0;
    g_counting = true;
    ASSERT_TRUE(wait_until([&] {
      guard->trigger();
      return ended > before + 500;
    }));
    g_counting = false;
    if (by_pointer) {
      EXPECT_EQ(g_heard - heard, 0u);
    } else {
      EXPECT_GE(g_heard - heard, 3 * 400u);  // the listeners ran, and the test counted their
                                             // allocations
    }
    EXPECT_EQ(g_allocations, 0u);
    EXPECT_EQ(second->allocated_messages() + third->allocated_messages(), 0u);
    EXPECT_EQ(a->allocated_messages() + b->allocated_messages() + c->allocated_messages(), 0u);
  }
};

TEST_F(Allocations, TheWatchWorks)
{
  t_watched = true;
  g_allocations = 0;
  g_counting = true;
  std::unique_ptr<int> volatile_one(new int(1));
  g_counting = false;
  t_watched = false;
  EXPECT_EQ(*volatile_one, 1);
  EXPECT_EQ(g_allocations, 1u);
}

TEST_F(Allocations, NonePerSmallMessage)
{
  expect_none(std_msgs::msg::UInt64());
}

TEST_F(Allocations, NonePerMessageWithStringsAndSequences)
{
  sensor_msgs::msg::Image image;
  image.header.frame_id = "a name that is too long for any small string";
  image.data.resize(4096);
  expect_none(image);
}

// Forwarded once in place and once as a pointer that is kept until the next message.
TEST_F(Allocations, NonePerSerialisedMessage)
{
  using Number = std_msgs::msg::UInt64;
  auto n = node("n");
  auto a = n->create_publisher<Number>("a", QoS(10));
  auto b = n->create_generic_publisher("b", "std_msgs/msg/UInt64", QoS(10));
  auto timer = n->create_wall_timer(1ms, [&] {
    t_watched = true;
    a->publish(Number());
  });
  auto first = n->create_generic_subscription(
    "a", "std_msgs/msg/UInt64", QoS(10), [&](const SerializedMessage & message) {
      t_watched = true;
      b->publish(message);
    });
  std::atomic<std::uint64_t> ended{0};
  std::shared_ptr<const SerializedMessage> kept;
  auto second = n->create_generic_subscription(
    "b", "std_msgs/msg/UInt64", QoS(10), [&](std::shared_ptr<const SerializedMessage> message) {
      kept = std::move(message);
      ++ended;
    });
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(a->wait_for_matched(1, kPatience));
  ASSERT_TRUE(b->wait_for_matched(1, kPatience));
  Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return ended > 50; }));  // after warm-up
  const std::uint64_t before = ended;
  g_allocations = 0;
  g_counting = true;
  ASSERT_TRUE(wait_until([&] { return ended > before + 200; }));
  g_counting = false;
  spinning.stop();
  EXPECT_EQ(g_allocations, 0u);
  EXPECT_EQ(first->allocated_messages() + second->allocated_messages(), 0u);
}

// Neither in the listener nor on the executor thread.
TEST_F(Allocations, NonePerEvent)
{
  using Number = std_msgs::msg::UInt64;
  auto n = node("n");
  std::atomic<std::uint64_t> runs{0};
  SubscriptionOptions options;
  options.event_callbacks.deadline_callback = [&](QOSDeadlineRequestedInfo &) {
    t_watched = true;
    ++runs;
  };
  const QoS qos = QoS(1).deadline(1ms);
  auto publisher = n->create_publisher<Number>("a", qos);
  auto subscription = n->create_subscription<Number>(
    "a", qos, [](const Number &) {}, options);
  ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
  publisher->publish(Number());
  auto e = executor();
  e.add_node(n);
  const Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return runs > 20; }));
  const std::uint64_t heard = g_heard;
  const std::uint64_t before = runs;
  g_allocations = 0;
  g_counting = true;
  ASSERT_TRUE(wait_until([&] { return runs > before + 100; }));
  g_counting = false;
  EXPECT_GE(g_heard - heard, 100u);
  EXPECT_EQ(g_allocations, 0u);
}

// A timer reads what it published a period before.
TEST_F(Allocations, NonePerPolledMessage)
{
  using Number = std_msgs::msg::UInt64;
  auto n = node("n");
  auto publisher = n->create_publisher<Number>("a", QoS(10));
  auto newest = n->create_polling_subscription<Number>("a", QoS(10));
  auto all = n->create_polling_subscription<Number>("a", QoS(10));
  std::vector<Number> some(5);
  std::atomic<std::uint64_t> read{0};
  Number number;
  auto timer = n->create_wall_timer(1ms, [&] {
    t_watched = true;
    const Number * const latest = newest->latest();
    const std::size_t taken = all->take_sequence(some);
    Number one;
    while (all->take(one)) {
    }
    if (latest != nullptr && taken > 0 && latest->data == number.data) {
      ++read;
    }
    ++number.data;
    publisher->publish(number);
  });
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(publisher->wait_for_matched(2, kPatience));
  Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return read > 50; }));  // after warm-up
  const std::uint64_t before = read;
  g_allocations = 0;
  g_counting = true;
  ASSERT_TRUE(wait_until([&] { return read > before + 200; }));
  g_counting = false;
  spinning.stop();
  EXPECT_EQ(g_allocations, 0u);
}

// Each run takes the messages behind its own; also by pointer.
TEST_F(Allocations, NonePerSequence)
{
  using Number = std_msgs::msg::UInt64;
  for (const bool by_pointer : {false, true}) {
    auto n = std::make_shared<Node>("n", options().use_intra_process_comms(by_pointer));
    auto publisher = n->create_publisher<Number>("a", QoS(100));
    auto timer = n->create_wall_timer(1ms, [&] {
      t_watched = true;
      for (int i = 0; i < 3; ++i) {
        publisher->publish(Number());
      }
    });
    std::vector<Number> others(10);
    std::atomic<std::uint64_t> batches{0};
    Subscription<Number>::SharedPtr subscription;
    subscription = n->create_subscription<Number>("a", QoS(100), [&](const Number &) {
      t_watched = true;
      batches += subscription->take_sequence(others) > 0 ? 1 : 0;
    });
    auto e = executor();
    e.add_node(n);
    ASSERT_TRUE(publisher->wait_for_matched(1, kPatience));
    Spinning spinning(e);
    ASSERT_TRUE(wait_until([&] { return batches > 50; }));  // after warm-up
    const std::uint64_t before = batches;
    g_allocations = 0;
    g_counting = true;
    ASSERT_TRUE(wait_until([&] { return batches > before + 200; }));
    g_counting = false;
    spinning.stop();
    EXPECT_EQ(g_allocations, 0u);
  }
}

// A timer asks three services: one answers in its callback, one a period later, one into a future.
TEST_F(Allocations, NonePerRequestAndResponse)
{
  using Srv = diagnostic_msgs::srv::AddDiagnostics;
  auto n = node("n");
  const auto text = std::make_unique<const std::string>("longer than any small string may be");
  PendingResponse<Srv> later;
  auto prompt =
    n->create_service<Srv>("prompt", [&](const Srv::Request & question, Srv::Response & answer) {
      t_watched = true;
      answer.message = question.load_namespace;
    });
  auto slow =
    n->create_service<Srv>("slow", [&](PendingResponse<Srv> pending, const Srv::Request &) {
      t_watched = true;
      later = std::move(pending);
    });
  ClientOptions many;
  many.pending = 1000;  // a slow machine refuses none: the first refusal is logged
  auto asks_prompt = n->create_client<Srv>("prompt", many);
  auto asks_slow = n->create_client<Srv>("slow", many);
  auto waits = n->create_client<Srv>("prompt");
  std::uint64_t answered = 0;
  std::uint64_t answered_late = 0;
  std::atomic<std::uint64_t> rounds{0};
  Srv::Request question;
  question.load_namespace = *text;
  Srv::Response answer;
  answer.message = *text;
  Client<Srv>::Future future;
  auto timer = n->create_wall_timer(1ms, [&] {
    t_watched = true;
    asks_prompt->async_send_request(
      question, [&](const Srv::Response & heard) { answered += heard.message.size() / 10; });
    if (later) {
      later.respond(answer);
    } else {
      asks_slow->async_send_request(question, [&](const Srv::Response &) { ++answered_late; });
    }
    if (future.status() != FutureStatus::timeout) {
      rounds += future.ready() && future.get()->message == *text ? 1 : 0;
      future = waits->async_send_request(question);
    }
  });
  auto e = executor(2);
  e.add_node(n);
  for (const auto & client : {asks_prompt, asks_slow, waits}) {
    ASSERT_TRUE(client->wait_for_service(kPatience));
  }
  Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return rounds > 200; }));  // after warm-up
  const std::uint64_t heard = g_heard;
  const std::uint64_t before = rounds;
  g_allocations = 0;
  g_counting = true;
  ASSERT_TRUE(wait_until([&] { return rounds > before + 300; }));
  g_counting = false;
  spinning.stop();
  EXPECT_GE(g_heard - heard, 4 * 250u);
  EXPECT_EQ(g_allocations, 0u);
  EXPECT_GT(answered, 500u);
  EXPECT_GT(answered_late, 100u);
}

TEST_F(Allocations, NonePerMessageByPointer)
{
  sensor_msgs::msg::Image image;
  image.header.frame_id = "a name that is too long for any small string";
  image.data.resize(4096);
  expect_none(image, true);
}

}  // namespace takt_rcl::test
