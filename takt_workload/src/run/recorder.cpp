#include "run/recorder.hpp"

namespace takt_workload
{

namespace
{

thread_local RunRecord * current_record = nullptr;

}  // namespace

Recorder::Recorder(
  const CallbackTable & table, std::size_t threads, std::size_t runs, std::uint32_t process)
: table_(table),
  process_(process),
  filled_((runs + kChunk - 1) / kChunk + threads, 0)  // each thread's last chunk may stay empty
{
  pool_.resize(filled_.size() * kChunk);
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    on_thread(thread, {});
  }
}

RunRecord * Recorder::current() noexcept
{
  return current_record;
}

std::vector<RunRecord> Recorder::runs() const
{
  std::vector<RunRecord> all;
  for (std::size_t i = 0; i < filled_.size(); ++i) {
    const auto begin = pool_.begin() + static_cast<std::ptrdiff_t>(i * kChunk);
    all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(filled_[i]));
  }
  return all;
}

std::uint64_t Recorder::unrecorded() const
{
  std::uint64_t sum = 0;
  for (const auto & lane : owned_) {
    sum += lane->unrecorded;
  }
  return sum;
}

void Recorder::on_added(const takt_core::Callback & callback)
{
  if (numbers_.size() <= callback.number()) {
    numbers_.resize(callback.number() + 1, kNone);
  }
  numbers_[callback.number()] = table_.find(callback.id());
}

// An earlier isolated thread may have had the same number: then the lane exists.
void Recorder::on_thread(std::uint32_t thread, const takt_rt::AttributeReport &)
{
  const std::lock_guard lock(mutex_);
  if (thread < kMostThreads && lanes_[thread].load() == nullptr) {
    owned_.push_back(std::make_unique<Lane>());
    lanes_[thread].store(owned_.back().get());
  }
}

RunRecord & Recorder::next_record(Lane & lane) noexcept
{
  if (lane.used == kChunk && !lane.exhausted) {
    const std::size_t chunk = next_chunk_.fetch_add(1, std::memory_order_relaxed);
    lane.exhausted = chunk >= filled_.size();
    if (!lane.exhausted) {
      lane.chunk = &pool_[chunk * kChunk];
      lane.filled = &filled_[chunk];
      lane.used = 0;
    }
  }
  return lane.exhausted ? (lane.spare = RunRecord{}) : lane.chunk[lane.used];
}

void Recorder::on_start(const takt_core::Run & run, takt_rt::Time start) noexcept
{
  const std::uint32_t number = run.callback->number();
  const std::uint32_t callback = number < numbers_.size() ? numbers_[number] : kNone;
  Lane * const lane =
    run.thread < kMostThreads ? lanes_[run.thread].load(std::memory_order_acquire) : nullptr;
  if (callback == kNone || lane == nullptr) {
    current_record = nullptr;
    return;
  }
  RunRecord & record = next_record(*lane);
  record.callback = callback;
  record.thread = run.thread;
  record.process = process_;
  record.skipped = run.skipped;
  record.release = run.release;
  current_record = &record;
  record.start = start;
}

void Recorder::on_end(const takt_core::Run & run, takt_rt::Time end) noexcept
{
  if (current_record == nullptr) {
    return;
  }
  current_record->end = end;
  current_record = nullptr;
  Lane & lane = *lanes_[run.thread].load(std::memory_order_acquire);
  if (lane.exhausted) {
    ++lane.unrecorded;
  } else {
    *lane.filled = static_cast<std::uint32_t>(++lane.used);
  }
}

}  // namespace takt_workload
