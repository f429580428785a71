// The suite of sources (takt_host's test/source/suite.hpp) on takt_rcl's clients and the installed
// middleware: services are the publishers of responses.
#include "source/suite.hpp"

#include <diagnostic_msgs/srv/add_diagnostics.hpp>

#include "ros_test.hpp"

namespace takt_rcl::test
{
namespace
{

using Srv = diagnostic_msgs::srv::AddDiagnostics;
using takt_host::test::Promise;

class ClientBackEnd final : public takt_host::test::BackEnd
{
public:
  ClientBackEnd(
    std::shared_ptr<Node> node, std::shared_ptr<Node> servers, Executor own, Executor theirs)
  : node_(std::move(node)),
    servers_(std::move(servers)),
    executor_(std::move(own)),
    serving_(std::move(theirs))
  {
    keys = false;  // middlewares number requests, not responses
    serving_.add_node(servers_);
  }

  void subscribe(std::uint32_t depth, bool reliable) override
  {
    ClientOptions options;
    options.pending = 100;
    options.qos = reliable ? QoS(depth).reliable() : QoS(depth).best_effort();
    client_ = node_->create_client<Srv>("numbers", options);
    match();
  }
  // Responses do not say which service sent them, so one service stands for all publishers.
  std::size_t add_publisher() override
  {
    if (service_ != nullptr) {
      return 0;
    }
    ServiceOptions options;
    options.qos = QoS(100);
    service_ = servers_->create_service<Srv>(
      "numbers",
      [](const Srv::Request & request, Srv::Response & response) {
        response.message = request.load_namespace;
      },
      options);
    match();
    return 0;
  }
  void publish(std::size_t, std::uint64_t value) override
  {
    if (client_ == nullptr) {
      return;  // a service publishes only answers
    }
    Srv::Request request;
    request.load_namespace = std::to_string(value);
    ASSERT_NE(
      client_->async_send_request(
        request,
        [this](const Srv::Response & response) {
          got.push_back({std::stoull(response.message), takt_core::current_run()->found});
        }),
      0);
    const std::uint64_t before = service_->sent_responses();
    ASSERT_TRUE(spin_until(serving_, [&] { return service_->sent_responses() > before; }));
  }
  void lose(std::size_t, std::uint64_t) override { FAIL() << "a lost response does not show"; }
  void join() override { executor_.add_node(node_); }
  void before_next_take(std::function<void()>) override { FAIL() << "not asked for"; }
  takt_core::Executor & executor() override { return executor_.core(); }
  const takt_core::Callback & callback() override { return *client_->callback(); }

private:
  void match()
  {
    if (client_ != nullptr && service_ != nullptr) {
      ASSERT_TRUE(client_->wait_for_service(kPatience));
    }
  }

  const std::shared_ptr<Node> node_;
  const std::shared_ptr<Node> servers_;
  Executor executor_;
  Executor serving_;
  Client<Srv>::SharedPtr client_;
  Service<Srv>::SharedPtr service_;
};

class ClientSources : public RosTest, public ::testing::WithParamInterface<Promise>
{
};

TEST_P(ClientSources, keep_the_promise)
{
  ClientBackEnd back_end(node("n"), node("servers"), executor(), executor());
  EXPECT_EQ(GetParam().check(back_end), "");
}

// Without keys neither a lost message shows, nor one that is overwritten between the start of its
// run and the take.
std::vector<Promise> promises()
{
  std::vector<Promise> all = takt_host::test::promises();
  std::erase_if(all, [](const Promise & one) {
    const std::string name = one.name;
    return name == "counts_what_was_lost" || name == "names_the_message_that_was_found";
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(
  Rcl, ClientSources, ::testing::ValuesIn(promises()),
  [](const auto & test) { return std::string(test.param.name); });

}  // namespace
}  // namespace takt_rcl::test
