#include <sys/random.h>

#include <utility>

#include "opening.hpp"
#include "takt_channel/channel.hpp"

namespace takt_channel
{
namespace
{

struct DestroyPublisher
{
  void operator()(takt_channel_publisher * port) const { takt_channel_publisher_destroy(port); }
};

std::uint64_t new_number()
{
  std::uint64_t number = 0;
  while (number == 0) {
    if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
      number = static_cast<std::uint64_t>(takt_rt::to_ns(takt_rt::now()));
    }
  }
  return number;
}

}  // namespace

struct Publisher::Impl
{
  Bell bell;
  std::unique_ptr<takt_channel_publisher, DestroyPublisher> port;
  takt_channel_header header = {};

  ~Impl()
  {
    bell.begin_change();
    port.reset();
    bell.ring();  // subscribers unmap its memory with their next take
  }
};

Publisher::Publisher(std::unique_ptr<Impl> impl) : impl_(std::move(impl))
{
}
Publisher::~Publisher() = default;

Opened<Publisher> Publisher::open(const Options & options)
{
  Bell bell;
  takt_channel_publisher * port = nullptr;
  std::optional<Refused> refused = open_port(
    options, Bell::Access::ring, bell,
    [&](const takt_channel_shape & shape) { return takt_channel_publisher_create(&shape, &port); });
  auto impl = refused ? nullptr : std::make_unique<Impl>();
  if (impl) {
    impl->bell = std::move(bell);
    impl->port.reset(port);
    impl->header.publisher = new_number();
    if (!impl->bell.take_place(impl->header.publisher)) {
      refused = Refused{
        Refusal::full,
        "the channel has " + std::to_string(Options::kMostPublishers) + " publishers"};
    }
  }
  if (refused) {
    return {nullptr, refused->refusal, faults_of(options, *refused)};
  }
  impl->bell.end_change();
  // Subscribers connect now, and find the messages of a publisher that does not live long.
  impl->bell.ring();
  return {std::unique_ptr<Publisher>(new Publisher(std::move(impl))), Refusal::none, {}};
}

Loan Publisher::loan(std::size_t size) noexcept
{
  Loan loan;
  void * data = nullptr;
  loan.denial = denial_of(takt_channel_loan(impl_->port.get(), size, &loan.slot, &data));
  loan.data = static_cast<std::byte *>(data);
  loan.size = loan.data == nullptr ? 0 : size;
  return loan;
}

Denial Publisher::publish(Loan & loan) noexcept
{
  if (!loan) {
    return Denial::not_loaned;
  }
  Impl & impl = *impl_;
  loan.data = nullptr;
  impl.header.stamp = takt_rt::to_ns(takt_rt::now());
  const Denial denial = denial_of(takt_channel_send(impl.port.get(), loan.slot, &impl.header));
  if (denial != Denial::none) {
    return denial;
  }
  impl.bell.published(++impl.header.sequence);
  impl.bell.ring();
  return Denial::none;
}

void Publisher::drop(Loan & loan) noexcept
{
  if (loan) {
    loan.data = nullptr;
    takt_channel_drop_loan(impl_->port.get(), loan.slot);
  }
}

}  // namespace takt_channel
