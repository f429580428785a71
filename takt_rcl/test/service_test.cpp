// Services and clients inside one process: signatures, deferred responses, futures, bounds,
// refusals.
#include <rcutils/logging.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <diagnostic_msgs/srv/add_diagnostics.hpp>
#include <mutex>

#include "ros_test.hpp"
#include "takt_rcl/error.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rcl::test
{
namespace
{

using Srv = diagnostic_msgs::srv::AddDiagnostics;
using Request = Srv::Request;
using Response = Srv::Response;

Request request(const std::string & text)
{
  Request one;
  one.load_namespace = text;
  return one;
}

void echo(const Request & question, Response & answer)
{
  answer.success = true;
  answer.message = "heard " + question.load_namespace;
}

class Services : public RosTest
{
protected:
  ClientOptions own_group(const std::shared_ptr<Node> & n) const
  {
    ClientOptions own;
    own.callback_group = n->create_callback_group(CallbackGroupType::MutuallyExclusive);
    return own;
  }
};

TEST_F(Services, RespondsInOrderToRequestsWithCallbacks)
{
  auto n = node("n", "/ns");
  auto service = n->create_service<Srv>("ask", echo);
  auto client = n->create_client<Srv>("ask");
  EXPECT_EQ(service->id(), "/ns/n:service(/ns/ask)");
  EXPECT_EQ(client->id(), "/ns/n:client(/ns/ask)");
  EXPECT_EQ(service->kind(), takt_core::Kind::service);
  EXPECT_EQ(client->kind(), takt_core::Kind::client);
  EXPECT_STREQ(service->get_service_name(), "/ns/ask");
  EXPECT_STREQ(client->get_service_name(), "/ns/ask");
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  std::vector<std::string> got;
  std::vector<std::int64_t> sent;
  std::vector<std::int64_t> answered;
  for (int i = 0; i < 5; ++i) {
    sent.push_back(client->async_send_request(
      request(std::to_string(i)), [&](const Response & answer, std::int64_t number) {
        got.push_back(answer.message);
        answered.push_back(number);
      }));
  }
  EXPECT_EQ(client->pending_requests(), 5u);
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 5; }));
  EXPECT_EQ(got, (std::vector<std::string>{"heard 0", "heard 1", "heard 2", "heard 3", "heard 4"}));
  EXPECT_EQ(answered, sent);
  EXPECT_EQ(client->pending_requests(), 0u);
  EXPECT_EQ(client->taken_responses(), 5u);
  EXPECT_EQ(client->unexpected_responses() + client->refused_requests(), 0u);
  EXPECT_EQ(service->taken_requests(), 5u);
  EXPECT_EQ(service->sent_responses(), 5u);
  EXPECT_EQ(service->failed_responses() + service->lost_requests(), 0u);
}

TEST_F(Services, EverySignatureAnswers)
{
  auto n = node("n");
  std::vector<std::shared_ptr<ServiceBase>> services;
  const auto offer = [&](auto callback) {
    services.push_back(n->create_service<Srv>("s" + std::to_string(services.size()), callback));
  };
  const auto answer = [](const std::string & text) {
    Response one;
    one.message = text;
    return one;
  };
  std::vector<PendingResponse<Srv>> later;
  offer([](const Request & q, Response & a) { a.message = q.load_namespace; });
  offer([&](const Request & q) { return answer(q.load_namespace); });
  offer([](Request::SharedPtr q, Response::SharedPtr a) { a->message = q->load_namespace; });
  offer([](const std::shared_ptr<Request> q, std::shared_ptr<Response> a) {
    a->message = q->load_namespace;
  });
  offer([](
          std::shared_ptr<rmw_request_id_t> id, std::shared_ptr<Request> q,
          std::shared_ptr<Response> a) {
    a->message = id->sequence_number > 0 ? q->load_namespace : "";
  });
  offer([&](PendingResponse<Srv> pending, const Request & q) {
    pending.respond(answer(q.load_namespace));
  });
  auto e = executor();
  e.add_node(n);
  for (const auto & service : services) {
    auto client = n->create_client<Srv>(service->service());
    ASSERT_TRUE(client->wait_for_service(kPatience));
    std::vector<std::string> got;
    client->async_send_request(
      request("plain"), [&](const Response & a) { got.push_back(a.message); });
    client->async_send_request(
      std::make_shared<Request>(request("ported")),
      [&](Client<Srv>::SharedFuture future) { got.push_back(future.get()->message); });
    EXPECT_TRUE(spin_until(e, [&] { return got.size() == 2; })) << service->id();
    EXPECT_EQ(got, (std::vector<std::string>{"plain", "ported"})) << service->id();
  }
}

