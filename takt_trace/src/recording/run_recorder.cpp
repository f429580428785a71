// The observer of one executor: records its runs and the ends of its chains.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "recording/recorder.hpp"
#include "recording/trace_requests.hpp"
#include "states/last_state.hpp"
#include "takt_core/group.hpp"
#include "takt_core/names.hpp"
#include "takt_core/number_table.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_trace/recording.hpp"

namespace takt_trace
{
namespace
{

using detail::Recorder;

constexpr std::int64_t kNothing = 0;

std::int64_t ns_or_zero(takt_rt::Time time) noexcept
{
  return time == takt_rt::kNever ? kNothing : takt_rt::to_ns(time);
}

class RunRecorder final : public takt_core::Observer
{
public:
  explicit RunRecorder(std::string executor) : executor_(std::move(executor)) {}

  takt_core::ObserverInterest interest() const noexcept override
  {
    takt_core::ObserverInterest all;
    all.parking = true;
    return all;
  }

  bool watches() const noexcept override { return recording(); }

  void on_added(const takt_core::Callback & callback) override
  {
    const std::lock_guard lock(mutex_);
    Slot & slot = make_slot(callback.number());
    // The number is reused only after its callback is removed, when no run is in progress.
    slot.id.store(
      Recorder::instance().add_callback(
        {callback.id(), std::string(to_string(callback.kind())), callback.group().id(), executor_,
         callback.group().exclusive()}),
      std::memory_order_relaxed);
    slot.last.forget();
    slot.chain_id = callback.chain_id();
    connect_if_of_chain(slot.chain_id);
  }

  void on_removed(const takt_core::Callback & callback) override
  {
    const std::lock_guard lock(mutex_);
    make_slot(callback.number()).chain_id.clear();
    connect_if_of_chain(callback.chain_id());
  }

  void on_chain(const takt_core::ChainOptions & chain) override
  {
    const std::lock_guard lock(mutex_);
    TracedChain traced{chain.name, chain.priority, 0, chain.path};
    traced.deadline = chain.deadline == takt_rt::kForever ? 0 : chain.deadline.count();
    chains_[chain.name] = {
      chain.path.front(), chain.path.back(), Recorder::instance().add_chain(std::move(traced))};
    connect();
  }

  void on_chain_removed(std::string_view name) override
  {
    const std::lock_guard lock(mutex_);
    chains_.erase(std::string(name));
    connect();
  }

  void on_thread(std::uint32_t, const takt_rt::AttributeReport &) override
  {
    detail::prepare_thread(executor_);
  }

  void on_parked(const takt_core::Callback & callback) noexcept override
  {
    if (recording()) {
      detail::record(
        {takt_rt::to_ns(takt_rt::now()), RecordKind::parked, id(callback), kNothing, kNothing,
         kNothing});
    }
  }

  void on_start(const takt_core::Run & run, takt_rt::Time start) noexcept override
  {
    if (const std::uint32_t recording = Recorder::instance().number(); recording != 0) {
      record_state(*run.callback, recording, start);
      detail::record(
        {takt_rt::to_ns(start), RecordKind::run_start, id(*run.callback), ns_or_zero(run.release),
         ns_or_zero(run.deadline), start_facts(run.skipped, ::sched_getcpu())});
    }
  }

  void on_end(const takt_core::Run & run, takt_rt::Time end) noexcept override
  {
    if (!recording()) {
      return;
    }
    const std::int64_t time = takt_rt::to_ns(end);
    if (const Slot * const slot = find(*run.callback)) {
      if (const auto * const ends = slot->ends.load(std::memory_order_acquire)) {
        for (const End & one : *ends) {
          record_end(one, run, time);
        }
      }
    }
    static constexpr takt_core::RunCosts kUnknown;
    const takt_core::RunCosts & costs = run.costs != nullptr ? *run.costs : kUnknown;
    const auto wanted = Recorder::instance().costs();
    if (wanted.kernel && costs.wait >= 0) {
      const auto switches = std::int64_t{costs.voluntary} << 32 | std::int64_t{costs.involuntary};
      detail::record(
        {time, RecordKind::kernel_wait, id(*run.callback), costs.wait_before, costs.wait,
         switches});
    }
    // 0: not measured.
    const auto told = [&](std::int64_t cpu) {
      return wanted.cpu && cpu >= 0 ? std::max<std::int64_t>(cpu, 1) : kNothing;
    };
    detail::record(
      {time, RecordKind::run_end, id(*run.callback), takt_rt::to_ns(run.start), told(costs.cpu),
       told(costs.take_cpu)});
  }

  void on_empty_take(const takt_core::Run & run) noexcept override
  {
    if (recording()) {
      detail::record(
        {takt_rt::to_ns(takt_rt::now()), RecordKind::empty_take, id(*run.callback), kNothing,
         kNothing, kNothing});
    }
  }

