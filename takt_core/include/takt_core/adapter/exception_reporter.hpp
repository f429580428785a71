// Says which callbacks throw, where the executor goes on after an exception (ExceptionPolicy::report).
//
// Executor threads only count. An ordinary thread of the reporter's own tells: at once when something
// throws, and then at most once a period, one line for each callback that threw meanwhile. It sleeps
// while nothing throws.
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

class ExceptionReporter final : public Observer
{
public:
  /// Gets one sentence, on the reporter's thread. May block; must not throw.
  using Sink = std::function<void(const std::string &)>;

  /// Callbacks that are counted apart; what further ones throw is counted together.
  static constexpr std::size_t kCallbacks = 128;
  /// Lines a period; the rest is one more line.
  static constexpr std::size_t kLines = 10;

  /// Starts the thread. Set-up only. Throws std::system_error where the process may have no more.
  explicit ExceptionReporter(Sink sink, Duration period = std::chrono::seconds(1));
  /// Tells what has not been told, and ends the thread. May block.
  ~ExceptionReporter() override;

  void on_added(const Callback & callback) override;
  void on_removed(const Callback & callback) override;
  /// Real-time safe but for one thing: of the first exception of a callback in a period the text is
  /// copied, which throws it once more inside.
  void on_exception(const Run & run, const std::exception_ptr & exception) noexcept override;

private:
  struct Slot
  {
    std::atomic<std::uint32_t> callback{0};  // its number; 0: free
    std::atomic<std::uint64_t> count{0};     // since it was last told
    std::uint64_t told = 0;                  // with the mutex held
    bool removed = false;                    // the same: free it when all is told
    std::atomic<bool> writing{false};        // guards the text; a writer that finds it set goes on
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
  std::atomic<std::uint32_t> pending_{0};               // futex: there is something to tell
  std::atomic<std::uint32_t> ended_{0};                 // futex
  std::mutex mutex_;                                    // never taken by an executor thread
  std::unordered_map<std::uint32_t, std::string> ids_;  // by number
  std::thread thread_;
};

}  // namespace takt_core::adapter

#endif  // TAKT_CORE__ADAPTER__EXCEPTION_REPORTER_HPP_