TEST_F(Services, AResponseBeginsWithItsDefaultsEachTime)
{
  auto n = node("n");
  int runs = 0;
  auto service = n->create_service<Srv>("ask", [&](const Request &, Response & answer) {
    if (++runs == 1) {
      answer.message = "only the first time";
      answer.success = true;
    }
  });
  auto client = n->create_client<Srv>("ask");
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  std::vector<Response> got;
  for (std::size_t i = 0; i < 2; ++i) {
    client->async_send_request(request(""), [&](const Response & a) { got.push_back(a); });
    ASSERT_TRUE(spin_until(e, [&] { return got.size() == i + 1; }));
  }
  EXPECT_EQ(got[0].message, "only the first time");
  EXPECT_EQ(got[1], Response());
}

TEST_F(Services, ADeferredResponseIsSentOnceFromAnyThread)
{
  auto n = node("n");
  std::vector<PendingResponse<Srv>> later;
  auto service = n->create_service<Srv>("ask", [&](PendingResponse<Srv> pending, const Request &) {
    later.push_back(std::move(pending));
  });
  auto client = n->create_client<Srv>("ask");
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  std::vector<std::string> got;
  for (int i = 0; i < 2; ++i) {
    client->async_send_request(request(""), [&](const Response & a) { got.push_back(a.message); });
  }
  ASSERT_TRUE(spin_until(e, [&] { return later.size() == 2; }));
  EXPECT_TRUE(got.empty());
  std::thread([&] {
    for (std::size_t i = 2; i > 0; --i) {
      Response answer;
      answer.message = std::to_string(i);
      EXPECT_TRUE(later[i - 1]);
      EXPECT_TRUE(later[i - 1].respond(answer));
      EXPECT_FALSE(later[i - 1]);
      EXPECT_FALSE(later[i - 1].respond(answer));
    }
  }).join();
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 2; }));
  EXPECT_EQ(got, (std::vector<std::string>{"2", "1"}));
  EXPECT_EQ(service->sent_responses(), 2u);
}

TEST_F(Services, ADeferredResponseOfAnEndedServiceIsRefused)
{
  auto n = node("n");
  PendingResponse<Srv> later;
  auto service = n->create_service<Srv>(
    "ask", [&](PendingResponse<Srv> pending, const Request &) { later = std::move(pending); });
  auto client = n->create_client<Srv>("ask");
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  const auto future = client->async_send_request(request(""));
  ASSERT_TRUE(spin_until(e, [&] { return static_cast<bool>(later); }));
  service.reset();
  EXPECT_FALSE(later.respond(Response()));
  EXPECT_FALSE(future.ready());
}

TEST_F(Services, AFutureWaitsOutsideOfTheExecutor)
{
  auto n = node("n");
  auto service = n->create_service<Srv>("ask", echo);
  auto client = n->create_client<Srv>("ask");
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  auto future = client->async_send_request(request("you"));
  EXPECT_TRUE(future.valid());
  EXPECT_NE(future.request_id, 0);
  EXPECT_EQ(future.wait_for(0s), FutureStatus::timeout);
  EXPECT_EQ(future.wait_for(1ms), FutureStatus::timeout);  // no thread spins yet
  Spinning spinning(e);
  EXPECT_EQ(future.wait_for(kPatience), FutureStatus::ready);
  EXPECT_EQ(future.get()->message, "heard you");
  auto moved = std::move(future);
  EXPECT_FALSE(future.valid());  // NOLINT: moved from
  EXPECT_EQ(moved.get()->message, "heard you");
  EXPECT_EQ(client->pending_requests(), 0u);
}

