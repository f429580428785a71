#include "pipeline/nodes.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <std_msgs/msg/u_int8_multi_array.hpp>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "data_path/content.hpp"
#include "takt_rcl/takt_rcl.hpp"
#include "takt_rt/thread_cpu_time.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/program.hpp"
#include "takt_trace/recording.hpp"

namespace takt_bench::pipeline
{

namespace
{

using Bytes = std_msgs::msg::UInt8MultiArray;
constexpr takt_rt::Duration kMeeting = std::chrono::seconds(120);
constexpr takt_rt::Duration kTurn = std::chrono::milliseconds(300);
const char * const kTimer = "frames";

void work()
{
  const takt_rt::Duration end = takt_rt::thread_cpu_time() + kWork;
  while (takt_rt::thread_cpu_time() < end) {
  }
}

class PipelineNode
{
public:
  PipelineNode(
    Place place, const Way & way, const std::string & prefix, Account & account,
    const std::shared_ptr<takt_rcl::Context> & context)
  : place_(place),
    way_(way),
    account_(account)
  {
    takt_rcl::NodeOptions options;
    options.context(context).use_intra_process_comms(way.by_pointer).enable_rosout(false);
    options.start_parameter_services(false);
    node_ = std::make_shared<takt_rcl::Node>(node_name(place), options);
    bytes_.data.resize(size_of(place));
    publisher_ = node_->create_publisher<Bytes>(topic_of(prefix, place), 1);
    publisher_->prepare(bytes_);
    const auto store = [this](const Bytes & bytes) { store_ = bytes.data.front(); };
    if (place.stage == 0) {
      inputs_.push_back(
        node_->create_subscription<Bytes>(topic_of(prefix, lane_input(place)), 1, store));
    } else {
      inputs_.push_back(node_->create_subscription<Bytes>(
        topic_of(prefix, lane_input(place)), 1, [this](const Bytes & bytes) { receive(bytes); }));
    }
    inputs_.push_back(
      node_->create_subscription<Bytes>(topic_of(prefix, stored_input(place)), 1, store));
  }

  const std::shared_ptr<takt_rcl::Node> & node() const noexcept { return node_; }

  void match()
  {
    for (const auto & input : inputs_) {
      if (!input->wait_for_matched(1, kMeeting)) {
        throw std::runtime_error(node_name(place_) + " did not find its inputs");
      }
    }
    if (!publisher_->wait_for_matched(2, kMeeting)) {
      throw std::runtime_error(node_name(place_) + " did not find its readers");
    }
  }

  void start()
  {
    if (place_.stage == 0) {
      takt_rcl::TimerOptions options;
      options.name = kTimer;
      timer_ = node_->create_wall_timer(
        kPeriod,
        [this](const takt_rcl::TimerInfo & info) { begin(info.expected_call_time.nanoseconds()); },
        options);
    }
  }

private:
  void begin(std::int64_t released)
  {
    work();
    publish(iteration_++, released);
    account_.begun(place_.lane);
  }

  void receive(const Bytes & bytes)
  {
    const data_path::Content content =
      data_path::read_content(bytes.data.data(), bytes.data.size());
    work();
    publish(content.number, content.published_ns);
    if (place_.stage == kStages - 1) {
      account_.ended(place_.lane, content.number, content.published_ns);
    }
  }

  void publish(std::uint64_t number, std::int64_t released)
  {
    std::uint64_t sent = 0;
    if (way_.by_pointer) {
      auto message = publisher_->borrow();
      message->data.resize(bytes_.data.size());
      fill(*message, number, released);
      sent = publisher_->publish(std::move(message));
    } else {
      fill(bytes_, number, released);
      sent = publisher_->publish(bytes_);
    }
    if (sent == 0) {
      account_.refused();
    }
  }

  static void fill(Bytes & bytes, std::uint64_t number, std::int64_t released)
  {
    data_path::write_number(bytes.data.data(), bytes.data.size(), number);
    std::memcpy(bytes.data.data() + sizeof number, &released, sizeof released);
  }

