#include <sys/random.h>
#include <unistd.h>

#include <memory>
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
  std::uint32_t served = 0;  // the bell's count of subscribers at the last `serve`

  // Subscribers map the publisher's memory in `take`, and keep what they mapped.
  bool wait_until_seen(takt_rt::Time deadline) const noexcept
  {
    constexpr useconds_t kMicrosecondsBetweenLooks = 500;
    while (!bell.seen_by_all()) {
      if (takt_rt::now() >= deadline) {
        return false;
      }
      ::usleep(kMicrosecondsBetweenLooks);
    }
    return true;
  }

  ~Impl()
  {
    if (header.sequence > 0) {
      wait_until_seen(takt_rt::now() + Publisher::kLongestEnd);
    }
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
  std::unique_ptr<takt_channel_publisher, DestroyPublisher> port;
  const std::uint64_t number = new_number();
  // The port has room for dead publishers, too, so the bell's places limit the number of living
  // ones.
  const std::optional<Refused> refused =
    open_port(options, Bell::Access::ring, bell, [&](const takt_channel_shape & shape) {
      port.reset();
      if (!bell.take_place(number, options.publishers)) {
        return static_cast<std::int32_t>(takt_channel_full);
      }
      takt_channel_publisher * made = nullptr;
      const std::int32_t code = takt_channel_publisher_create(&shape, &made);
      port.reset(made);
      return code;
    });
  if (refused) {
    return {nullptr, refused->refusal, faults_of(options, *refused)};
  }
  auto impl = std::make_unique<Impl>();
  impl->bell = std::move(bell);
  impl->port = std::move(port);
  impl->header.publisher = number;
  impl->bell.publisher_came();
  impl->bell.end_change();
  // Wake waiting subscribers, so that they map the memory now.
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
  impl.header.size = loan.size;
  impl.header.stamp = takt_rt::to_ns(takt_rt::now());
  const Denial denial = denial_of(takt_channel_send(impl.port.get(), loan.slot, &impl.header));
  if (denial != Denial::none) {
    return denial;
  }
  impl.bell.published(++impl.header.sequence, impl.header.stamp);
  impl.bell.ring();
  return Denial::none;
}

std::size_t Publisher::subscribers() const noexcept
{
  return impl_->bell.living_subscribers();
}

bool Publisher::wait_until_seen(takt_rt::Time deadline) const noexcept
{
  return impl_->wait_until_seen(deadline);
}

Denial Publisher::serve() noexcept
{
  Impl & impl = *impl_;
  // Read the count before `serve`, which can connect each counted subscriber.
  const std::uint32_t came = impl.bell.subscribers();
  const Denial denial = denial_of(takt_channel_serve(impl.port.get()));
  if (denial == Denial::none && came != impl.served) {
    impl.served = came;
    impl.bell.ring();
  }
  return denial;
}

void Publisher::drop(Loan & loan) noexcept
{
  if (loan) {
    loan.data = nullptr;
    takt_channel_drop_loan(impl_->port.get(), loan.slot);
  }
}

}  // namespace takt_channel