TEST_F(Services, SpinsUntilAFutureIsComplete)
{
  auto n = node("n");
  auto m = node("m");
  auto service = n->create_service<Srv>("ask", echo);
  auto client = m->create_client<Srv>("ask");
  ASSERT_TRUE(client->wait_for_service(kPatience));
  auto future = client->async_send_request(request("1"));
  EXPECT_EQ(takt_rcl::spin_until_future_complete(m, future, 20ms), FutureReturnCode::TIMEOUT);
  auto e = executor();
  e.add_node(n);
  e.add_node(m);
  EXPECT_EQ(e.spin_until_future_complete(future, kPatience), FutureReturnCode::SUCCESS);
  EXPECT_EQ(future.get()->message, "heard 1");
  std::promise<void> standard;
  auto other = standard.get_future();
  EXPECT_EQ(e.spin_until_future_complete(other, 1ms), FutureReturnCode::TIMEOUT);
  standard.set_value();
  EXPECT_EQ(e.spin_until_future_complete(other), FutureReturnCode::SUCCESS);
  auto unanswered = client->async_send_request(request("2"));
  context->shutdown();
  EXPECT_EQ(e.spin_until_future_complete(unanswered), FutureReturnCode::INTERRUPTED);
}

// Without a timeout: a spin that waits for such a future never ends.
TEST_F(Services, ASpinEndsForAFutureThatCannotBecomeReady)
{
  auto n = node("n");
  ClientOptions one;
  one.pending = 1;
  auto client = n->create_client<Srv>("ask", one);
  auto e = executor();
  e.add_node(n);
  const Client<Srv>::Future none;
  EXPECT_EQ(e.spin_until_future_complete(none), FutureReturnCode::INTERRUPTED);
  auto unanswered = client->async_send_request(request("1"));
  auto refused = client->async_send_request(request("2"));
  ASSERT_FALSE(refused.valid());
  EXPECT_EQ(e.spin_until_future_complete(refused), FutureReturnCode::INTERRUPTED);
  auto prunes = n->create_wall_timer(1ms, [&] { client->prune_pending_requests(); });
  EXPECT_EQ(e.spin_until_future_complete(unanswered), FutureReturnCode::INTERRUPTED);
  EXPECT_EQ(unanswered.status(), FutureStatus::forgotten);
}

TEST_F(Services, PlacesForRequestsAreBounded)
{
  auto n = node("n");
  std::vector<PendingResponse<Srv>> later;
  auto service = n->create_service<Srv>("ask", [&](PendingResponse<Srv> pending, const Request &) {
    later.push_back(std::move(pending));
  });
  ClientOptions two;
  two.pending = 2;
  auto client = n->create_client<Srv>("ask", two);
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  std::vector<std::string> got;
  const auto ask = [&] {
    return client->async_send_request(
      request(""), [&](const Response & a) { got.push_back(a.message); });
  };
  const auto first = ask();
  auto future = client->async_send_request(request(""));
  EXPECT_NE(first, 0);
  EXPECT_EQ(ask(), 0);
  auto refused = client->async_send_request(request(""));
  EXPECT_FALSE(refused.valid());
  EXPECT_EQ(refused.wait_for(kPatience), FutureStatus::forgotten);
  EXPECT_EQ(refused.get(), nullptr);
  EXPECT_EQ(client->refused_requests(), 2u);
  EXPECT_EQ(client->pending_requests(), 2u);
  EXPECT_TRUE(client->remove_pending_request(first));
  EXPECT_FALSE(client->remove_pending_request(first));
  EXPECT_NE(ask(), 0);
  ASSERT_TRUE(spin_until(e, [&] { return later.size() == 3; }));
  for (auto & one : later) {
    EXPECT_TRUE(one.respond(Response()));
  }
  ASSERT_TRUE(spin_until(e, [&] { return future.ready() && got.size() == 1; }));
  EXPECT_EQ(client->unexpected_responses(), 1u);
  EXPECT_EQ(client->forgotten_requests(), 1u);
}

std::vector<std::string> g_logged;
void keep_log(
  const rcutils_log_location_t *, int, const char *, rcutils_time_point_value_t,
  const char * format, va_list * arguments)
{
  char text[1000];
  va_list copy;
  va_copy(copy, *arguments);
  std::vsnprintf(text, sizeof text, format, copy);
  va_end(copy);
  g_logged.emplace_back(text);
}

