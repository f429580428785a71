// Messages that wait for the end of their period (takt_core/logical_time.hpp).
#ifndef TAKT_RCL__HELD_MESSAGES_HPP_
#define TAKT_RCL__HELD_MESSAGES_HPP_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "takt_core/logical_time.hpp"
#include "takt_rcl/memory/message_pool.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rcl
{

template <typename Msg>
class Publisher;

namespace detail
{

/// The messages of one publisher that a group holds back, and their memory. A held message keeps
/// its publisher alive. Any thread. Real-time safe, except that it allocates memory for each
/// message beyond the most that were held before.
template <typename Msg, typename Publishes = Publisher<Msg>>
class HeldMessages
{
public:
  using Owner = std::shared_ptr<Publishes>;

  /// Copies the message.
  void hold(takt_core::LogicalTime & group, Owner publisher, const Msg & message)
  {
    Held & held = acquire();
    if (held.copy == nullptr) {
      held.copy = std::make_unique<Msg>(message);
    } else {
      *held.copy = message;
    }
    held.publisher = std::move(publisher);
    group.hold(held);
  }
  void hold(takt_core::LogicalTime & group, Owner publisher, UniqueMessage<Msg> message)
  {
    Held & held = acquire();
    held.given = std::move(message);
    held.publisher = std::move(publisher);
    group.hold(held);
  }

private:
  struct Held final : takt_core::HeldOutput
  {
    explicit Held(HeldMessages & all) : pool(all) {}

    void publish() noexcept override
    {
      if (given != nullptr) {
        publisher->publish(std::move(given));
      } else {
        publisher->publish(*copy);
      }
    }
    void release() noexcept override
    {
      given.reset();
      // The end of the publisher ends the pool, too.
      const Owner last = std::move(publisher);
      pool.put(*this);
    }

    HeldMessages & pool;
    Owner publisher;
    UniqueMessage<Msg> given;
    std::unique_ptr<Msg>
      copy;  // stays for the next message: its strings and sequences keep their capacity
  };

  Held & acquire()
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      all_.push_back(std::make_unique<Held>(*this));
      free_.reserve(all_.size());
      return *all_.back();
    }
    Held & held = *free_.back();
    free_.pop_back();
    return held;
  }
  void put(Held & held) noexcept
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(&held);
  }

  takt_rt::PiMutex mutex_;
  std::vector<std::unique_ptr<Held>> all_;
  std::vector<Held *> free_;  // with room for all
};

}  // namespace detail
}  // namespace takt_rcl

#endif  // TAKT_RCL__HELD_MESSAGES_HPP_
