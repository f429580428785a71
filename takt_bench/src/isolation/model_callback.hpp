// One callback of a system model: it works for its time, publishes, and returns.
#ifndef TAKT_BENCH__SRC__ISOLATION__MODEL_CALLBACK_HPP_
#define TAKT_BENCH__SRC__ISOLATION__MODEL_CALLBACK_HPP_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isolation/wires.hpp"
#include "takt_core/callback.hpp"
#include "takt_core/executor.hpp"

namespace takt_bench::isolation
{

/// The responses of one chain: from the release of its root to the end of its last callback.
/// Several threads may record. Read it after they have ended.
class ChainRecord
{
public:
  ChainRecord(std::uint32_t root, std::size_t capacity) : root_(root), samples_(capacity) {}

  /// The position of the chain's root in the model.
  std::uint32_t root() const noexcept { return root_; }

  /// Real-time safe. Drops responses beyond its capacity.
  void record(takt_rt::Time release, takt_rt::Time end) noexcept
  {
    const std::size_t place = count_.fetch_add(1, std::memory_order_relaxed);
    if (place < samples_.size()) {
      samples_[place] = {release, (end - release).count()};
    }
  }

  /// Release and response in ns.
  std::vector<std::pair<takt_rt::Time, std::int64_t>> samples() const
  {
    return {samples_.begin(), samples_.begin() + std::min(count_.load(), samples_.size())};
  }

private:
  const std::uint32_t root_;
  std::atomic<std::size_t> count_{0};
  std::vector<std::pair<takt_rt::Time, std::int64_t>> samples_;
};

/// Names activations by the position of their root in the model, which all processes know.
class Roots
{
public:
  /// Set-up only.
  void add(std::uint32_t number, std::uint32_t position) { positions_.emplace(number, position); }

  /// The position of an activation's root. The activation may come from this or another process.
  /// Real-time safe.
  std::uint32_t position(std::uint32_t root) const noexcept
  {
    if ((root & kReceived) != 0) {
      return root & ~kReceived;
    }
    const auto found = positions_.find(root);
    return found == positions_.end() ? kReceived : found->second;
  }

  /// The root number of an activation from another process. No callback of this process has this
  /// number.
  static std::uint32_t received(std::uint32_t position) noexcept { return position | kReceived; }

private:
  static constexpr std::uint32_t kReceived = 1U << 31;
  std::unordered_map<std::uint32_t, std::uint32_t> positions_;  // by Callback::number()
};

class ModelCallback final : public takt_core::Callback
{
public:
  ModelCallback(takt_core::CallbackOptions options, std::uint64_t iterations, const Roots & roots)
  : Callback(std::move(options)),
    iterations_(iterations),
    roots_(roots)
  {
  }

  // Set-up only. The executor, the subscriber and the chains must outlive the callback's last run.
  void publish_here(takt_core::Executor & executor, ModelCallback & subscriber)
  {
    executor_ = &executor;
    here_.push_back(&subscriber);
  }
  void publish_there(int wire, std::uint32_t subscriber) { there_.emplace_back(wire, subscriber); }
  void ends(ChainRecord & chain) { chains_.push_back(&chain); }

  void run(const takt_core::Run & run) override;

private:
  const std::uint64_t iterations_;
  const Roots & roots_;
  takt_core::Executor * executor_ = nullptr;
  std::vector<ModelCallback *> here_;
  std::vector<std::pair<int, std::uint32_t>> there_;
  std::vector<ChainRecord *> chains_;
};

/// The activations of a message from another process.
takt_core::ActivationSet activations_of(const Message & message) noexcept;

}  // namespace takt_bench::isolation

#endif  // TAKT_BENCH__SRC__ISOLATION__MODEL_CALLBACK_HPP_