TEST_F(Services, TheFirstRefusedRequestIsLogged)
{
  auto n = node("n");
  ClientOptions two;
  two.pending = 2;
  auto client = n->create_client<Srv>("ask", two);
  const auto before = rcutils_logging_get_output_handler();
  rcutils_logging_set_output_handler(keep_log);
  for (int i = 0; i < 5; ++i) {
    client->async_send_request(request(""), [](const Response &) {});
  }
  rcutils_logging_set_output_handler(before);
  EXPECT_EQ(client->refused_requests(), 3u);
  const auto ours = [](const std::string & line) {
    return line.starts_with(
      "/n:client(/ask) refuses a request, because all its places are taken; 2 requests wait for a "
      "response. ");
  };
  EXPECT_EQ(std::count_if(g_logged.begin(), g_logged.end(), ours), 1);
}

TEST_F(Services, ForgottenRequestsEndTheirFuturesAndFunctions)
{
  auto n = node("n");
  auto client = n->create_client<Srv>("ask");
  const auto held = std::make_shared<int>(0);
  auto future = client->async_send_request(request(""));
  client->async_send_request(request(""), [held](const Response &) {});
  EXPECT_EQ(held.use_count(), 2);
  EXPECT_EQ(client->prune_requests_older_than(1h), 0u);
  std::thread waiting([&] { EXPECT_EQ(future.wait(), FutureStatus::forgotten); });
  EXPECT_EQ(client->prune_pending_requests(), 2u);
  waiting.join();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(client->pending_requests(), 0u);
  EXPECT_EQ(client->forgotten_requests(), 2u);

  client->async_send_request(request(""), [held](const Response &) {});
  auto last = client->async_send_request(request(""));
  client.reset();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(last.wait_for(kPatience), FutureStatus::forgotten);
}

TEST_F(Services, AWaitEndsWithItsContext)
{
  auto n = node("n");
  auto client = n->create_client<Srv>("ask");
  auto future = client->async_send_request(request(""));
  std::atomic<bool> over{false};
  const Response * got = nullptr;
  FutureStatus status = FutureStatus::ready;
  std::thread waiting([&] {
    got = future.get();
    status = future.wait_for(2 * kPatience);
    over = true;
  });
  EXPECT_TRUE(context->shutdown());
  EXPECT_TRUE(wait_until([&] { return over.load(); }));
  EXPECT_EQ(client->forgotten_requests(), 0u);
  client->prune_pending_requests();  // the wait ends here at the latest
  waiting.join();
  EXPECT_EQ(status, FutureStatus::forgotten);
  EXPECT_EQ(got, nullptr);
}

TEST_F(Services, AnOldRequestMakesRoomForANewOne)
{
  auto n = node("n");
  ClientOptions one;
  one.pending = 1;
  one.forget_after = takt_rt::Duration(0);
  auto client = n->create_client<Srv>("ask", one);
  auto first = client->async_send_request(request(""));
  auto second = client->async_send_request(request(""));
  EXPECT_TRUE(second.valid());
  EXPECT_EQ(first.status(), FutureStatus::forgotten);
  EXPECT_EQ(second.status(), FutureStatus::timeout);
  EXPECT_EQ(client->forgotten_requests(), 1u);
  EXPECT_EQ(client->refused_requests(), 0u);
}

TEST_F(Services, AFutureThatEndsFreesItsPlaceAndItsResponseIsDropped)
{
  auto n = node("n");
  auto service = n->create_service<Srv>("ask", echo);
  ClientOptions one;
  one.pending = 1;
  auto client = n->create_client<Srv>("ask", one);
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  {
    auto future = client->async_send_request(request("first"));
    ASSERT_TRUE(future.valid());
  }
  auto future = client->async_send_request(request("second"));
  ASSERT_TRUE(future.valid());
  ASSERT_TRUE(spin_until(e, [&] { return future.ready(); }));
  EXPECT_EQ(future.get()->message, "heard second");
  EXPECT_EQ(client->unexpected_responses(), 1u);
}

