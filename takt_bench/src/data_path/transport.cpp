#include "data_path/transport.hpp"

namespace takt_bench::data_path
{

namespace
{

class FutexPublishing final : public Publishing
{
public:
  explicit FutexPublishing(Ledger & ledger) : ledger_(ledger) {}
  void publish(std::uint64_t number) override { ledger_.ring(number); }

private:
  Ledger & ledger_;
};

class FutexReceiving final : public Receiving
{
public:
  explicit FutexReceiving(Ledger & ledger) : ledger_(ledger) {}
  void run() override
  {
    std::uint32_t heard = ledger_.bell();
    ledger_.take_step(Step::receiving);
    while (ledger_.step() < Step::ended) {
      if (ledger_.wait_for_bell(heard, takt_rt::now() + kLook)) {
        heard = ledger_.bell();
        ledger_.woken(heard - 1);
      }
    }
  }

private:
  Ledger & ledger_;
};

OneThreadMaker g_rclcpp = nullptr;

}  // namespace

void use_rclcpp(OneThreadMaker maker) noexcept
{
  g_rclcpp = maker;
}

bool has_rclcpp() noexcept
{
  return g_rclcpp != nullptr;
}

std::unique_ptr<Publishing> make_publishing(const Setting & setting, Ledger & ledger)
{
  switch (setting.variant) {
    case Variant::futex:
      return std::make_unique<FutexPublishing>(ledger);
    case Variant::direct:
      return channel_publishing(setting);
    case Variant::shared:
      return shared_publishing(setting);
    case Variant::loans:
      return loans_publishing(setting);
    default:
      return client_publishing(setting);
  }
}

std::unique_ptr<Receiving> make_receiving(const Setting & setting, Ledger & ledger)
{
  switch (setting.variant) {
    case Variant::futex:
      return std::make_unique<FutexReceiving>(ledger);
    case Variant::direct:
      return channel_receiving(setting, ledger);
    case Variant::shared:
      return shared_receiving(setting, ledger);
    case Variant::loans:
      return loans_receiving(setting, ledger);
    default:
      return client_receiving(setting, ledger);
  }
}

std::unique_ptr<OneThread> make_one_thread(const Setting & setting, Ledger & ledger)
{
  if (is_of_rclcpp(setting.variant) && has_rclcpp()) {
    return g_rclcpp(setting, ledger);
  }
  return setting.variant == Variant::loans ? loans_one_thread(setting, ledger)
                                           : client_one_thread(setting, ledger);
}

}  // namespace takt_bench::data_path
