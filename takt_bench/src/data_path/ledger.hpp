// What publisher, receiver and the measuring process share: how far the measurement is, and when
// each message was published and arrived.
//
// Lies in memory that forked children share with their parent. The publisher and the receiver write
// while they are measured; both are real-time safe unless a function waits by name.
#ifndef TAKT_BENCH__SRC__DATA_PATH__LEDGER_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__LEDGER_HPP_

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "data_path/setting.hpp"
#include "takt_rt/time.hpp"

namespace takt_bench::data_path
{

/// How far a measurement is. Each step is taken by the process in brackets.
enum class Step : std::uint32_t
{
  starting,
  receiving,  ///< (receiver) a message can arrive
  warm,       ///< (publisher) the warm-up is over; the publisher waits
  measuring,  ///< (measuring process) the counters were read
  done,       ///< (publisher) all messages were published and had time to arrive
  ended       ///< (measuring process) the counters were read again; all processes end
};

class Ledger
{
public:
  struct Sample
  {
    std::int64_t published_ns = 0;
    std::int64_t latency_ns = -1;  ///< -1: did not arrive
  };

  /// Maps the memory. Throws std::system_error.
  explicit Ledger(const Setting & setting);
  ~Ledger();
  Ledger(const Ledger &) = delete;
  Ledger & operator=(const Ledger &) = delete;

  Step step() const noexcept;
  void take_step(Step to) noexcept;
  /// Waits until that step, at most until the deadline. May block.
  bool wait_for(Step step, takt_rt::Time deadline = takt_rt::kNever) const noexcept;

  /// On the receiving thread, for each message, before it does anything else with it.
  void arrived(const void * message, std::size_t size) noexcept;

  // The wake-up without a message: a word on which the receiver sleeps.
  /// Wakes the receiver: one store and one system call.
  void ring(std::uint64_t number) noexcept;
  /// The number after the last one of `ring`.
  std::uint32_t bell() const noexcept { return shared_->bell.load(std::memory_order_acquire); }
  /// Sleeps while the bell is `heard`. False at the deadline. Blocks by design.
  bool wait_for_bell(std::uint32_t heard, takt_rt::Time deadline) const noexcept;
  /// As `arrived`, after `wait_for_bell`.
  void woken(std::uint64_t number) noexcept;

  /// On the publishing thread, before the first message.
  void publishes() noexcept;
  /// The number of messages after the warm-up. On the publishing thread, at its end.
  void published(std::uint64_t messages) noexcept { shared_->published.store(messages); }

  /// The number after that of the newest message that arrived.
  std::uint64_t next_number() const noexcept
  {
    return shared_->next.load(std::memory_order_acquire);
  }
  std::uint64_t published() const noexcept { return shared_->published.load(); }
  std::uint64_t damaged() const noexcept { return shared_->damaged.load(); }
  pid_t publishing_thread() const noexcept { return shared_->publishing.load(); }
  pid_t receiving_thread() const noexcept { return shared_->receiving.load(); }
  const Sample & sample(std::uint64_t number) const noexcept { return samples_[number]; }

  /// Why a side ended. The first reason stays. Set-up only.
  void fail(Side side, const std::string & why) noexcept;
  /// Empty: it did not fail. Set-up only.
  std::string failure(Side side) const;

private:
  void note(std::uint64_t number, std::int64_t published_ns, std::int64_t now) noexcept;

  struct Shared
  {
    std::atomic<std::uint32_t> step{0};
    std::atomic<std::uint32_t> bell{0};
    std::atomic<std::int64_t> rung_ns{0};
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> published{0};
    std::atomic<std::uint64_t> damaged{0};
    std::atomic<pid_t> publishing{0};
    std::atomic<pid_t> receiving{0};
    std::array<std::array<char, 512>, 2> failures{};
  };

  const std::uint64_t warm_up_;
  const std::uint64_t messages_;
  const std::size_t size_;
  std::size_t bytes_ = 0;
  Shared * shared_ = nullptr;
  Sample * samples_ = nullptr;  // of the messages after the warm-up
};

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__LEDGER_HPP_
