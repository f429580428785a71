#include "takt_watch/watch.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "process_watch.hpp"
#include "takt_control/control_server.hpp"

namespace takt_watch
{
namespace
{

class Watched final : public Watching
{
public:
  Watched(ProcessWatch & process, std::shared_ptr<ExecutorWatch> watch)
  : process_(process),
    watch_(std::move(watch))
  {
  }
  ~Watched() override { process_.remove(watch_); }
  Watched(const Watched &) = delete;
  Watched & operator=(const Watched &) = delete;

private:
  ProcessWatch & process_;
  const std::shared_ptr<ExecutorWatch> watch_;
};

takt_core::Result<std::string> statistics(const std::string & payload)
{
  const auto request = nlohmann::json::parse(payload.empty() ? "{}" : payload, nullptr, false);
  if (!request.is_object()) {
    return takt_core::Faults{
      "the request for statistics is no JSON object; send {} or {\"reader\": true}"};
  }
  bool reader = false;
  if (const auto asked = request.find("reader"); asked != request.end()) {
    if (!asked->is_boolean()) {
      return takt_core::Faults{"the request for statistics: `reader` must be true or false"};
    }
    reader = asked->get<bool>();
  }
  return ProcessWatch::instance().statistics(reader);
}

void answer_requests()
{
  static const bool once = [] {
    takt_control::handle_requests(takt_control::MessageType::statistics, &statistics);
    takt_control::set_subscription_answer([] { return ProcessWatch::instance().subscription(); });
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

takt_core::Result<std::unique_ptr<Watching>> watch(WatchedExecutor executor)
{
  if (executor.executor == nullptr) {
    return takt_core::Faults{"there is no executor to watch: the pointer is null"};
  }
  answer_requests();
  ProcessWatch & process = ProcessWatch::instance();
  auto added = process.add(std::move(executor));
  if (!added.ok()) {
    return added.faults();
  }
  return std::unique_ptr<Watching>(std::make_unique<Watched>(process, std::move(*added)));
}

}  // namespace takt_watch
