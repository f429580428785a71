#include "adopt/held_messages.hpp"

#include <dlfcn.h>
#include <rcl/error_handling.h>
#include <rcl/publisher.h>
#include <rmw/rmw.h>
#include <rmw/serialized_message.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adopt/process_settings.hpp"
#include "adopt/recorder.hpp"
#include "takt_core/logical_time.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rclcpp
{
namespace
{

// True while this thread publishes a message that was held, possibly inside the run of a callback
// with logical execution time that ended the publisher. Such a message must not be held again.
constinit thread_local bool t_sends = false;

takt_type_of types()
{
  static const auto g_types =
    reinterpret_cast<takt_type_of>(::dlsym(RTLD_DEFAULT, TAKT_TYPE_OF_SYMBOL));
  return g_types;
}

const rosidl_message_type_support_t * type_of(const void * publisher)
{
  return static_cast<const rosidl_message_type_support_t *>(
    types() == nullptr ? nullptr : types()(publisher));
}

void say_of(const rcl_publisher_t & publisher, const std::string & what)
{
  const char * const topic = rcl_publisher_get_topic_name(&publisher);
  rcl_reset_error();
  say(
    "messages on " + std::string(topic == nullptr ? "a topic" : topic) +
      " from a callback group with let " + what,
    true);
}

// The topics by which ROS 2 itself logs, and tells of parameters, actions and lifecycles. takt
// never delays or drops their messages, whatever the program does with let.
bool is_of_ros(const rcl_publisher_t & publisher)
{
  const char * const name = rcl_publisher_get_topic_name(&publisher);
  const std::string_view topic = name == nullptr ? "" : name;
  rcl_reset_error();
  const auto ends_with = [&](std::string_view end) {
    return topic.size() >= end.size() && topic.substr(topic.size() - end.size()) == end;
  };
  return topic == "/rosout" || topic == "/parameter_events" || ends_with("/_action/feedback") ||
         ends_with("/_action/status") || ends_with("/transition_event");
}

/// The held messages of one publisher, and their memory.
class OfPublisher : public std::enable_shared_from_this<OfPublisher>
{
public:
  explicit OfPublisher(const rcl_publisher_t & publisher)
  : publisher_(publisher),
    type_(type_of(&publisher)),
    of_ros_(is_of_ros(publisher)),
    may_wait_(waits_for_readers(publisher))
  {
  }
  ~OfPublisher()
  {
    for (const auto & held : all_) {
      static_cast<void>(rmw_serialized_message_fini(&held->bytes));
    }
  }
  OfPublisher(const OfPublisher &) = delete;
  OfPublisher & operator=(const OfPublisher &) = delete;

  bool hold(takt_core::LogicalTime & group, const void * message, takt_form form)
  {
    if (of_ros_) {
      return false;
    }
    if (may_wait_) {
      tell(
        "are published at once, because the publisher's history KEEP_ALL may wait for readers; use "
        "KEEP_LAST there");
      return false;
    }
    Held & held = acquire();
    if (!fill(held, message, form)) {
      put(held);
      tell("are published at once, because takt cannot serialise them");
      return false;
    }
    held.form = form;
    held.owner = shared_from_this();
    {
      const std::lock_guard lock(mutex_);
      held.next = nullptr;
      (last_ == nullptr ? first_ : last_->next) = &held;
      last_ = &held;
    }
    group.hold(held);
    return true;
  }

  /// Publishes the waiting messages in order, and forgets the publisher.
  void end()
  {
    const std::lock_guard lock(mutex_);
    for (Held * held = first_; held != nullptr; held = held->next) {
      send(*held);
    }
    first_ = last_ = nullptr;
    ended_ = true;
  }

private:
  struct Held final : takt_core::HeldOutput
  {
    explicit Held(OfPublisher & messages) : all(messages) {}
    void publish() noexcept override { all.publish(*this); }
    void release() noexcept override { all.release(*this); }

    OfPublisher & all;
    std::shared_ptr<OfPublisher> owner;  // set while the message is held
    takt_form form = TAKT_SERIALIZED;
    rmw_serialized_message_t bytes = rmw_get_zero_initialized_serialized_message();
    void * loan = nullptr;
    Held * next = nullptr;  // the next waiting message
  };

  static bool waits_for_readers(const rcl_publisher_t & publisher)
  {
    const rmw_qos_profile_t * const qos = rcl_publisher_get_actual_qos(&publisher);
    return qos != nullptr && qos->history == RMW_QOS_POLICY_HISTORY_KEEP_ALL &&
           qos->reliability != RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
  }

  Held & acquire()
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      auto held = std::make_unique<Held>(*this);
      const rcutils_allocator_t allocator = rcutils_get_default_allocator();
      static_cast<void>(rmw_serialized_message_init(&held->bytes, 0, &allocator));
      all_.push_back(std::move(held));
      free_.reserve(all_.size());
      return *all_.back();
    }
    Held & held = *free_.back();
    free_.pop_back();
    return held;
  }
  void put(Held & held)
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(&held);
  }

  bool fill(Held & held, const void * message, takt_form form) const
  {
    if (form == TAKT_LOANED) {
      held.loan = const_cast<void *>(message);
      return true;
    }
    if (form == TAKT_MESSAGE) {
      const bool done =
        type_ != nullptr && rmw_serialize(message, type_, &held.bytes) == RMW_RET_OK;
      rmw_reset_error();
      return done;
    }
    const auto & given = *static_cast<const rmw_serialized_message_t *>(message);
    if (
      held.bytes.buffer_capacity < given.buffer_length &&
      rmw_serialized_message_resize(&held.bytes, given.buffer_length) != RMW_RET_OK) {
      rmw_reset_error();
      return false;
    }
    std::copy_n(given.buffer, given.buffer_length, held.bytes.buffer);
    held.bytes.buffer_length = given.buffer_length;
    return true;
  }

  void tell(const std::string & what)
  {
    if (!told_.exchange(true)) {
      say_of(publisher_, what);
    }
  }

  // With the mutex held. The calls of rcl go through the preloaded hooks, like those of the
  // program. If the program's context has ended since, rcl refuses the message. Then the middleware
  // gets it directly, because the program published it before.
  void send(Held & held)
  {
    const bool sends = std::exchange(t_sends, true);
    bool sent = false;
    if (rcl_publisher_is_valid(&publisher_)) {
      sent = (held.form == TAKT_LOANED
                ? rcl_publish_loaned_message(&publisher_, held.loan, nullptr)
                : rcl_publish_serialized_message(&publisher_, &held.bytes, nullptr)) == RCL_RET_OK;
    } else if (rcl_publisher_is_valid_except_context(&publisher_)) {
      rmw_publisher_t * const handle = rcl_publisher_get_rmw_handle(&publisher_);
      sent = (held.form == TAKT_LOANED
                ? rmw_publish_loaned_message(handle, held.loan, nullptr)
                : rmw_publish_serialized_message(handle, &held.bytes, nullptr)) == RMW_RET_OK;
    }
    rcl_reset_error();
    t_sends = sends;
    if (sent) {
      held.loan = nullptr;
    } else {
      give_back(held);
      tell("are lost, because the middleware does not take them");
    }
  }

  void give_back(Held & held)
  {
    if (void * const loan = std::exchange(held.loan, nullptr); loan != nullptr && !ended_) {
      static_cast<void>(rcl_return_loaned_message_from_publisher(&publisher_, loan));
      rcl_reset_error();
    }
  }

  void publish(Held & held) noexcept
  {
    const std::lock_guard lock(mutex_);
    if (take_out(held)) {
      send(held);
    }
  }

  void release(Held & held) noexcept
  {
    const auto owner = std::move(held.owner);  // the last owner destroys this object
    const std::lock_guard lock(mutex_);
    take_out(held);
    give_back(held);
    free_.push_back(&held);
  }

  // Returns false if the message no longer waits. With the mutex held.
  bool take_out(Held & held)
  {
    Held * before = nullptr;
    for (Held * one = first_; one != nullptr; before = one, one = one->next) {
      if (one == &held) {
        (before == nullptr ? first_ : before->next) = held.next;
        last_ = last_ == &held ? before : last_;
        return true;
      }
    }
    return false;
  }

  // While takt sends a message, a listener of the program may publish. takt does not hold the
  // listener's message, because the thread would wait for this mutex, which it holds.
  takt_rt::PiMutex mutex_;
  const rcl_publisher_t publisher_;  // a copy: the program's object may live only for a short time
  bool ended_ = false;
  const rosidl_message_type_support_t * const type_;
  const bool of_ros_;
  const bool may_wait_;
  std::atomic<bool> told_{false};
  std::vector<std::unique_ptr<Held>> all_;
  std::vector<Held *> free_;  // with room for all messages
  Held * first_ = nullptr;    // the waiting messages
  Held * last_ = nullptr;
};

