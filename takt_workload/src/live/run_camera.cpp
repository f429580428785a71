#include "live/run_camera.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "live/burners.hpp"
#include "live/camera_graph.hpp"
#include "live/latencies_json.hpp"
#include "live/parameters.hpp"
#include "live/spinning.hpp"
#include "records/thread_text.hpp"
#include "takt_rt/histogram.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_trace/stall_index.hpp"
#include "takt_trace/stall_witness.hpp"

namespace takt_workload
{

using nlohmann::ordered_json;
using takt_rt::Duration;
using takt_rt::Time;

namespace
{

// With more, the stock side's share of a core would not suffice for its work, and images would
// queue without end.
constexpr int kBusyThreads = 1;
// From the start of the executors to the epoch: they start beside other programs, and the load
// takes its share of the cores.
constexpr Duration kLead = std::chrono::seconds(1);
// Late images that are kept to be compared with stalls of the host: 10 min of them.
constexpr std::size_t kMostLate = 18'000;
constexpr const char * kStock = R"(version: 1
executors:
  main:
    order: stock
    threads: {stock: {}}
    default: stock
)";

/// The node with the demo's parameter.
class CameraDemo : public takt_rcl::Node
{
public:
  CameraDemo(const std::shared_ptr<takt_rcl::Context> & context, bool load)
  : Node("camera_demo", takt_rcl::NodeOptions().context(context)),
    load_(load)
  {
    declare_parameter("load", load, described("a busy thread on each core"));
    obey_ = add_post_set_parameters_callback([this](const std::vector<takt_rcl::Parameter> & all) {
      for (const takt_rcl::Parameter & each : all) {
        if (each.get_name() == "load") {
          load_ = each.as_bool();
        }
      }
    });
  }

  bool load() const noexcept { return load_.load(); }

private:
  std::atomic<bool> load_;
  std::shared_ptr<takt_rcl::PostSetParametersCallbackHandle> obey_;
};

takt_schedule::Schedule loaded(const std::string & file)
{
  auto schedule = takt_schedule::load_schedule(file);
  if (!schedule) {
    throw std::runtime_error(sentences(schedule.faults()).front());
  }
  if (schedule->executors.size() != 1) {
    throw std::runtime_error(file + ": one executor belongs here, which runs the side planned");
  }
  return std::move(schedule.value());
}

/// One graph with its executor. The thread that watches.
class Side
{
public:
  Side(
    const char * name, Duration offset, const Work & work, const takt_schedule::Schedule & schedule)
  : name_(name),
    context_(make_context()),
    graph_(context_, name, offset, work),
    spinning_(context_, schedule)
  {
    if (!graph_.match()) {
      throw std::runtime_error("the nodes of the demo did not find each other within 30 s");
    }
    for (const auto & node : graph_.nodes()) {
      executor().add_node(node);
    }
  }

  takt_rcl::Executor & executor() { return spinning_.first(); }
  Spinning & spinning() noexcept { return spinning_; }
  const char * name() const noexcept { return name_; }

  ordered_json rights()
  {
    std::vector<std::string> threads;
    for (const takt_rt::AttributeReport & report : executor().core().attributes()) {
      threads.push_back(report.asked.name + ": " + describe(report.granted));
    }
    return {{"side", name_}, {"threads", threads}, {"refused", spinning_.refused()}};
  }

  /// Takes the images since the last call.
  ordered_json look()
  {
    ordered_json delays = ordered_json::array();
    for (SeenImage image; graph_.seen().actuated.try_pop(image);) {
      const Duration delay = image.actuated - image.released;
      delays.push_back(delay.count());
      delays_.record(delay);
      if (delay > CameraGraph::kDeadline) {
        ++late_;
        if (late_images_.size() < kMostLate) {
          late_images_.push_back(image);
        } else {
          ++late_unjudged_;
        }
      }
    }
    return {
      {"side", name_},
      {"released", graph_.released()},
      {"late", late_},
      {"delays_ns", std::move(delays)},
      {"delay", latencies_json(delays_)}};
  }

