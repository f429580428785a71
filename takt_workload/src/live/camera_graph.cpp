#include "live/camera_graph.hpp"

#include <random>
#include <std_msgs/msg/int64.hpp>

namespace takt_workload
{

using std_msgs::msg::Int64;
using takt_rt::Duration;
using takt_rt::Time;

namespace
{

constexpr Duration kLeastPart = std::chrono::microseconds(100);
constexpr Duration kMostPart = std::chrono::milliseconds(1);
constexpr int kParts = 10;
constexpr Duration kLoggerSleep = std::chrono::milliseconds(1);
constexpr Duration kDetect = std::chrono::milliseconds(3);
constexpr Duration kActuate = std::chrono::microseconds(150);
constexpr Duration kPatience = std::chrono::seconds(30);
constexpr std::size_t kDepth = 10;

takt_rcl::NodeOptions plain_options(const std::shared_ptr<takt_rcl::Context> & context)
{
  takt_rcl::NodeOptions options;
  options.context(context).enable_rosout(false);
  options.start_parameter_services(false);
  return options;
}

}  // namespace

class CameraGraph::Camera : public takt_rcl::Node
{
public:
  Camera(
    const std::shared_ptr<takt_rcl::Context> & context, const std::string & side, Duration offset,
    SeenImages & seen)
  : Node("camera", side, plain_options(context)),
    seen_(seen),
    images_(create_publisher<Int64>("image", kDepth))
  {
    takt_rcl::TimerOptions options;
    options.offset = offset;
    timer_ = create_wall_timer(
      kPeriod, [this](const takt_rcl::TimerInfo & info) { shoot(info); }, options);
  }

  bool match() { return images_->wait_for_matched(2, kPatience); }

private:
  void shoot(const takt_rcl::TimerInfo & info)
  {
    image_.data = info.expected_call_time.nanoseconds();
    seen_.released.fetch_add(1, std::memory_order_relaxed);
    images_->publish(image_);
  }

  SeenImages & seen_;
  Int64 image_;
  takt_rcl::Publisher<Int64>::SharedPtr images_;
  takt_rcl::Timer::SharedPtr timer_;
};

class CameraGraph::Perception : public takt_rcl::Node
{
public:
  Perception(
    const std::shared_ptr<takt_rcl::Context> & context, const std::string & side, const Work & work)
  : Node("perception", side, plain_options(context)),
    work_(work),
    actuations_(create_publisher<Int64>("actuation", kDepth))
  {
    const auto type = takt_rcl::CallbackGroupType::MutuallyExclusive;
    takt_rcl::SubscriptionOptions options;
    options.callback_group = logger_group_ = create_callback_group(type, true, "best_effort");
    logger_ = create_subscription<Int64>(
      "image", kDepth, [this](const Int64 &) { log(); }, options);
    options.callback_group = detector_group_ = create_callback_group(type, true, "realtime");
    detector_ = create_subscription<Int64>(
      "image", kDepth, [this](const Int64 & image) { detect(image); }, options);
  }

  bool match() { return actuations_->wait_for_matched(1, kPatience); }

private:
  void log()
  {
    std::uniform_int_distribution<std::int64_t> part(kLeastPart.count(), kMostPart.count());
    Duration all{};
    for (int i = 0; i < kParts; ++i) {
      all += Duration(part(random_));
    }
    static_cast<void>(work_.use(all));
    sleep_for(kLoggerSleep);  // as of a disk
  }

  void detect(const Int64 & image)
  {
    static_cast<void>(work_.use(kDetect));
    actuation_.data = image.data;
    actuations_->publish(actuation_);
  }

  const Work & work_;
  std::mt19937 random_{2023};  // the same work on both sides
  Int64 actuation_;
  takt_rcl::Publisher<Int64>::SharedPtr actuations_;
  takt_rcl::CallbackGroup::SharedPtr logger_group_, detector_group_;
  takt_rcl::Subscription<Int64>::SharedPtr logger_, detector_;
};

class CameraGraph::Actuation : public takt_rcl::Node
{
public:
  Actuation(
    const std::shared_ptr<takt_rcl::Context> & context, const std::string & side, const Work & work,
    SeenImages & seen)
  : Node("actuation", side, plain_options(context)),
    actuations_(
      create_subscription<Int64>("actuation", kDepth, [&work, &seen](const Int64 & image) {
        static_cast<void>(work.use(kActuate));
        seen.actuated.try_push({takt_rt::from_ns(image.data), takt_rt::now()});
      }))
  {
  }

private:
  takt_rcl::Subscription<Int64>::SharedPtr actuations_;
};

CameraGraph::CameraGraph(
  const std::shared_ptr<takt_rcl::Context> & context, const std::string & side, Duration offset,
  const Work & work)
: camera_(std::make_shared<Camera>(context, side, offset, seen_)),
  perception_(std::make_shared<Perception>(context, side, work)),
  nodes_{camera_, perception_, std::make_shared<Actuation>(context, side, work, seen_)}
{
}

CameraGraph::~CameraGraph() = default;

bool CameraGraph::match()
{
  return camera_->match() && perception_->match();
}

}  // namespace takt_workload
