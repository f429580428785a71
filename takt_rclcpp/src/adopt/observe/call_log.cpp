#include "adopt/observe/call_log.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <mutex>
#include <string_view>

#include "takt_rt/thread_cpu_time.hpp"

namespace takt_rclcpp
{
namespace
{

std::uint64_t hash_of(const char * text) noexcept
{
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (; text != nullptr && *text != '\0'; ++text) {
    hash = (hash ^ static_cast<unsigned char>(*text)) * 1099511628211U;
  }
  return hash;
}

std::uintptr_t own_thread() noexcept
{
  return static_cast<std::uintptr_t>(::pthread_self());
}

// The thread's voluntary context switches.
std::int64_t sleeps() noexcept
{
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

}  // namespace

CallLog & CallLog::of_process()
{
  static auto & g_log = *new CallLog;
  return g_log;
}

void CallLog::add(const Entry & entry) noexcept
{
  const std::lock_guard lock(mutex_);
  ring_[next_] = entry;
  next_ = (next_ + 1) % ring_.size();
}

void CallLog::sent(
  const void * run, const char * service, const void * client, std::int64_t number) noexcept
{
  if (!on_.load(std::memory_order_relaxed)) {
    return;
  }
  add(
    {Kind::sent, hash_of(service), client, number, run, nullptr, own_thread(), takt_rt::now(),
     takt_rt::thread_cpu_time().count(), sleeps()});
}

void CallLog::served(const char * service, std::int64_t number, const std::string * by) noexcept
{
  if (on_.load(std::memory_order_relaxed)) {
    add(
      {Kind::served, hash_of(service), nullptr, number, nullptr, by, own_thread(), takt_rt::now(),
       0, 0});
  }
}

void CallLog::answered(const void * client, std::int64_t number, const std::string * by) noexcept
{
  if (on_.load(std::memory_order_relaxed)) {
    add({Kind::answered, 0, client, number, nullptr, by, own_thread(), takt_rt::now(), 0, 0});
  }
}

std::size_t CallLog::awaited(
  const void * run, takt_rt::Time start, std::array<AwaitedCall, kMostOfOneRun> & calls) noexcept
{
  const takt_rt::Time now = takt_rt::now();
  const std::int64_t cpu = takt_rt::thread_cpu_time().count();
  const std::int64_t slept = sleeps();
  std::size_t count = 0;
  const std::lock_guard lock(mutex_);
  // Start at the oldest entry.
  for (std::size_t i = 0; i < ring_.size() && count < calls.size(); ++i) {
    Entry & request = ring_[(next_ + i) % ring_.size()];
    if (
      request.kind != Kind::sent || request.run != run || request.time < start ||
      request.thread != own_thread()) {
      continue;
    }
    request.kind = Kind::none;
    const auto find = [&](Kind kind) -> const Entry * {
      const Entry * found = nullptr;
      for (const Entry & entry : ring_) {
        const bool same =
          kind == Kind::served ? entry.service == request.service : entry.client == request.client;
        if (
          entry.kind == kind && same && entry.number == request.number && entry.time >= start &&
          entry.thread != request.thread && (found == nullptr || entry.time > found->time)) {
          found = &entry;
        }
      }
      return found;
    };
    const Entry * const answer = find(Kind::answered);
    if (answer == nullptr || slept == request.sleeps) {
      continue;
    }
    const std::int64_t asleep = (now - request.time).count() - (cpu - request.cpu);
    // The answer may come before the request is recorded. Then the difference is negative.
    const takt_rt::Duration waited =
      std::max(answer->time - request.time, takt_rt::Duration::zero());
    if (2 * asleep < waited.count()) {
      continue;
    }
    const Entry * const service = find(Kind::served);
    calls[count++] = {service == nullptr ? nullptr : service->by, answer->by, waited};
  }
  return count;
}

}  // namespace takt_rclcpp