  ordered_json account(const takt_trace::StallIndex & stalls) const
  {
    const auto in_stalls = std::count_if(
      late_images_.begin(), late_images_.end(),
      [&](const SeenImage & image) { return stalls.overlaps(image.released, image.actuated); });
    return {
      {"released", graph_.released()},
      {"late", late_},
      {"late_in_stalls", in_stalls},
      {"late_unjudged", late_unjudged_},
      {"delay", latencies_json(delays_)}};
  }

private:
  const char * const name_;
  std::shared_ptr<takt_rcl::Context> context_;
  CameraGraph graph_;
  Spinning spinning_;
  takt_rt::LogHistogram delays_;
  std::uint64_t late_ = 0;
  std::uint64_t late_unjudged_ = 0;  // of those, the ones that are not kept
  std::vector<SeenImage> late_images_;
};

}  // namespace

void run_camera(const CameraSetting & setting, LiveStream & stream)
{
  const takt_schedule::Schedule planned = loaded(setting.schedule);
  const Work work = Work::calibrate();
  // Half a period apart: without load neither graph takes CPU time from the other.
  std::array<Side, 2> sides{
    {{"stock", CameraGraph::kPeriod, work, parsed_schedule(kStock)},
     {"planned", CameraGraph::kPeriod * 3 / 2, work, planned}}};
  const auto demo = std::make_shared<CameraDemo>(sides[0].executor().context(), setting.load);
  // Beside both: its parameters take no time of a side.
  Spinning of_demo(sides[0].executor().context(), parsed_schedule(kStock));
  of_demo.first().add_node(demo);
  std::optional<Burners> burners;
  bool loaded_all_time = true;
  const auto follow_load = [&] {
    if (!demo->load()) {
      burners.reset();
    } else if (!burners) {
      burners.emplace(setting.cores, kBusyThreads);
    }
    loaded_all_time = loaded_all_time && burners.has_value();
  };
  takt_trace::StallWitness witness(setting.cores);
  const Time begin = takt_rt::now() + kLead;
  of_demo.start();
  for (Side & side : sides) {
    side.spinning().start(begin);
  }
  follow_load();
  ordered_json rights = ordered_json::array();
  for (Side & side : sides) {
    rights.push_back(side.rights());
  }
  stream.write(
    "begun", {{"period_ns", CameraGraph::kPeriod.count()},
              {"deadline_ns", CameraGraph::kDeadline.count()},
              {"sides", rights}});
  const Time end = setting.duration > Duration{} ? begin + setting.duration : Time::max();
  const auto frame = [&] {
    ordered_json all = ordered_json::array();
    for (Side & side : sides) {
      side.spinning().check();
      all.push_back(side.look());
    }
    stream.write(
      "frame", {{"time_ns", std::max(takt_rt::now() - begin, Duration{}).count()},
                {"load", burners.has_value()},
                {"sides", std::move(all)}});
  };
  const auto set = [&](const nlohmann::json & values) { return set_parameters(*demo, values); };
  Time next = begin;
  bool goes_on = stream.wait(begin, set);
  while (goes_on) {
    follow_load();
    frame();
    next = std::max(next + LiveStream::kFrame, takt_rt::now());
    goes_on = stream.wait(std::min(next, end), set) && takt_rt::now() < end;
  }
  const Time ended = std::max(takt_rt::now(), begin);
  for (Side & side : sides) {
    side.spinning().stop();
  }
  frame();
  burners.reset();
  const bool stalls_seen = !witness.blind().has_value();
  const takt_trace::StallIndex stalls(witness.stop());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    ordered_json run = rights[i];
    run.update(
      {{"duration_ns", (ended - begin).count()},
       {"load", loaded_all_time},
       {"stalls_seen", stalls_seen}});
    run.update(sides[i].account(stalls));
    stream.write("run", run);
  }
}

}  // namespace takt_workload
