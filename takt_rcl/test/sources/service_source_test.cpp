// The suite of sources (takt_host's test/source/suite.hpp) on takt_rcl's services and the installed
// middleware: clients are the publishers of requests.
#include "source/suite.hpp"

#include <dlfcn.h>
#include <rcl/service.h>

#include <array>
#include <cstring>
#include <diagnostic_msgs/srv/add_diagnostics.hpp>

#include "ros_test.hpp"

namespace
{

using Sender = std::array<std::uint8_t, 16>;

// Between takt and rcl.
struct Between
{
  std::function<void()> before;
  std::map<Sender, std::uint64_t> lost;  // later requests get numbers larger by this
};

Between & between()
{
  static Between one;
  return one;
}

Sender sender_of(const rmw_request_id_t & request)
{
  Sender sender;
  std::memcpy(sender.data(), request.writer_guid, sender.size());
  return sender;
}

}  // namespace

extern "C" rcl_ret_t rcl_take_request_with_info(
  const rcl_service_t * service, rmw_service_info_t * info, void * request)
{
  static const auto real = reinterpret_cast<decltype(&rcl_take_request_with_info)>(
    ::dlsym(RTLD_NEXT, "rcl_take_request_with_info"));
  if (between().before) {
    std::exchange(between().before, nullptr)();
  }
  const rcl_ret_t result = real(service, info, request);
  if (result == RCL_RET_OK) {
    info->request_id.sequence_number +=
      static_cast<std::int64_t>(between().lost[sender_of(info->request_id)]);
  }
  return result;
}

namespace takt_rcl::test
{
namespace
{

using Srv = diagnostic_msgs::srv::AddDiagnostics;
using takt_host::test::Promise;

class ServiceBackEnd final : public takt_host::test::BackEnd
{
public:
  ServiceBackEnd(std::shared_ptr<Node> node, Executor executor)
  : node_(std::move(node)),
    executor_(std::move(executor))
  {
    between() = {};
  }
  ~ServiceBackEnd() override { between() = {}; }

  void subscribe(std::uint32_t depth, bool reliable) override
  {
    reliable_ = reliable;
    ServiceOptions options;
    options.qos = reliable ? QoS(depth).reliable() : QoS(depth).best_effort();
    service_ = node_->create_service<Srv>(
      "numbers",
      [this](const Srv::Request & request, Srv::Response &) {
        got.push_back({std::stoull(request.load_namespace), takt_core::current_run()->found});
      },
      options);
    match();
  }
  std::size_t add_publisher() override
  {
    ClientOptions options;
    options.pending = 100;
    options.qos = reliable_ ? QoS(100).reliable() : QoS(100).best_effort();
    options.callback_group = answers_;  // in no executor
    clients_.push_back({node_->create_client<Srv>("numbers", options)});
    match();
    return clients_.size() - 1;
  }
  void publish(std::size_t publisher, std::uint64_t value) override
  {
    Asking & from = clients_[publisher];
    Srv::Request request;
    request.load_namespace = std::to_string(value);
    const std::int64_t number =
      from.client->async_send_request(request, [](const Srv::Response &) {});
    ASSERT_NE(number, 0);
    const takt_core::MessageKey key{
      from.client->gid(), static_cast<std::uint64_t>(number) + from.lost, 0};
    names[value] = key.name_by_sequence();
  }
  void lose(std::size_t publisher, std::uint64_t count) override
  {
    Asking & from = clients_[publisher];
    from.lost += count;
    between().lost[from.client->gid()] += count;
  }
  void join() override { executor_.add_node(node_); }
  void before_next_take(std::function<void()> function) override
  {
    between().before = std::move(function);
  }
  takt_core::Executor & executor() override { return executor_.core(); }
  const takt_core::Callback & callback() override { return *service_->callback(); }

private:
  struct Asking
  {
    Client<Srv>::SharedPtr client;
    std::uint64_t lost = 0;
  };

  void match()
  {
    if (service_ == nullptr) {
      return;
    }
    for (const Asking & one : clients_) {
      ASSERT_TRUE(one.client->wait_for_service(kPatience));
    }
  }

  const std::shared_ptr<Node> node_;
  const CallbackGroup::SharedPtr answers_ =
    node_->create_callback_group(CallbackGroupType::Reentrant, false, "answers");
  Executor executor_;
  Service<Srv>::SharedPtr service_;
  std::vector<Asking> clients_;
  bool reliable_ = true;
};

class ServiceSources : public RosTest, public ::testing::WithParamInterface<Promise>
{
};

TEST_P(ServiceSources, keep_the_promise)
{
  ServiceBackEnd back_end(node("n"), executor());
  EXPECT_EQ(GetParam().check(back_end), "");
}

INSTANTIATE_TEST_SUITE_P(
  Rcl, ServiceSources, ::testing::ValuesIn(takt_host::test::promises()),
  [](const auto & test) { return std::string(test.param.name); });

}  // namespace
}  // namespace takt_rcl::test