// Between the take of a response and its run the future ends, and another request gets the place.
TEST(PendingCalls, ARunGivesItsResponseToNoLaterRequest)
{
  detail::TypedCalls<Srv> calls(1);
  const auto send = [&](bool future, std::int64_t number) {
    const std::lock_guard lock(calls.mutex());
    const PendingCall call = calls.reserve(future);
    EXPECT_TRUE(call);
    calls.await(call, number, takt_rt::now());
    return call;
  };
  Response first;
  first.message = "first";
  Response second;
  second.message = "second";
  std::vector<std::string> got;
  const PendingCall ends = send(true, 1);
  const PendingCall run = calls.begin(1);
  calls.abandon(ends);
  const PendingCall later = send(false, 2);
  EXPECT_EQ(later.place, ends.place);
  calls.function(later) = [&](const Response & a, std::int64_t) { got.push_back(a.message); };
  calls.finish(run, &first, 1);
  EXPECT_EQ(got, std::vector<std::string>());
  EXPECT_EQ(calls.pending(), 1u);
  calls.finish(calls.begin(2), &second, 2);
  EXPECT_EQ(got, std::vector<std::string>{"second"});
  EXPECT_EQ(calls.pending(), 0u);
}

TEST_F(Services, AResponsesCallbackSendsTheNextRequestFromTheOnlyPlace)
{
  auto n = node("n");
  auto service = n->create_service<Srv>("ask", echo);
  ClientOptions one;
  one.pending = 1;
  auto client = n->create_client<Srv>("ask", one);
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  std::vector<std::string> got;
  bool sent = false;
  client->async_send_request(request("1"), [&](const Response & first) {
    got.push_back(first.message);
    sent = client->async_send_request(
             request("2"), [&](const Response & second) { got.push_back(second.message); }) != 0;
  });
  ASSERT_TRUE(spin_until(e, [&] { return !got.empty(); }));
  ASSERT_TRUE(sent);
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 2; }));
  EXPECT_EQ(got, (std::vector<std::string>{"heard 1", "heard 2"}));
  EXPECT_EQ(client->refused_requests(), 0u);
}

TEST_F(Services, LargeCallablesServeToo)
{
  auto n = node("n");
  auto service = n->create_service<Srv>("ask", echo);
  auto client = n->create_client<Srv>("ask");
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  std::array<char, 500> large{"large"};
  std::string got;
  client->async_send_request(request(""), [&got, large](const Response &) { got = large.data(); });
  ASSERT_TRUE(spin_until(e, [&] { return !got.empty(); }));
  EXPECT_EQ(got, "large");
}

/// The sentence with which a wait in a callback of `n` is refused; empty if it was not.
class Waiting
{
public:
  Waiting(
    const std::shared_ptr<Node> & n, Client<Srv>::SharedPtr client, CallbackGroup::SharedPtr group)
  : client_(std::move(client))
  {
    GuardConditionOptions options;
    options.callback_group = std::move(group);
    options.name = "waits";
    guard_ = n->create_guard_condition(
      [this] {
        try {
          const auto future = client_->async_send_request(request("me"));
          ready = future.wait_for(kPatience) == FutureStatus::ready;
        } catch (const Error & error) {
          refusal = error.what();
        }
        done = true;
      },
      options);
    guard_->trigger();
  }

  std::atomic<bool> done{false};
  bool ready = false;
  std::string refusal;

private:
  Client<Srv>::SharedPtr client_;
  GuardCondition::SharedPtr guard_;
};

TEST_F(Services, AWaitOnTheOnlyThreadIsRefusedWithASentence)
{
  auto n = node("n");
  auto m = node("m");
  auto service = m->create_service<Srv>("ask", echo);
  auto client = n->create_client<Srv>("ask", own_group(n));
  auto served = executor();
  served.add_node(m);
  Spinning elsewhere(served);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  auto e = executor(1);
  e.add_node(n);
  Waiting waiting(n, client, nullptr);
  {
    Spinning spinning(e);
    ASSERT_TRUE(wait_until([&] { return waiting.done.load(); }));
  }
  EXPECT_EQ(
    waiting.refusal,
    "/n:client(/ask): /n:waitable(waits) must not wait for the response, because /n:client(/ask) "
    "cannot start before the end of this wait: give the request a callback, or bind "
    "/n:client(/ask) to another thread and callback group");
  // The same within spin_once, whose thread is the only one.
  auto two = executor(2);
  e.remove_node(n);
  two.add_node(n);
  Waiting again(n, client, nullptr);
  ASSERT_TRUE(spin_until(two, [&] { return again.done.load(); }));
  EXPECT_NE(again.refusal.find("/n:client(/ask) cannot start"), std::string::npos);
}