struct Publishers
{
  takt_rt::PiMutex mutex;
  std::map<const void *, std::shared_ptr<OfPublisher>> by_implementation;
};

Publishers & publishers()
{
  // Never destroyed: the program may end publishers until the process has ended.
  static auto * const the_publishers = new Publishers;
  return *the_publishers;
}

std::shared_ptr<OfPublisher> messages_of(const rcl_publisher_t & publisher)
{
  Publishers & all = publishers();
  const std::lock_guard lock(all.mutex);
  auto & messages = all.by_implementation[publisher.impl];
  if (messages == nullptr) {
    messages = std::make_shared<OfPublisher>(publisher);
  }
  return messages;
}

}  // namespace

bool messages_can_be_held()
{
  return types() != nullptr;
}

bool hold_message(const void * publisher, const void * message, takt_form form)
{
  takt_core::LogicalTime * const group = takt_core::LogicalTime::current();
  const auto * const handle = static_cast<const rcl_publisher_t *>(publisher);
  if (
    group == nullptr || t_sends || message == nullptr ||
    !rcl_publisher_is_valid_except_context(handle)) {
    return false;  // if one of the last two holds, rcl refuses the message
  }
  const bool held = messages_of(*handle)->hold(*group, message, form);
  if (held) {
    Recorder::note_publish(publisher);
  }
  return held;
}

