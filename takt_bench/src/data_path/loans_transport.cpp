// Loaned messages of the middleware, through rcl itself: takt_rcl lends its own pool's messages,
// and not the middleware's.
//
// Between processes Fast DDS shares the publisher's history (data sharing), and a thread of the
// middleware in the receiver's process puts each message into the reader's history. In one thread
// it gives the reader the publisher's memory within the publish.
#include <rcl/error_handling.h>
#include <rcl/rcl.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "data_path/content.hpp"
#include "data_path/plain_node.hpp"
#include "data_path/plain_type.hpp"
#include "data_path/transport.hpp"

namespace takt_bench::data_path
{

namespace
{

rmw_qos_profile_t profile()
{
  rmw_qos_profile_t qos = rmw_qos_profile_default;
  qos.depth = 4;
  return qos;
}

/// Waits until the middleware has matched the other side.
template <typename Count>
void wait_for_one(Count count)
{
  const takt_rt::Time end = takt_rt::now() + kMeeting;
  for (;;) {
    std::size_t others = 0;
    need(count(others), "cannot count the other side");
    if (others > 0) {
      return;
    }
    if (takt_rt::now() > end) {
      throw std::runtime_error("the middleware did not match publisher and receiver");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class Lender
{
public:
  Lender(PlainNode & node, const Setting & setting)
  : node_(node),
    size_(setting.size),
    type_(plain_type(setting.size))
  {
    rcl_publisher_options_t options = rcl_publisher_get_default_options();
    options.qos = profile();
    need(
      rcl_publisher_init(&publisher_, node_.node(), &type_, setting.topic.c_str(), &options),
      "cannot make a publisher");
    if (!rcl_publisher_can_loan_messages(&publisher_)) {
      throw std::runtime_error("the middleware lends no messages to publishers");
    }
    rcl_reset_error();  // of its search for another type support
  }
  ~Lender() { ignore(rcl_publisher_fini(&publisher_, node_.node())); }
  Lender(const Lender &) = delete;
  Lender & operator=(const Lender &) = delete;

  void connect()
  {
    wait_for_one([this](std::size_t & count) {
      return rcl_publisher_get_subscription_count(&publisher_, &count);
    });
  }

  void publish(std::uint64_t number)
  {
    void * message = nullptr;
    need(rcl_borrow_loaned_message(&publisher_, &type_, &message), "no message to publish");
    write_number(message, size_, number);
    write_time(message);
    need(rcl_publish_loaned_message(&publisher_, message, nullptr), "cannot publish a loan");
  }

private:
  PlainNode & node_;
  const std::size_t size_;
  const rosidl_message_type_support_t & type_;
  rcl_publisher_t publisher_ = rcl_get_zero_initialized_publisher();
};

class Borrower
{
public:
  Borrower(PlainNode & node, const Setting & setting, Ledger & ledger)
  : node_(node),
    size_(setting.size),
    ledger_(ledger)
  {
    rcl_subscription_options_t options = rcl_subscription_get_default_options();
    options.qos = profile();
    options.disable_loaned_message = false;
    need(
      rcl_subscription_init(
        &subscription_, node_.node(), &plain_type(size_), setting.topic.c_str(), &options),
      "cannot make a subscription");
    ignore(rcl_subscription_options_fini(&options));
    if (!rcl_subscription_can_loan_messages(&subscription_)) {
      throw std::runtime_error("the middleware lends no messages to subscriptions");
    }
    rcl_reset_error();
    need(
      rcl_wait_set_init(&set_, 1, 0, 0, 0, 0, 0, node_.context(), rcl_get_default_allocator()),
      "cannot wait for messages");
  }
  ~Borrower()
  {
    ignore(rcl_wait_set_fini(&set_));
    ignore(rcl_subscription_fini(&subscription_, node_.node()));
  }
  Borrower(const Borrower &) = delete;
  Borrower & operator=(const Borrower &) = delete;

  /// A publisher that knows its reader may publish before the reader takes its messages.
  void connect()
  {
    wait_for_one([this](std::size_t & count) {
      return rcl_subscription_get_publisher_count(&subscription_, &count);
    });
  }

  /// Takes all messages that wait.
  void take()
  {
    rmw_message_info_t info{};
    for (;;) {
      void * message = nullptr;
      const rcl_ret_t taken = rcl_take_loaned_message(&subscription_, &message, &info, nullptr);
      if (taken == RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
        break;
      }
      need(taken, "cannot take a loan");
      ledger_.arrived(message, size_);
      need(
        rcl_return_loaned_message_from_subscription(&subscription_, message),
        "cannot give a loan back");
    }
    rcl_reset_error();
  }

  void wait()
  {
    need(rcl_wait_set_clear(&set_), "cannot wait for messages");
    need(rcl_wait_set_add_subscription(&set_, &subscription_, nullptr), "cannot wait for messages");
    const rcl_ret_t result = rcl_wait(&set_, kLook.count());
    if (result != RCL_RET_TIMEOUT) {
      need(result, "cannot wait for messages");
    }
    rcl_reset_error();
  }

private:
  PlainNode & node_;
  const std::size_t size_;
  Ledger & ledger_;
  rcl_subscription_t subscription_ = rcl_get_zero_initialized_subscription();
  rcl_wait_set_t set_ = rcl_get_zero_initialized_wait_set();
};

class LoansPublishing final : public Publishing
{
public:
  explicit LoansPublishing(const Setting & setting)
  : node_("data_path_publisher"),
    lender_(node_, setting)
  {
  }
  void connect() override { lender_.connect(); }
  void publish(std::uint64_t number) override { lender_.publish(number); }

private:
  PlainNode node_;
  Lender lender_;
};

class LoansReceiving final : public Receiving
{
public:
  LoansReceiving(const Setting & setting, Ledger & ledger)
  : ledger_(ledger),
    node_("data_path"),
    borrower_(node_, setting, ledger)
  {
  }
  void run() override
  {
    borrower_.connect();
    ledger_.take_step(Step::receiving);
    while (ledger_.step() < Step::ended) {
      borrower_.wait();
      borrower_.take();
    }
  }

private:
  Ledger & ledger_;
  PlainNode node_;
  Borrower borrower_;
};

class LoansOneThread final : public OneThread
{
public:
  LoansOneThread(const Setting & setting, Ledger & ledger)
  : node_("data_path"),
    lender_(node_, setting),
    borrower_(node_, setting, ledger)
  {
  }
  void run(Course & course) override
  {
    lender_.connect();
    borrower_.connect();
    course.run([this](std::uint64_t number) {
      lender_.publish(number);
      borrower_.take();
    });
  }

private:
  PlainNode node_;
  Lender lender_;
  Borrower borrower_;
};

}  // namespace

std::unique_ptr<Publishing> loans_publishing(const Setting & setting)
{
  return std::make_unique<LoansPublishing>(setting);
}

std::unique_ptr<Receiving> loans_receiving(const Setting & setting, Ledger & ledger)
{
  return std::make_unique<LoansReceiving>(setting, ledger);
}

std::unique_ptr<OneThread> loans_one_thread(const Setting & setting, Ledger & ledger)
{
  return std::make_unique<LoansOneThread>(setting, ledger);
}

}  // namespace takt_bench::data_path
