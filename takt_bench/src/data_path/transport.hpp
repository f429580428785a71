// The two sides of a way that messages travel, and both sides on one thread.
//
// A child process makes its side with the attributes that threads of the middleware inherit, and
// then takes those of its own thread. All functions throw std::exception with a sentence where the
// way does not work. They may block.
#ifndef TAKT_BENCH__SRC__DATA_PATH__TRANSPORT_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__TRANSPORT_HPP_

#include <cstdint>
#include <memory>

#include "data_path/course.hpp"
#include "data_path/ledger.hpp"
#include "data_path/setting.hpp"

namespace takt_bench::data_path
{

/// The publisher in a process of its own.
class Publishing
{
public:
  virtual ~Publishing() = default;
  /// Waits for the receiver.
  virtual void connect() {}
  /// Writes the number, then the time, and publishes. Throws if the message could not be published.
  virtual void publish(std::uint64_t number) = 0;
};

/// The receiver in a process of its own.
class Receiving
{
public:
  virtual ~Receiving() = default;
  /// Receives into the ledger until its step `ended`. Waits for the publisher, and takes the step
  /// `receiving` when messages can arrive.
  virtual void run() = 0;
};

/// Publisher and receiver on one thread.
class OneThread
{
public:
  virtual ~OneThread() = default;
  /// Runs the course to its end.
  virtual void run(Course & course) = 0;
};

/// For the setting's variant. The setting and the ledger outlive the object.
std::unique_ptr<Publishing> make_publishing(const Setting & setting, Ledger & ledger);
std::unique_ptr<Receiving> make_receiving(const Setting & setting, Ledger & ledger);
std::unique_ptr<OneThread> make_one_thread(const Setting & setting, Ledger & ledger);

/// Makes `rclcpp` and `rclcpp_pool` in one thread.
using OneThreadMaker = std::unique_ptr<OneThread> (*)(const Setting & setting, Ledger & ledger);
/// For a program that was built with rclcpp: call it before any measurement. Set-up only.
void use_rclcpp(OneThreadMaker maker) noexcept;
/// Whether `use_rclcpp` was called. Set-up only.
bool has_rclcpp() noexcept;

// takt_rcl: `udp`, `standard`, and `direct` in one thread.
std::unique_ptr<Publishing> client_publishing(const Setting & setting);
std::unique_ptr<Receiving> client_receiving(const Setting & setting, Ledger & ledger);
std::unique_ptr<OneThread> client_one_thread(const Setting & setting, Ledger & ledger);
// rcl: `loans`.
std::unique_ptr<Publishing> loans_publishing(const Setting & setting);
std::unique_ptr<Receiving> loans_receiving(const Setting & setting, Ledger & ledger);
std::unique_ptr<OneThread> loans_one_thread(const Setting & setting, Ledger & ledger);
// takt_channel: `direct` between processes.
std::unique_ptr<Publishing> channel_publishing(const Setting & setting);
std::unique_ptr<Receiving> channel_receiving(const Setting & setting, Ledger & ledger);
// takt_rcl over takt_channel: `shared`, for messages of kSharedSizes.
std::unique_ptr<Publishing> shared_publishing(const Setting & setting);
std::unique_ptr<Receiving> shared_receiving(const Setting & setting, Ledger & ledger);

/// How long a side waits for the other.
constexpr takt_rt::Duration kMeeting = std::chrono::seconds(30);
/// How often a receiver that sleeps looks whether the measurement has ended.
constexpr takt_rt::Duration kLook = std::chrono::milliseconds(100);

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__TRANSPORT_HPP_
