#include "stepper.hpp"

#include <algorithm>

namespace takt_rt::test
{

namespace
{

constexpr std::size_t kStack = 64 * 1024;
constexpr std::size_t kMostFibers = 6;

// Each execution reuses the fibers' stacks and drops the contents that an abandoned execution left.
unsigned char * stack(std::size_t fiber)
{
  static std::vector<std::vector<unsigned char>> stacks(
    kMostFibers, std::vector<unsigned char>(kStack));
  return stacks.at(fiber).data();
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept
{
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return std::rotl(hash, 29) * 0xBF58476D1CE4E5B9U + 1;
}

}  // namespace

void Stepper::run_fiber()
{
  Fiber & fiber = *active_->current_;
  fiber.body();
  fiber.done = true;
  setcontext(&active_->explorer_);
}

// Runs each fiber up to its first access.
void Stepper::start(std::vector<std::function<void()>> bodies)
{
  fibers_.clear();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    fibers_.push_back(std::make_unique<Fiber>());
    fibers_[i]->body = std::move(bodies[i]);
    getcontext(&fibers_[i]->context);
    fibers_[i]->context.uc_stack.ss_sp = stack(i);
    fibers_[i]->context.uc_stack.ss_size = kStack;
    fibers_[i]->context.uc_link = nullptr;
    makecontext(&fibers_[i]->context, &Stepper::run_fiber, 0);
    resume(i);
  }
}

void Stepper::resume(std::size_t fiber)
{
  current_ = fibers_[fiber].get();
  swapcontext(&explorer_, &current_->context);
  current_ = nullptr;
}

void Stepper::step(std::function<bool()> may_go_on)
{
  if (current_ != nullptr) {
    current_->may_go_on = std::move(may_go_on);
    Fiber & self = *current_;
    swapcontext(&self.context, &explorer_);
  }
}

void Stepper::wait(std::function<bool()> may_go_on)
{
  step(std::move(may_go_on));
  remember(1);
}

void Stepper::flush_one(Fiber & fiber)
{
  *fiber.buffer.front().word = fiber.buffer.front().value;
  fiber.buffer.pop_front();
}

void Stepper::remember(std::uint64_t value) noexcept
{
  if (current_ != nullptr) {
    current_->memory = mix(current_->memory, value);
  }
}

std::uint64_t Stepper::memory() const noexcept
{
  return current_ == nullptr ? 0 : current_->memory;
}

std::uint64_t Stepper::load(std::uint64_t * word, std::memory_order order)
{
  if (current_ != nullptr && weakness_.stale_relaxed_loads && order == std::memory_order_relaxed) {
    const auto before = current_->seen.find(word);
    if (before != current_->seen.end()) {
      return before->second;
    }
  }
  step();
  std::uint64_t value = *word;
  if (current_ != nullptr) {
    for (const Store & own : current_->buffer) {
      value = own.word == word ? own.value : value;
    }
    current_->seen[word] = value;
    remember(value);
  }
  return value;
}

void Stepper::store(std::uint64_t * word, std::uint64_t value, std::memory_order order)
{
  if (current_ == nullptr) {
    *word = value;
    return;
  }
  if (order == std::memory_order_seq_cst && !weakness_.no_fences) {
    modify(word, [&](std::uint64_t) { return value; });
    return;
  }
  current_->buffer.push_back({word, value});
  current_->seen[word] = value;
  remember(2);
}

std::uint64_t Stepper::modify(
  std::uint64_t * word, const std::function<std::uint64_t(std::uint64_t)> & change,
  std::function<bool()> may_go_on)
{
  step(std::move(may_go_on));
  if (current_ != nullptr) {
    while (!current_->buffer.empty()) {
      flush_one(*current_);
    }
  }
  const std::uint64_t old = *word;
  *word = change(old);
  if (current_ != nullptr) {
    current_->seen[word] = *word;
  }
  remember(old);
  return old;
}

std::pair<std::uint64_t, std::uint64_t> Stepper::state() const
{
  std::pair<std::uint64_t, std::uint64_t> hash{1, 2};
  const auto add = [&](std::uint64_t value) {
    hash.first = mix(hash.first, value);
    hash.second = mix(hash.second + 3, value);
  };
  for (const std::uint64_t * word : words_) {
    add(*word);
  }
  for (const auto & fiber : fibers_) {
    add(fiber->memory);
    add(fiber->done ? 1 : 0);
    for (const Store & store : fiber->buffer) {
      add(static_cast<std::uint64_t>(
        std::find(words_.begin(), words_.end(), store.word) - words_.begin()));
      add(store.value);
    }
    add(fiber->buffer.size());
  }
  return hash;
}

// Follows `path_`, then each first choice, to the end (true) or to a state that another execution
// has reached.
bool Stepper::execute()
{
  const std::size_t count = fibers_.size();
  std::vector<std::size_t> choices;  // i: thread i continues; count + i: its oldest store shows
  for (std::size_t depth = 0;; ++depth) {
    choices.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const Fiber & fiber = *fibers_[i];
      if (!fiber.done && (!fiber.may_go_on || fiber.may_go_on())) {
        choices.push_back(i);
      }
      if (!fiber.buffer.empty()) {
        choices.push_back(count + i);
      }
    }
    if (choices.empty()) {
      return true;
    }
    if (depth == path_.size()) {
      if (!visited_.insert(state()).second) {
        return false;
      }
      path_.push_back({0, choices.size()});
    }
    const std::size_t choice = choices.at(path_[depth].chosen);
    if (choice < count) {
      resume(choice);
    } else {
      flush_one(*fibers_[choice - count]);
    }
  }
}

bool Stepper::advance()
{
  while (!path_.empty()) {
    if (++path_.back().chosen < path_.back().of) {
      return true;
    }
    path_.pop_back();
  }
  return false;
}

}  // namespace takt_rt::test