  const Place place_;
  const Way way_;
  Account & account_;
  Bytes bytes_;
  volatile unsigned char store_ = 0;
  std::uint64_t iteration_ = 0;
  std::shared_ptr<takt_rcl::Node> node_;
  takt_rcl::Publisher<Bytes>::SharedPtr publisher_;
  std::vector<takt_rcl::Subscription<Bytes>::SharedPtr> inputs_;
  takt_rcl::Timer::SharedPtr timer_;
};

/// The callbacks of a lane, from its timer to its last stage.
std::string lane_of(int lane, const std::string & prefix)
{
  std::string ids = fmt::format("[\"/{}:timer({})\"", node_name({lane, 0}), kTimer);
  for (int stage = 1; stage < kStages; ++stage) {
    ids += fmt::format(
      ", \"/{}:sub({})\"", node_name({lane, stage}), topic_of(prefix, {lane, stage - 1}));
  }
  return ids + "]";
}

/// Records the process while it is measured, into the file that the way names.
class Trace
{
public:
  Trace(const Way & way, Account & account) : file_(way.trace), account_(account)
  {
    if (!file_.empty()) {
      thread_ = std::thread([this] { record(); });
    }
  }
  ~Trace()
  {
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  Trace(const Trace &) = delete;
  Trace & operator=(const Trace &) = delete;

private:
  void record()
  {
    account_.wait_for(Step::measured);
    takt_trace::RecordingOptions options;
    options.cpu_times = true;
    options.folder = std::filesystem::absolute(file_).parent_path().string();
    if (const auto began = takt_trace::start_recording(options); !began) {
      return tell(began.faults());
    }
    account_.wait_for(Step::ended);
    const auto written = takt_trace::stop_recording();
    if (!written) {
      return tell(written.faults());
    }
    tell(written.value().faults);
    std::error_code error;
    std::filesystem::rename(written.value().path, file_, error);
    if (error) {
      tell({file_ + ": " + error.message()});
    }
  }

  static void tell(const takt_rt::Faults & faults)
  {
    takt_schedule::tell(faults, "takt_pipeline: ");
  }

  const std::string file_;
  Account & account_;
  std::thread thread_;
};

/// Fast DDS may lock itself up while many participants leave at once (its issues 6193 and 6502), so
/// the processes destroy the middleware's objects one after another. A process that is stuck there
/// holds up the others for a short time only.
void wait_for_turn(int number, const Account & account)
{
  const takt_rt::Time deadline = takt_rt::now() + number * kTurn;
  while (account.processes_left() < number && takt_rt::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

std::string schedule_of(const std::vector<int> & nodes, const Way & way, const std::string & prefix)
{
  std::string text = fmt::format(
    "version: 1\nexecutors:\n  main:\n    missing_rights: report\n    default: {0}\n"
    "    threads: {{{0}: {{count: {1}, cores: [{2}]",
    kThread, way.threads, way.core);
  if (way.priority > 0) {
    text += fmt::format(", policy: fifo, priority: {}", way.priority);
  }
  text += "}}\n";
  if (!way.storing_triggers) {
    text += "    callbacks:\n";
    for (const int number : nodes) {
      const Place place = place_of(number);
      const auto rule = [&](Place input) {
        text += fmt::format(
          "      - {{match: \"/{0}:sub({1})\", trigger: false, keep: latest, with: "
          "\"/{0}:{2}\"}}\n",
          node_name(place), topic_of(prefix, input),
          place.stage == 0 ? fmt::format("timer({})", kTimer)
                           : fmt::format("sub({})", topic_of(prefix, lane_input(place))));
      };
      rule(stored_input(place));
      if (place.stage == 0) {
        rule(lane_input(place));
      }
    }
  }
  if (way.sequences) {
    text += "    sequences:\n";
    for (int lane = 0; lane < kLanes; ++lane) {
      text += "      - " + lane_of(lane, prefix) + "\n";
    }
  }
  if (nodes.size() == kNodes) {
    text += "chains:\n";
    for (int lane = 0; lane < kLanes; ++lane) {
      text += fmt::format("  {}: {{path: {}}}\n", lane_name(lane), lane_of(lane, prefix));
    }
  }
  return text;
}

void run_nodes(
  const std::vector<int> & numbers, const Way & way, const std::string & prefix, Account & account)
{
  auto context = std::make_shared<takt_rcl::Context>();
  takt_rcl::InitOptions init;
  init.shutdown_on_signal = false;
  init.configure_logging = false;
  context->init(0, nullptr, init);
  const auto schedule =
    takt_schedule::parse_schedule(schedule_of(numbers, way, prefix), "schedule of the pipeline");
  if (!schedule) {
    throw std::runtime_error(sentences(schedule.faults()).front());
  }
  auto executor = takt_rcl::Executor::from_schedule(context, schedule.value(), "main");
  std::vector<std::unique_ptr<PipelineNode>> nodes;
  for (const int number : numbers) {
    nodes.push_back(
      std::make_unique<PipelineNode>(place_of(number), way, prefix, account, context));
  }
  for (const auto & node : nodes) {
    node->match();
  }
  account.matched();
  account.wait_for(Step::running);
  for (const auto & node : nodes) {
    node->start();
    executor.add_node(node->node());
  }
  const Trace trace(way, account);
  std::thread end([&] {
    account.wait_for(Step::ended);
    executor.cancel();
  });
  executor.spin();
  end.join();
  for (const auto & node : nodes) {
    executor.remove_node(node->node());
  }
  account.stopped();
  wait_for_turn(numbers.front(), account);
}

}  // namespace takt_bench::pipeline
