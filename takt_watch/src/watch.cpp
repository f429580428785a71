#include "takt_watch/watch.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "process_watch.hpp"
#include "takt_control/control_server.hpp"
#include "takt_control/json_fields.hpp"
#include "takt_schedule/watch_parts.hpp"
#include "takt_watch/watched_schedule.hpp"

namespace takt_watch
{
namespace
{

using takt_schedule::Schedule;

class Watched final : public Watching
{
public:
  Watched(ProcessWatch & process, std::shared_ptr<ExecutorWatch> watch)
  : process_(process),
    watch_(std::move(watch)),
    first_(
      watch_->watched().schedule != nullptr ? watch_->watched().schedule
                                            : std::make_shared<const Schedule>()),
    now_(first_)
  {
  }
  ~Watched() override { process_.remove(watch_); }
  Watched(const Watched &) = delete;
  Watched & operator=(const Watched &) = delete;

  std::vector<takt_schedule::AppliedPart> apply(const Schedule & schedule, bool check_only) override
  {
    const std::lock_guard lock(mutex_);
    const WatchedExecutor & watched = watch_->watched();
    auto parts = takt_schedule::watch_parts(schedule, *now_, watched.name, *watched.executor);
    if (!check_only && takt_schedule::says_watching(schedule)) {
      now_ = std::make_shared<const Schedule>(schedule);
      process_.change(watch_, watch_rules(schedule, watched.name));
    }
    return parts;
  }

  bool reset() override
  {
    const std::lock_guard lock(mutex_);
    if (now_ == first_) {
      return false;
    }
    now_ = first_;
    process_.change(watch_, watch_->watched());
    return true;
  }

  std::vector<ChainResponses> chain_responses() const override { return watch_->chain_responses(); }

private:
  ProcessWatch & process_;
  const std::shared_ptr<ExecutorWatch> watch_;
  std::mutex mutex_;  // guards the members below
  const std::shared_ptr<const Schedule> first_;
  std::shared_ptr<const Schedule> now_;
};

takt_rt::Result<std::string> statistics(const std::string & payload)
{
  try {
    static_cast<void>(takt_control::request_object(payload));  // it has no fields yet
  } catch (const takt_control::BadField & bad) {
    return takt_rt::Faults{"the request for statistics is wrong: " + bad.what};
  }
  return ProcessWatch::instance().statistics();
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

takt_rt::Result<std::unique_ptr<Watching>> watch(WatchedExecutor executor)
{
  if (executor.executor == nullptr) {
    return takt_rt::Faults{"there is no executor to watch: the pointer is null"};
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
