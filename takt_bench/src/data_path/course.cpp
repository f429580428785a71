#include "data_path/course.hpp"

#include <stdexcept>
#include <string>

#include "takt_rt/monotonic_clock.hpp"

namespace takt_bench::data_path
{

using takt_rt::Time;

Course::Course(Ledger & ledger, const Setting & setting)
: ledger_(ledger),
  warm_up_(setting.warm_up),
  all_(setting.warm_up + setting.messages),
  interval_(setting.interval),
  longest_(setting.longest),
  patience_(setting.patience)
{
}

bool Course::under_way()
{
  if (next_ == 0 || ledger_.next_number() >= next_) {
    lost_ = 0;
    return false;
  }
  if (takt_rt::now() - published_ < patience_) {
    return true;
  }
  if (++lost_ >= kMostLost) {
    throw std::runtime_error(
      "message " + std::to_string(next_ - 1) + " and those before it did not arrive");
  }
  return false;
}

std::optional<std::uint64_t> Course::turn()
{
  if (finished_ || under_way()) {
    return std::nullopt;
  }
  if (next_ == warm_up_ && ledger_.step() < Step::measuring) {
    ledger_.take_step(Step::warm);
    ledger_.wait_for(Step::measuring);
    begun_ = takt_rt::now();
  }
  published_ = takt_rt::now();
  if (next_ == all_ || (next_ > warm_up_ && published_ - begun_ > longest_)) {
    finished_ = true;
    ledger_.published(next_ - warm_up_);
    ledger_.take_step(Step::done);
    // A thread that has ended has no counters.
    ledger_.wait_for(Step::ended);
    return std::nullopt;
  }
  return next_++;
}

void Course::run(const std::function<void(std::uint64_t)> & publish)
{
  ledger_.publishes();
  Time release = takt_rt::now();
  while (!finished_) {
    takt_rt::MonotonicClock::sleep_until(release);
    if (const auto number = turn()) {
      publish(*number);
    }
    // After a wait the grid begins anew, so that no messages follow each other without a pause.
    release += interval_;
    if (const Time now = takt_rt::now(); release < now) {
      release = now + interval_;
    }
  }
}

}  // namespace takt_bench::data_path