bool publishes_held_message() noexcept
{
  return t_sends;
}

void end_held_messages(const void * publisher)
{
  std::shared_ptr<OfPublisher> messages;
  {
    Publishers & all = publishers();
    const std::lock_guard lock(all.mutex);
    if (auto found =
          all.by_implementation.extract(static_cast<const rcl_publisher_t *>(publisher)->impl);
        !found.empty()) {
      messages = std::move(found.mapped());
    }
  }
  if (messages != nullptr) {
    messages->end();
  }
}

struct HeldArrivals::Held final : takt_core::HeldOutput
{
  explicit Held(HeldArrivals & arrivals) : all(arrivals) {}
  void publish() noexcept override;
  void release() noexcept override;

  HeldArrivals & all;
  std::shared_ptr<HeldArrivals> owner;  // set while the arrival is held
  std::size_t count = 0;
};

struct HeldArrivals::Parts
{
  std::function<void(std::size_t)> announce;
  std::string topic;
  std::size_t depth = 0;
  std::atomic<std::size_t> waiting{0};  // messages
  std::atomic<bool> told{false};
  takt_rt::PiMutex mutex;
  std::vector<std::unique_ptr<Held>> all;
  std::vector<Held *> free;  // with room for all arrivals
};

HeldArrivals::HeldArrivals(
  std::function<void(std::size_t)> announce, std::string topic, std::size_t depth)
: parts_(std::make_unique<Parts>())
{
  parts_->announce = std::move(announce);
  parts_->topic = std::move(topic);
  parts_->depth = depth;
}

HeldArrivals::~HeldArrivals() = default;

void HeldArrivals::Held::publish() noexcept
{
  all.parts_->waiting.fetch_sub(count);
  all.parts_->announce(std::exchange(count, 0));
}

// takt cannot take a message back from rclcpp's buffer. So the arrival of a dropped output is
// announced, too.
void HeldArrivals::Held::release() noexcept
{
  const auto last = std::move(owner);
  if (count > 0) {
    publish();
  }
  const std::lock_guard lock(all.parts_->mutex);
  all.parts_->free.push_back(this);
}

bool HeldArrivals::hold(std::size_t count)
{
  takt_core::LogicalTime * const group = takt_core::LogicalTime::current();
  const auto tell = [this](const std::string & why) {
    if (!parts_->told.exchange(true)) {
      say(
        "messages on " + parts_->topic +
          " may be taken before the end of the period of their let: " + why +
          "; send them by the middleware (use_intra_process_comms(false))",
        true);
    }
  };
  if (group == nullptr) {
    if (parts_->waiting.load() > 0) {
      tell("other publishers send to the same buffer within the process");
    }
    return false;
  }
  // The messages of a run and of the run after it may lie in the buffer at the same time.
  const std::size_t waiting = parts_->waiting.fetch_add(count) + count;
  if (parts_->depth > 0 && 2 * waiting > parts_->depth) {
    tell(
      "the subscription's history of " + std::to_string(parts_->depth) +
      " may not hold the messages of two periods");
  }
  Held * held = nullptr;
  {
    const std::lock_guard lock(parts_->mutex);
    if (parts_->free.empty()) {
      parts_->all.push_back(std::make_unique<Held>(*this));
      parts_->free.reserve(parts_->all.size());
      held = parts_->all.back().get();
    } else {
      held = parts_->free.back();
      parts_->free.pop_back();
    }
  }
  held->count = count;
  held->owner = shared_from_this();
  group->hold(*held);
  return true;
}

}  // namespace takt_rclcpp
