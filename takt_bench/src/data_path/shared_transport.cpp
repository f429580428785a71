// Between processes through takt_rcl's transport shared_memory: a node on each side of a channel,
// and the executor's thread waits for the message.
#include <array>
#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "data_path/client.hpp"
#include "data_path/content.hpp"
#include "data_path/plain_type.hpp"
#include "data_path/shared_sizes.hpp"
#include "data_path/transport.hpp"
#include "takt_rcl/takt_rcl.hpp"

namespace takt_bench::data_path
{

namespace
{

/// A message without pointers, as a generated one of `uint8[size] data`.
template <std::size_t size>
struct Plain
{
  std::array<std::uint8_t, size> data;
};

}  // namespace
}  // namespace takt_bench::data_path

namespace rosidl_typesupport_cpp
{

#define TAKT_PLAIN(size)                                                             \
  template <>                                                                        \
  const rosidl_message_type_support_t *                                              \
  get_message_type_support_handle<takt_bench::data_path::Plain<std::size_t{size}>>() \
  {                                                                                  \
    return &takt_bench::data_path::plain_type(size);                                 \
  }
TAKT_PLAIN(64)
TAKT_PLAIN(256)
TAKT_PLAIN(1024)
TAKT_PLAIN(4096)
TAKT_PLAIN(16384)
TAKT_PLAIN(65536)
TAKT_PLAIN(262144)
TAKT_PLAIN(1048576)
TAKT_PLAIN(4194304)
TAKT_PLAIN(8388608)
#undef TAKT_PLAIN

}  // namespace rosidl_typesupport_cpp

namespace takt_bench::data_path
{

namespace
{

constexpr std::size_t kSharedDepth = 4;

/// Calls `function` with a std::integral_constant of the setting's size. Throws for a size that is
/// none of kSharedSizes.
template <typename Result, typename Function, std::size_t... indices>
Result with_size(std::size_t size, const Function & function, std::index_sequence<indices...>)
{
  Result result;
  const bool known =
    ((size == kSharedSizes[indices] &&
      (result = function(std::integral_constant<std::size_t, kSharedSizes[indices]>()), true)) ||
     ...);
  if (!known) {
    throw std::runtime_error("no message has this size");
  }
  return result;
}

template <std::size_t size>
class SharedPublishing final : public Publishing
{
public:
  explicit SharedPublishing(const Setting & setting)
  : context_(make_context()),
    node_("data_path_publisher", node_options(context_, setting)),
    publisher_(node_.create_publisher<Plain<size>>(setting.topic, kSharedDepth, options()))
  {
  }

  void connect() override
  {
    if (!publisher_->wait_for_matched(1, kMeeting)) {
      throw std::runtime_error("the channel has no receiver");
    }
  }

  void publish(std::uint64_t number) override
  {
    auto message = publisher_->borrow();
    write_number(message->data.data(), size, number);
    write_time(message->data.data());
    if (publisher_->publish(std::move(message)) == 0) {
      throw std::runtime_error("the channel refuses a message");
    }
  }

private:
  static takt_rcl::PublisherOptions options()
  {
    takt_rcl::PublisherOptions made;
    made.transport = takt_rcl::Transport::shared_memory;
    return made;
  }

  const std::shared_ptr<takt_rcl::Context> context_;
  takt_rcl::Node node_;
  const typename takt_rcl::Publisher<Plain<size>>::SharedPtr publisher_;
};

template <std::size_t size>
class SharedReceiving final : public Receiving
{
public:
  SharedReceiving(const Setting & setting, Ledger & ledger)
  : ledger_(ledger),
    context_(make_context()),
    executor_(make_executor(context_, setting, Side::receiver)),
    node_("data_path", node_options(context_, setting)),
    subscription_(node_.create_subscription<Plain<size>>(
      setting.topic, kSharedDepth,
      [&ledger](const Plain<size> & message) { ledger.arrived(message.data.data(), size); },
      options()))
  {
    executor_.add_node(node_);
  }

  void run() override { spin_as_receiver(executor_, ledger_); }

private:
  static takt_rcl::SubscriptionOptions options()
  {
    takt_rcl::SubscriptionOptions made;
    made.transport = takt_rcl::Transport::shared_memory;
    return made;
  }

  Ledger & ledger_;
  const std::shared_ptr<takt_rcl::Context> context_;
  takt_rcl::Executor executor_;
  takt_rcl::Node node_;
  const typename takt_rcl::Subscription<Plain<size>>::SharedPtr subscription_;
};

constexpr auto kIndices = std::make_index_sequence<kSharedSizes.size()>();

}  // namespace

std::unique_ptr<Publishing> shared_publishing(const Setting & setting)
{
  using Made = std::unique_ptr<Publishing>;
  return with_size<Made>(
    setting.size,
    [&](auto size) { return Made(new SharedPublishing<decltype(size)::value>(setting)); },
    kIndices);
}

std::unique_ptr<Receiving> shared_receiving(const Setting & setting, Ledger & ledger)
{
  using Made = std::unique_ptr<Receiving>;
  return with_size<Made>(
    setting.size,
    [&](auto size) { return Made(new SharedReceiving<decltype(size)::value>(setting, ledger)); },
    kIndices);
}

}  // namespace takt_bench::data_path
