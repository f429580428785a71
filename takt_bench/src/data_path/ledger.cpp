#include "data_path/ledger.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <system_error>

#include "data_path/content.hpp"
#include "takt_rt/futex.hpp"

namespace takt_bench::data_path
{

Ledger::Ledger(const Setting & setting)
: warm_up_(setting.warm_up),
  messages_(setting.messages),
  size_(setting.size)
{
  bytes_ = sizeof(Shared) + messages_ * sizeof(Sample);
  void * const memory = ::mmap(
    nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "memory of the samples");
  }
  shared_ = new (memory) Shared;
  samples_ = reinterpret_cast<Sample *>(static_cast<std::byte *>(memory) + sizeof(Shared));
  for (std::uint64_t i = 0; i < messages_; ++i) {
    new (&samples_[i]) Sample;
  }
}

Ledger::~Ledger()
{
  ::munmap(shared_, bytes_);
}

Step Ledger::step() const noexcept
{
  return static_cast<Step>(shared_->step.load(std::memory_order_acquire));
}

void Ledger::take_step(Step to) noexcept
{
  shared_->step.store(static_cast<std::uint32_t>(to), std::memory_order_release);
  takt_rt::futex_wake_shared(shared_->step, std::numeric_limits<int>::max());
}

bool Ledger::wait_for(Step wanted, takt_rt::Time deadline) const noexcept
{
  for (;;) {
    const std::uint32_t now = shared_->step.load(std::memory_order_acquire);
    if (now >= static_cast<std::uint32_t>(wanted)) {
      return true;
    }
    if (
      takt_rt::futex_wait_shared(shared_->step, now, deadline) == takt_rt::WaitResult::timed_out) {
      return step() >= wanted;
    }
  }
}

void Ledger::arrived(const void * message, std::size_t size) noexcept
{
  const std::int64_t now = takt_rt::to_ns(takt_rt::now());
  const Content content = size == size_ ? read_content(message, size) : Content();
  if (!content.whole) {
    shared_->damaged.fetch_add(1);
    return;
  }
  note(content.number, content.published_ns, now);
}

void Ledger::woken(std::uint64_t number) noexcept
{
  note(number, shared_->rung_ns.load(std::memory_order_acquire), takt_rt::to_ns(takt_rt::now()));
}

void Ledger::note(std::uint64_t number, std::int64_t published_ns, std::int64_t now) noexcept
{
  if (number >= warm_up_ && number - warm_up_ < messages_) {
    samples_[number - warm_up_] = {published_ns, now - published_ns};
  }
  if (shared_->receiving.load(std::memory_order_relaxed) == 0) {
    shared_->receiving.store(::gettid());
  }
  shared_->next.store(number + 1, std::memory_order_release);
}

void Ledger::ring(std::uint64_t number) noexcept
{
  shared_->rung_ns.store(takt_rt::to_ns(takt_rt::now()), std::memory_order_release);
  shared_->bell.store(static_cast<std::uint32_t>(number + 1), std::memory_order_release);
  takt_rt::futex_wake_shared(shared_->bell, 1);
}

bool Ledger::wait_for_bell(std::uint32_t heard, takt_rt::Time deadline) const noexcept
{
  if (bell() == heard) {
    takt_rt::futex_wait_shared(shared_->bell, heard, deadline);
  }
  return bell() != heard;
}

void Ledger::publishes() noexcept
{
  shared_->publishing.store(::gettid());
}

void Ledger::fail(Side side, const std::string & why) noexcept
{
  auto & text = shared_->failures[static_cast<std::size_t>(side)];
  if (text.front() == '\0') {
    std::strncpy(text.data(), why.c_str(), text.size() - 1);
  }
}

std::string Ledger::failure(Side side) const
{
  return shared_->failures[static_cast<std::size_t>(side)].data();
}

}  // namespace takt_bench::data_path
