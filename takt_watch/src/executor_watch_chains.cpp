// Set-up hooks for chains, and the removal of old records of callbacks and chains.
#include <algorithm>
#include <mutex>
#include <utility>

#include "executor_watch.hpp"

namespace takt_watch
{
namespace
{

using takt_core::ChainOptions;

// Records of removed callbacks are kept up to this number, because the callbacks may come back.
constexpr std::ptrdiff_t kMostRemoved = 64;

}  // namespace

// Forgets old records, to bound the memory if callbacks and chains with ever new names come and go.
void ExecutorWatch::forget_if_many()
{
  const auto runs = [&](const CallbackRecord & record) {
    return std::any_of(slots_.begin(), slots_.end(), [&](const auto & slot) {
      const auto current = slot->current();
      return current && current->callback == record.number.load();
    });
  };
  const auto callback_gone = [&](const auto & record) { return record->callback == nullptr; };
  const auto chain_gone = [](const auto & chain) { return chain.second->removed; };
  if (
    std::count_if(records_.begin(), records_.end(), callback_gone) <= kMostRemoved &&
    std::count_if(chains_.begin(), chains_.end(), chain_gone) <= kMostRemoved) {
    return;
  }
  for (auto & record : records_) {
    if (record->callback != nullptr || runs(*record)) {
      continue;
    }
    const std::uint32_t number = record->number.load();
    if (by_number_.find(number) == record.get()) {  // otherwise the number has a new callback
      by_number_.set(number, nullptr);
    }
    by_id_.erase(record->id);
    {
      const std::lock_guard own(record->mutex);
      record->number.store(0);
      record->ends.clear();
      record->misses.clear();
    }
    for (auto * const counter :
         {&record->starts, &record->empty_takes, &record->exceptions, &record->overruns}) {
      counter->store(0);
    }
    record->busy.store(0);
    record->longest_overrun.store(0);
    record->most_waiting.store(0);
    record->before = {};
    spare_.push_back(std::move(record));
  }
  std::erase(records_, nullptr);
  std::erase_if(chains_, chain_gone);
  if (owned_statistics_ != nullptr) {
    owned_statistics_->forget_removed();
  }
}

// Connects the chain's open activations to the releases of its root, if the chain has a deadline
// and ends here.
void ExecutorWatch::follow(ChainRecord & chain)
{
  const bool ends_here = std::any_of(records_.begin(), records_.end(), [&](const auto & record) {
    return record->callback != nullptr && record->chain_id == chain.options.path.back();
  });
  chain.ends_here = ends_here;
  if (ends_here && chain.responses == nullptr) {
    auto responses = std::make_unique<takt_core::Distribution>();
    auto from_arrival = std::make_unique<takt_core::Distribution>();
    auto while_off =
      watched_.measures_chains ? std::make_unique<takt_core::Distribution>() : nullptr;
    const std::lock_guard own(chain.mutex);
    chain.responses = std::move(responses);
    chain.from_arrival = std::move(from_arrival);
    chain.while_off = std::move(while_off);
    measures_chains_.store(watched_.measures_chains);
  }
  const takt_rt::Duration deadline = chain.options.deadline;
  Root * const root =
    !left_ && !chain.removed && ends_here && deadline != takt_rt::kForever ? chain.root : nullptr;
  if (root == chain.followed && deadline == chain.followed_deadline) {
    return;
  }
  if (chain.followed != nullptr) {
    chain.followed->unfollow(chain.open);
  }
  if (root != chain.followed) {
    chain.open.forget();
  }
  if (root != nullptr) {
    root->follow(chain.open, deadline);
  }
  chain.followed = root;
  chain.followed_deadline = deadline;
}

// Updates the lists of chains that end with callbacks of this id.
void ExecutorWatch::connect(const std::string & chain_id)
{
  std::vector<ChainRecord *> ends;
  for (const auto & [name, chain] : chains_) {
    if (chain->options.path.back() == chain_id) {
      follow(*chain);
      if (!chain->removed) {
        ends.push_back(chain.get());
      }
    }
  }
  for (const auto & record : records_) {
    if (record->chain_id == chain_id) {
      std::vector<ChainRecord *> own = ends;
      const std::lock_guard lock(record->mutex);
      std::swap(record->ends, own);
    }
  }
}

// Gives the record its rule. Returns true if the chain has a rule.
bool ExecutorWatch::give_rule(ChainRecord & record) const
{
  record.rule =
    rules_.chain_rule ? rules_.chain_rule(record.options.name) : takt_schedule::ChainWatchRule();
  const std::lock_guard own(record.mutex);
  record.misses.set_window(window_of(record.rule.misses));
  return record.rule != takt_schedule::ChainWatchRule();
}

void ExecutorWatch::on_chain(const ChainOptions & chain)
{
  if (common_.abandoned.load() || chain.path.empty()) {
    return;
  }
  bool needed = false;
  {
    const std::lock_guard lock(mutex_);
    forget_if_many();
    auto & record = chains_[chain.name];
    const bool known = record != nullptr;
    if (!known) {
      record = std::make_unique<ChainRecord>();
      record->order = set_++;
    }
    const std::string end_before = known ? record->options.path.back() : std::string();
    record->options = chain;
    record->removed = false;
    needed = give_rule(*record);
    {
      Root & root = common_.roots.root(chain.path.front());
      const std::lock_guard own(record->mutex);
      record->root = &root;
      record->deadline = chain.deadline;
    }
    if (known && end_before != chain.path.back()) {
      connect(end_before);
    }
    connect(chain.path.back());
  }
  if (needed) {
    needed_();
  }
}

void ExecutorWatch::on_chain_removed(std::string_view name)
{
  if (common_.abandoned.load()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  const auto known = chains_.find(name);
  if (known == chains_.end()) {
    return;
  }
  known->second->removed = true;
  connect(known->second->options.path.back());
}

}  // namespace takt_watch
