// Reports the callbacks that throw, if the executor continues after exceptions
// (ExceptionPolicy::report).
//
// Executor threads only count exceptions. An ordinary thread of the reporter writes one line for
// each callback that threw: at once after the first exception, then at most once a period. The
// reporter's thread sleeps while no callback throws.
#ifndef TAKT_CORE__ADAPTER__EXCEPTION_REPORTER_HPP_
#define TAKT_CORE__ADAPTER__EXCEPTION_REPORTER_HPP_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "takt_core/observer.hpp"

namespace takt_core::adapter
{

/// Writes about callbacks that throw. Add it to an executor as an observer.
class ExceptionReporter final : public Observer
{
public:
  /// Gets one sentence, on the reporter's thread. May block; must not throw.
  using Sink = std::function<void(const std::string &)>;

  /// The number of callbacks whose exceptions are counted separately. The exceptions of further
  /// callbacks share one count.
  static constexpr std::size_t kCallbacks = 128;
  /// The most lines in a period. One more line sums up the other callbacks.
  static constexpr std::size_t kLines = 10;

  /// Starts the thread. Set-up only. Throws std::system_error if the process cannot create a
  /// thread.
  explicit ExceptionReporter(Sink sink, Duration period = std::chrono::seconds(1));
  /// Reports the remaining exceptions and ends the thread. May block.
  ~ExceptionReporter() override;

  ObserverInterest interest() const noexcept override
  {
    ObserverInterest interest;
    interest.runs = false;
    return interest;
  }
  void on_added(const Callback & callback) override;
  void on_removed(const Callback & callback) override;
  /// Real-time safe, except for the first exception of a callback in a period: to copy its text,
  /// the function rethrows the exception internally.
  void on_exception(const Run & run, const std::exception_ptr & exception) noexcept override;

private:
  struct Slot
  {
    std::atomic<std::uint32_t> callback{0};  // the callback's number; 0: free
    std::atomic<std::uint64_t> count{0};     // exceptions since the last report
    std::uint64_t told = 0;                  // exceptions reported; guarded by the mutex
    // True if the callback was removed: the slot becomes free after its last report. Guarded by the
    // mutex.
    bool removed = false;
    std::atomic<bool> writing{false};  // guards the text; if set, writers skip the text
    std::array<char, 200> text{};
  };

  Slot * slot_of(std::uint32_t callback) noexcept;
  void free(Slot & slot);
  static void copy_text(Slot & slot, const std::exception_ptr & exception) noexcept;
  void work();
  void tell();
  std::string sentence(Slot & slot, std::uint64_t count);

  const Sink sink_;
  const Duration period_;
  std::array<Slot, kCallbacks> slots_;
  std::atomic<std::uint64_t> others_{0};
  std::atomic<std::uint32_t> pending_{0};               // futex: an exception waits for its report
  std::atomic<std::uint32_t> ended_{0};                 // futex: set by the destructor
  std::mutex mutex_;                                    // never taken by an executor thread
  std::unordered_map<std::uint32_t, std::string> ids_;  // ids of callbacks, by number
  std::thread thread_;
};

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__EXCEPTION_REPORTER_HPP_
