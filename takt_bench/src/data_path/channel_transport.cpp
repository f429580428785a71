// Between processes through takt_channel: the thread that waits for a message is the one that takes
// it.
#include <stdexcept>

#include "data_path/content.hpp"
#include "data_path/transport.hpp"
#include "takt_channel/channel.hpp"

namespace takt_bench::data_path
{

namespace
{

takt_channel::Options options_of(const Setting & setting)
{
  takt_channel::Options options;
  options.name = setting.topic;
  options.max_size = setting.size;
  options.depth = 4;
  options.publishers = 1;
  options.subscribers = 1;
  return options;
}

template <typename Side>
std::unique_ptr<Side> opened(const Setting & setting)
{
  auto side = Side::open(options_of(setting));
  if (!side) {
    throw std::runtime_error(sentences(side.faults).front());
  }
  return std::move(side.value);
}

class ChannelPublishing final : public Publishing
{
public:
  explicit ChannelPublishing(const Setting & setting)
  : size_(setting.size),
    publisher_(opened<takt_channel::Publisher>(setting))
  {
  }

  void publish(std::uint64_t number) override
  {
    takt_channel::Loan loan = publisher_->loan(size_);
    if (!loan) {
      throw std::runtime_error("the channel lends no memory");
    }
    write_number(loan.data, size_, number);
    write_time(loan.data);
    if (publisher_->publish(loan) != takt_channel::Denial::none) {
      throw std::runtime_error("the channel refuses a message");
    }
  }

private:
  const std::size_t size_;
  const std::unique_ptr<takt_channel::Publisher> publisher_;
};

class ChannelReceiving final : public Receiving
{
public:
  ChannelReceiving(const Setting & setting, Ledger & ledger)
  : ledger_(ledger),
    subscriber_(opened<takt_channel::Subscriber>(setting))
  {
  }

  void run() override
  {
    ledger_.take_step(Step::receiving);
    while (ledger_.step() < Step::ended) {
      while (takt_channel::Message message = subscriber_->take()) {
        ledger_.arrived(message.data, message.size);
        subscriber_->release(message);
      }
      subscriber_->wait(takt_rt::now() + kLook);
    }
  }

private:
  Ledger & ledger_;
  const std::unique_ptr<takt_channel::Subscriber> subscriber_;
};

}  // namespace

std::unique_ptr<Publishing> channel_publishing(const Setting & setting)
{
  return std::make_unique<ChannelPublishing>(setting);
}

std::unique_ptr<Receiving> channel_receiving(const Setting & setting, Ledger & ledger)
{
  return std::make_unique<ChannelReceiving>(setting, ledger);
}

}  // namespace takt_bench::data_path
