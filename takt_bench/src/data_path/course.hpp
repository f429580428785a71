// The publisher's course: when it publishes which message. One thread.
//
// One message is under way at a time: at each interval the next one goes out, unless the one before
// has not arrived yet. So a latency contains no message that waits for another one.
#ifndef TAKT_BENCH__SRC__DATA_PATH__COURSE_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__COURSE_HPP_

#include <cstdint>
#include <functional>
#include <optional>

#include "data_path/ledger.hpp"
#include "data_path/setting.hpp"

namespace takt_bench::data_path
{

class Course
{
public:
  /// So many lost messages in a row end the measurement.
  static constexpr int kMostLost = 3;

  Course(Ledger & ledger, const Setting & setting);

  /// At each interval: the number of the message to publish, if it is time for one. Waits between
  /// the warm-up and the measurement, and after it for its end. Throws std::runtime_error where
  /// messages do not arrive.
  std::optional<std::uint64_t> turn();
  /// All messages were published, or the time is over. They arrived or were lost, and the counters
  /// were read.
  bool finished() const noexcept { return finished_; }

  /// Sleeps from interval to interval and publishes until the course is finished. Blocks by design.
  void run(const std::function<void(std::uint64_t number)> & publish);

private:
  bool under_way();

  Ledger & ledger_;
  const std::uint64_t warm_up_;
  const std::uint64_t all_;
  const takt_rt::Duration interval_;
  const takt_rt::Duration longest_;
  const takt_rt::Duration patience_;
  std::uint64_t next_ = 0;
  takt_rt::Time begun_{};
  takt_rt::Time published_{};
  int lost_ = 0;
  bool finished_ = false;
};

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__COURSE_HPP_
