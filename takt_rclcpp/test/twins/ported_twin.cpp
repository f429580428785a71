// The same nodes on takt_rcl, under the schedule of the first argument. Prints a line for each
// callback of twin_nodes.hpp: its id, its group, and how often it ran. With the second argument
// `turns` it runs the node of turns.hpp.
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <string_view>
#include <takt_core/observer.hpp>
#include <takt_rcl/takt_rcl.hpp>
#include <takt_schedule/parse.hpp>

namespace front = takt_rcl;
#include "turns.hpp"
#include "twin_nodes.hpp"

namespace
{

struct Counts : takt_core::Observer
{
  void on_added(const takt_core::Callback & callback) override
  {
    const std::lock_guard lock(mutex);
    runs[callback.id()] = {callback.group().id(), 0};
  }
  void on_end(const takt_core::Run & run, takt_rt::Time) noexcept override
  {
    const std::lock_guard lock(mutex);
    ++runs[run.callback->id()].second;
  }

  std::mutex mutex;
  std::map<std::string, std::pair<std::string, int>> runs;
};

}  // namespace

int main(int argc, char ** argv)
{
  if (argc < 2) {
    return 64;
  }
  takt_rcl::init(argc, argv);
  const auto schedule = takt_schedule::load_schedule(argv[1]);
  if (!schedule.ok()) {
    return 1;
  }
  auto executor =
    takt_rcl::Executor::from_schedule(takt_rcl::default_context(), schedule.value(), "main");
  const auto counts = std::make_shared<Counts>();
  if (!executor.core().add_observer(counts).ok()) {
    return 1;
  }
  const auto end = [&] { executor.cancel(); };
  const bool turns = argc > 2 && std::string_view(argv[2]) == "turns";
  takt_rcl::Node::SharedPtr node;
  if (turns) {
    node = std::make_shared<twins::Turns>(end);
  } else {
    node = std::make_shared<twins::Twin>(end);
  }
  executor.add_node(node);
  executor.spin();
  for (const auto & warning : executor.schedule_warnings()) {
    std::fprintf(stderr, "%s\n", takt_rt::to_string(warning).c_str());
  }
  for (const auto & [id, one] : counts->runs) {
    if (!turns) {
      std::printf("%s %s %d\n", id.c_str(), one.first.c_str(), one.second);
    }
  }
  takt_rcl::shutdown();
}
