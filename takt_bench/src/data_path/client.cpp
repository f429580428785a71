#include "data_path/client.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "takt_schedule/parse.hpp"

namespace takt_bench::data_path
{

std::shared_ptr<takt_rcl::Context> make_context()
{
  auto context = std::make_shared<takt_rcl::Context>();
  takt_rcl::InitOptions options;
  options.shutdown_on_signal = false;
  options.configure_logging = false;
  context->init(0, nullptr, options);
  return context;
}

takt_rcl::NodeOptions node_options(
  const std::shared_ptr<takt_rcl::Context> & context, const Setting & setting)
{
  takt_rcl::NodeOptions options;
  options.context(context);
  options.use_intra_process_comms(setting.variant == Variant::direct);
  options.enable_rosout(false);
  options.start_parameter_services(false);
  return options;
}

takt_rcl::Executor make_executor(
  const std::shared_ptr<takt_rcl::Context> & context, const Setting & setting, Side side)
{
  const takt_rt::ThreadAttributes attributes = attributes_of(setting, side, false);
  std::string text = fmt::format(
    "version: 1\nexecutors:\n  main:\n    missing_rights: report\n    default: receiver\n"
    "    threads: {{receiver: {{cores: [{}]",
    attributes.cores.front());
  if (attributes.policy == takt_rt::Policy::fifo) {
    text += fmt::format(", policy: fifo, priority: {}", attributes.priority);
  }
  text += "}}\n";
  if (setting.variant == Variant::direct) {
    text += fmt::format(
      "    sequences: [[\"/{0}:timer({1})\", \"/{0}:sub({2})\"]]\n", kNode, kTimer, setting.topic);
  }
  const auto schedule = takt_schedule::parse_schedule(text, "schedule of the measurement");
  if (!schedule) {
    throw std::runtime_error(sentences(schedule.faults()).front());
  }
  return takt_rcl::Executor::from_schedule(context, schedule.value(), "main");
}

void spin_as_receiver(takt_rcl::Executor & executor, Ledger & ledger)
{
  ledger.take_step(Step::receiving);
  std::thread end([&] {
    ledger.wait_for(Step::ended);
    executor.cancel();
  });
  executor.spin();
  end.join();
}

}  // namespace takt_bench::data_path