TEST_F(Services, AWaitInTheClientsOwnExclusiveGroupIsRefused)
{
  auto n = node("n");
  auto m = node("m");
  auto service = m->create_service<Srv>("ask", echo);
  auto client = n->create_client<Srv>("ask");
  auto e = executor(2);
  e.add_node(n);
  e.add_node(m);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  Waiting waiting(n, client, nullptr);
  Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return waiting.done.load(); }));
  EXPECT_NE(waiting.refusal.find("/n:client(/ask) cannot start"), std::string::npos);
}

TEST_F(Services, AWaitForAServiceOfTheCallersOwnGroupIsRefused)
{
  auto n = node("n");
  auto service = n->create_service<Srv>("ask", echo);
  auto client = n->create_client<Srv>("ask", own_group(n));
  auto e = executor(2);
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  Waiting waiting(n, client, nullptr);
  Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return waiting.done.load(); }));
  EXPECT_NE(waiting.refusal.find("/n:service(/ask) cannot start"), std::string::npos);
}

TEST_F(Services, AWaitBesideAnotherThreadAndGroupGetsItsResponse)
{
  auto n = node("n");
  auto m = node("m");
  auto service = m->create_service<Srv>("ask", echo);
  auto client = n->create_client<Srv>("ask", own_group(n));
  auto e = executor(2);
  e.add_node(n);
  e.add_node(m);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  Waiting waiting(n, client, nullptr);
  Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return waiting.done.load(); }));
  EXPECT_EQ(waiting.refusal, "");
  EXPECT_TRUE(waiting.ready);
}

TEST_F(Services, AWaitIsRefusedWhereTheScheduleBindsTheClientToTheSameThread)
{
  const std::string text =
    "version: 1\n"
    "executors:\n"
    "  main:\n"
    "    threads: {a: {}, b: {}}\n"
    "    default: b\n"
    "    callbacks:\n"
    "      - {match: [\"/n:client(/ask)\", \"/n:waitable(waits)\"], threads: a}\n";
  const auto schedule = takt_schedule::parse_schedule(text, "test.yaml");
  ASSERT_TRUE(schedule) << takt_rt::sentences(schedule.faults()).front();
  auto n = node("n");
  auto service = n->create_service<Srv>("ask", echo);
  auto client = n->create_client<Srv>("ask", own_group(n));
  const auto group = n->create_callback_group(CallbackGroupType::MutuallyExclusive);
  auto e = Executor::from_schedule(context, *schedule, "main");
  e.add_node(n);
  EXPECT_EQ(e.defaulted_callbacks(), (std::vector<std::string>{"/n:service(/ask)"}));
  ASSERT_TRUE(client->wait_for_service(kPatience));
  Waiting waiting(n, client, group);
  Spinning spinning(e);
  ASSERT_TRUE(wait_until([&] { return waiting.done.load(); }));
  EXPECT_NE(waiting.refusal.find("/n:client(/ask) cannot start"), std::string::npos);
}

TEST_F(Services, AWaitOnTheOnlyThreadOfAnIsolatedReentrantGroupIsRefused)
{
  const std::string text =
    "version: 1\n"
    "executors:\n"
    "  main:\n"
    "    threads: {a: {}, b: {}}\n"
    "    default: b\n"
    "    groups:\n"
    "      - {match: \"/n:group(alone)\", isolate: true}\n";
  const auto schedule = takt_schedule::parse_schedule(text, "test.yaml");
  ASSERT_TRUE(schedule) << takt_rt::sentences(schedule.faults()).front();
  auto n = node("n");
  auto m = node("m");
  auto service = m->create_service<Srv>("ask", echo);
  auto served = executor();
  served.add_node(m);
  Spinning elsewhere(served);
  ClientOptions alone;
  alone.callback_group = n->create_callback_group(CallbackGroupType::Reentrant, "alone");
  auto client = n->create_client<Srv>("ask", alone);
  auto e = Executor::from_schedule(context, *schedule, "main");
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  {
    Waiting waiting(n, client, alone.callback_group);
    Spinning spinning(e);
    ASSERT_TRUE(wait_until([&] { return waiting.done.load(); }, 2 * kPatience));
    EXPECT_NE(waiting.refusal.find("/n:client(/ask) cannot start"), std::string::npos);
  }
  // Another group's callback may wait for it, but not within spin_once.
  const auto other = n->create_callback_group(CallbackGroupType::MutuallyExclusive);
  {
    Waiting waiting(n, client, other);
    Spinning spinning(e);
    ASSERT_TRUE(wait_until([&] { return waiting.done.load(); }));
    EXPECT_EQ(waiting.refusal, "");
    EXPECT_TRUE(waiting.ready);
  }
  Waiting waiting(n, client, other);
  ASSERT_TRUE(spin_until(
    e, [&] { return waiting.done.load(); }, 2 * kPatience));
  EXPECT_NE(waiting.refusal.find("/n:client(/ask) cannot start"), std::string::npos);
}