  void on_exception(const takt_core::Run & run, const std::exception_ptr &) noexcept override
  {
    if (recording()) {
      detail::record(
        {takt_rt::to_ns(takt_rt::now()), RecordKind::exception, id(*run.callback), kNothing,
         kNothing, kNothing});
    }
  }

private:
  /// A chain that ends with a callback.
  struct End
  {
    std::uint32_t chain = 0;
    std::uint32_t root = 0;  // Callback::number()
  };
  using Ends = std::vector<End>;
  struct Slot
  {
    std::atomic<std::uint32_t> id{UINT32_MAX};
    std::atomic<const Ends *> ends{nullptr};
    detail::LastState last{};
    std::string chain_id{};  // empty: removed; guarded by the mutex
    std::uint32_t number = 0;
  };
  struct Chain
  {
    std::string first, last;
    std::uint32_t id = 0;
  };

  void record_state(
    const takt_core::Callback & callback, std::uint32_t recording, takt_rt::Time start) noexcept
  {
    Slot * const slot = find(callback);
    if (slot == nullptr) {
      return;
    }
    const detail::CallbackState state = state_of(callback);
    if (slot->last.changes(recording, state)) {
      detail::record(
        {takt_rt::to_ns(start), RecordKind::callback_state, id(callback),
         static_cast<std::int64_t>(state.waiting), state.priority,
         static_cast<std::int64_t>(state.overwritten)});
    }
  }

  static detail::CallbackState state_of(const takt_core::Callback & callback) noexcept
  {
    detail::CallbackState state;
    if (callback.kind() != takt_core::Kind::timer) {
      const takt_core::MessageCounts messages = callback.message_counts();
      state.waiting = messages.waiting;
      state.overwritten = messages.overwritten;
    }
    if (const takt_core::Scheduler * const owner = takt_core::Scheduler::of(callback)) {
      state.priority = std::min(owner->priority(callback) + callback.raised(), 255);
    }
    return state;
  }

  Slot * find(const takt_core::Callback & callback) const noexcept
  {
    return by_number_.find(callback.number());
  }

  std::uint32_t id(const takt_core::Callback & callback) const noexcept
  {
    const Slot * const slot = find(callback);
    return slot == nullptr ? UINT32_MAX : slot->id.load(std::memory_order_relaxed);
  }

  // Records the end of this activation; the end of an older activation after it counts, too.
  void record_end(const End & end, const takt_core::Run & run, std::int64_t time) noexcept
  {
    for (const takt_core::Activation & activation : run.activations) {
      if (activation.root == end.root) {
        detail::record(
          {time, RecordKind::chain_end, end.chain, takt_rt::to_ns(activation.release), kNothing,
           kNothing});
      }
    }
  }

  // Slots are not freed: a number is reused, and runs may still read its slot.
  Slot & make_slot(std::uint32_t number)
  {
    if (Slot * const known = by_number_.find(number)) {
      return *known;
    }
    Slot & slot = *slots_.emplace_back(std::make_unique<Slot>());
    slot.number = number;
    by_number_.set(number, &slot);
    return slot;
  }

  void connect_if_of_chain(const std::string & id)
  {
    const bool concerned = std::any_of(chains_.begin(), chains_.end(), [&](const auto & named) {
      return named.second.first == id || named.second.last == id;
    });
    if (concerned) {
      connect();
    }
  }

  // Updates which chains end with which callback. Old lists stay, because a run may be reading one;
  // there is one for each change of set-up.
  void connect()
  {
    std::map<std::uint32_t, Ends> ends;
    std::map<std::string, std::vector<std::uint32_t>> numbers;
    for (const auto & slot : slots_) {
      if (!slot->chain_id.empty()) {
        numbers[slot->chain_id].push_back(slot->number);
      }
    }
    for (const auto & [name, chain] : chains_) {
      for (const std::uint32_t last : numbers[chain.last]) {
        for (const std::uint32_t root : numbers[chain.first]) {
          ends[last].push_back({chain.id, root});
        }
      }
    }
    for (const auto & slot : slots_) {
      const auto found = ends.find(slot->number);
      const Ends * const now = slot->ends.load();
      if (found == ends.end()) {
        slot->ends.store(nullptr, std::memory_order_release);
      } else if (now == nullptr || !same(*now, found->second)) {
        lists_.push_back(std::make_unique<Ends>(std::move(found->second)));
        slot->ends.store(lists_.back().get(), std::memory_order_release);
      }
    }
  }

  static bool same(const Ends & a, const Ends & b)
  {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const End & x, const End & y) {
      return x.chain == y.chain && x.root == y.root;
    });
  }

  const std::string executor_;
  std::mutex mutex_;
  takt_core::NumberTable<Slot> by_number_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::unique_ptr<const Ends>> lists_;
  std::map<std::string, Chain> chains_;
};

}  // namespace

std::shared_ptr<takt_core::Observer> run_recorder(const std::string & executor)
{
  detail::answer_trace_requests();
  return std::make_shared<RunRecorder>(executor);
}

}  // namespace takt_trace
