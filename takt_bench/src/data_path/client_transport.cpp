// Messages of takt_rcl: over DDS, and by pointer in one thread.
#include <std_msgs/msg/u_int8_multi_array.hpp>
#include <stdexcept>

#include "data_path/client.hpp"
#include "data_path/content.hpp"
#include "data_path/transport.hpp"
#include "takt_rcl/takt_rcl.hpp"

namespace takt_bench::data_path
{

namespace
{

using Bytes = std_msgs::msg::UInt8MultiArray;

constexpr std::size_t kDepth = 4;
const char * const kUnmatched = "the middleware did not match publisher and receiver";

Bytes bytes_of(const Setting & setting)
{
  Bytes bytes;
  bytes.data.resize(setting.size);
  return bytes;
}

class ClientPublishing final : public Publishing
{
public:
  ClientPublishing(const Setting & setting, std::shared_ptr<takt_rcl::Node> node)
  : by_pointer_(setting.variant == Variant::direct),
    node_(std::move(node)),
    bytes_(bytes_of(setting)),
    publisher_(node_->create_publisher<Bytes>(setting.topic, kDepth))
  {
    publisher_->prepare(bytes_);
  }

  void connect() override
  {
    if (!publisher_->wait_for_matched(1, kMeeting)) {
      throw std::runtime_error(kUnmatched);
    }
  }

  void publish(std::uint64_t number) override
  {
    if (by_pointer_ ? publish_pointer(number) == 0 : publish_bytes(number) == 0) {
      throw std::runtime_error("the middleware refuses a message");
    }
  }

private:
  std::uint64_t publish_bytes(std::uint64_t number)
  {
    write_number(bytes_.data.data(), bytes_.data.size(), number);
    write_time(bytes_.data.data());
    return publisher_->publish(bytes_);
  }

  std::uint64_t publish_pointer(std::uint64_t number)
  {
    auto message = publisher_->borrow();
    message->data.resize(bytes_.data.size());  // has its size from the second use on
    write_number(message->data.data(), message->data.size(), number);
    write_time(message->data.data());
    return publisher_->publish(std::move(message));
  }

  const bool by_pointer_;
  const std::shared_ptr<takt_rcl::Node> node_;
  Bytes bytes_;
  const takt_rcl::Publisher<Bytes>::SharedPtr publisher_;
};

takt_rcl::Subscription<Bytes>::SharedPtr subscribe(
  takt_rcl::Node & node, const Setting & setting, Ledger & ledger)
{
  return node.create_subscription<Bytes>(setting.topic, kDepth, [&ledger](const Bytes & bytes) {
    ledger.arrived(bytes.data.data(), bytes.data.size());
  });
}

class ClientReceiving final : public Receiving
{
public:
  ClientReceiving(const Setting & setting, Ledger & ledger)
  : ledger_(ledger),
    context_(make_context()),
    executor_(make_executor(context_, setting, Side::receiver)),
    node_(std::make_shared<takt_rcl::Node>(kNode, node_options(context_, setting))),
    subscription_(subscribe(*node_, setting, ledger))
  {
    executor_.add_node(node_);
  }

  void run() override
  {
    // A publisher that knows its reader may publish before the reader takes its messages.
    if (!subscription_->wait_for_matched(1, kMeeting)) {
      throw std::runtime_error(kUnmatched);
    }
    spin_as_receiver(executor_, ledger_);
  }

private:
  Ledger & ledger_;
  const std::shared_ptr<takt_rcl::Context> context_;
  takt_rcl::Executor executor_;
  const std::shared_ptr<takt_rcl::Node> node_;
  const takt_rcl::Subscription<Bytes>::SharedPtr subscription_;
};

class ClientOneThread final : public OneThread
{
public:
  ClientOneThread(const Setting & setting, Ledger & ledger)
  : setting_(setting),
    ledger_(ledger),
    context_(make_context()),
    executor_(make_executor(context_, setting, Side::publisher)),
    node_(std::make_shared<takt_rcl::Node>(kNode, node_options(context_, setting))),
    publishing_(setting, node_),
    subscription_(subscribe(*node_, setting, ledger))
  {
  }

  void run(Course & course) override
  {
    publishing_.connect();
    takt_rcl::TimerOptions options;
    options.name = kTimer;
    const auto timer = node_->create_wall_timer(
      setting_.interval, [&] { turn(course); }, options);
    executor_.add_node(node_);
    executor_.spin();
    executor_.remove_node(node_);
  }

private:
  void turn(Course & course)
  {
    if (!began_) {
      ledger_.publishes();
      began_ = true;
    }
    if (const auto number = course.turn()) {
      publishing_.publish(*number);
    } else if (course.finished()) {
      executor_.cancel();
    }
  }

  const Setting & setting_;
  Ledger & ledger_;
  const std::shared_ptr<takt_rcl::Context> context_;
  takt_rcl::Executor executor_;
  const std::shared_ptr<takt_rcl::Node> node_;
  ClientPublishing publishing_;
  const takt_rcl::Subscription<Bytes>::SharedPtr subscription_;
  bool began_ = false;
};

}  // namespace

std::unique_ptr<Publishing> client_publishing(const Setting & setting)
{
  const auto context = make_context();
  return std::make_unique<ClientPublishing>(
    setting,
    std::make_shared<takt_rcl::Node>("data_path_publisher", node_options(context, setting)));
}

std::unique_ptr<Receiving> client_receiving(const Setting & setting, Ledger & ledger)
{
  return std::make_unique<ClientReceiving>(setting, ledger);
}

std::unique_ptr<OneThread> client_one_thread(const Setting & setting, Ledger & ledger)
{
  return std::make_unique<ClientOneThread>(setting, ledger);
}

}  // namespace takt_bench::data_path