TEST_F(Services, RequestsBeforeTheExecutorComesAreServed)
{
  auto n = node("n");
  auto service = n->create_service<Srv>("ask", echo);
  auto client = n->create_client<Srv>("ask");
  ASSERT_TRUE(client->wait_for_service(kPatience));
  std::vector<std::string> got;
  for (int i = 0; i < 3; ++i) {
    client->async_send_request(
      request(std::to_string(i)), [&](const Response & a) { got.push_back(a.message); });
  }
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(spin_until(e, [&] { return got.size() == 3; }));
}

TEST_F(Services, AThrowingCallbackSendsNoResponseAndFreesItsPlace)
{
  auto n = node("n");
  bool throws = true;
  auto service = n->create_service<Srv>("ask", [&](const Request & q, Response & a) {
    if (throws) {
      throw std::runtime_error("no");
    }
    echo(q, a);
  });
  auto client = n->create_client<Srv>("ask");
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  auto future = client->async_send_request(request(""));
  EXPECT_THROW(spin_until(e, [&] { return future.ready(); }), std::runtime_error);
  EXPECT_EQ(service->sent_responses(), 0u);
  throws = false;
  client->async_send_request(
    request(""), [](const Response &) { throw std::runtime_error("nor this"); });
  EXPECT_THROW(spin_until(e, [&] { return client->taken_responses() > 1; }), std::runtime_error);
  EXPECT_EQ(client->pending_requests(), 1u);  // the future's
}

TEST_F(Services, ReentrantServicesRunConcurrently)
{
  auto n = node("n");
  auto m = node("m");
  std::atomic<int> inside{0};
  ServiceOptions reentrant;
  reentrant.callback_group = n->create_callback_group(CallbackGroupType::Reentrant);
  auto service = n->create_service<Srv>(
    "ask",
    [&](const Request & q, Response & a) {
      ++inside;
      wait_until([&] { return inside >= 2; });
      echo(q, a);
    },
    reentrant);
  auto client = m->create_client<Srv>("ask");
  auto e = executor(3);
  e.add_node(n);
  e.add_node(m);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  Spinning spinning(e);
  auto one = client->async_send_request(request("1"));
  auto two = client->async_send_request(request("2"));
  EXPECT_EQ(one.get()->message, "heard 1");
  EXPECT_EQ(two.get()->message, "heard 2");
}

TEST_F(Services, ClientsAndServicesMayEndInTheirOwnCallbacks)
{
  auto n = node("n");
  Service<Srv>::SharedPtr service;
  service = n->create_service<Srv>("ask", [&](const Request & q, Response & a) {
    echo(q, a);
    service.reset();
  });
  auto client = n->create_client<Srv>("ask");
  auto e = executor();
  e.add_node(n);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  bool answered = false;
  client->async_send_request(request(""), [&](const Response &) {
    client.reset();
    answered = true;
  });
  ASSERT_TRUE(spin_until(e, [&] { return service == nullptr; }));
  e.spin_some();
  EXPECT_FALSE(answered);  // a service that has ended sends no response

  auto lasting = n->create_service<Srv>("ask", echo);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  client->async_send_request(request(""), [&](const Response &) {
    client.reset();
    answered = true;
  });
  ASSERT_TRUE(spin_until(e, [&] { return answered; }));
  EXPECT_EQ(client, nullptr);
}

TEST_F(Services, RclsRefusalsAreErrors)
{
  auto n = node("n");
  EXPECT_THROW(n->create_service<Srv>("not a name", echo), Error);
  EXPECT_THROW(n->create_client<Srv>("not a name"), Error);
}

}  // namespace
}  // namespace takt_rcl::test
