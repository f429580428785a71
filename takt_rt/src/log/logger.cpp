#include "takt_rt/log/logger.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <utility>

#include "takt_rt/futex.hpp"
#include "takt_rt/small_thread.hpp"

namespace takt_rt
{

namespace detail
{

namespace
{

constinit thread_local std::uint32_t t_own_thread_id = 0;

}  // namespace

std::uint32_t own_thread_id() noexcept
{
  if (t_own_thread_id == 0) {
    // A forked child is another thread.
    static const int at_fork = ::pthread_atfork(nullptr, nullptr, [] { t_own_thread_id = 0; });
    static_cast<void>(at_fork);
    t_own_thread_id = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  }
  return t_own_thread_id;
}

}  // namespace detail

namespace
{

constexpr std::size_t kStack = 256 * 1024;  // a sink may be a ROS publisher
constexpr std::size_t kLongestText = 1024;

std::int64_t unix_ahead()
{
  timespec unix_time{};
  ::clock_gettime(CLOCK_REALTIME, &unix_time);
  return unix_time.tv_sec * 1'000'000'000LL + unix_time.tv_nsec - to_ns(now());
}

std::string name_of(std::uint32_t thread)
{
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/comm";
  char name[32] = "";
  if (std::FILE * const file = std::fopen(path.c_str(), "re"); file != nullptr) {
    if (std::fgets(name, sizeof name, file) == nullptr) {
      name[0] = 0;
    }
    std::fclose(file);
  }
  std::string text = name;
  text.erase(std::find(text.begin(), text.end(), '\n'), text.end());
  return text.empty() ? std::to_string(thread) : text;
}

constexpr LogSite kDrops{LogLevel::warn, __FILE__, __LINE__, "%llu log lines were dropped"};

}  // namespace

/// The thread that writes, and its own data.
class Logger::Background
{
public:
  Background(Logger & logger, LoggerOptions options)
  : logger_(logger),
    options_(std::move(options)),
    thread_(std::max(options_.attributes.stack_size, kStack), [this] { work(); })
  {
  }

  ~Background()
  {
    stop_.store(true, std::memory_order_release);
    wake();
  }
  Background(const Background &) = delete;
  Background & operator=(const Background &) = delete;

  void wait_for(std::uint64_t record) noexcept
  {
    for (;;) {
      const std::uint32_t seen = rounds_.load(std::memory_order_acquire);
      if (popped_.load(std::memory_order_acquire) >= record) {
        return;
      }
      wake();
      futex_wait(rounds_, seen);
    }
  }

private:
  void wake() noexcept
  {
    calls_.fetch_add(1, std::memory_order_release);
    futex_wake(calls_, 1);
  }

  void work()
  {
    static_cast<void>(apply(options_.attributes));  // a log thread with other attributes also logs
    for (bool stopped = false, more = true; !stopped || more;) {
      const std::uint32_t calls = calls_.load(std::memory_order_acquire);
      stopped = stop_.load(std::memory_order_acquire);
      more = write_round();
      rounds_.fetch_add(1, std::memory_order_release);
      futex_wake(rounds_, INT_MAX);
      if (!stopped && !more) {
        futex_wait(calls_, calls, add_saturated(now(), options_.period));
      }
    }
  }

  // At most a ring of records, so that `flush` and reports of drops do not wait for a pause of busy
  // threads. Returns whether more may wait.
  bool write_round()
  {
    unix_ahead_ = unix_ahead();
    names_.clear();  // threads end, and their numbers come again
    detail::LogRecord record;
    // the ring fills while the sink writes the first one
    std::size_t room = logger_.ring_.capacity() + 1;
    for (; room > 0 && logger_.ring_.try_pop(record); --room) {
      write(record);
      popped_.fetch_add(1, std::memory_order_release);
    }
    if (const std::uint64_t dropped = logger_.dropped(); dropped > reported_) {
      record.time = now();
      record.site = &kDrops;
      record.thread = detail::own_thread_id();
      record.suppressed = 0;
      detail::store_arguments(record, static_cast<unsigned long long>(dropped - reported_));
      reported_ = dropped;
      write(record);
    }
    return room == 0;
  }

  void write(const detail::LogRecord & record)
  {
    const int length = std::max(record.print(record, text_, sizeof text_), 0);
    const auto size = std::min(static_cast<std::size_t>(length), sizeof text_ - 1);
    try {
      std::string & name = names_[record.thread];
      if (name.empty()) {
        name = name_of(record.thread);
      }
      options_.sink(
        {record.time,
         to_ns(record.time) + unix_ahead_,
         record.site->level,
         name,
         {text_, size},
         record.site->file,
         record.site->line,
         record.suppressed});
    } catch (...) {
      logger_.sink_failures_.fetch_add(1, std::memory_order_relaxed);
    }
    logger_.written_.fetch_add(1, std::memory_order_release);
  }

  Logger & logger_;
  const LoggerOptions options_;
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<std::uint32_t> rounds_{0};
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> popped_{0};
  std::uint64_t reported_ = 0;
  std::int64_t unix_ahead_ = 0;
  std::map<std::uint32_t, std::string> names_;
  char text_[kLongestText];
  SmallThread thread_;  // last: it ends before the other members
};

Logger::Logger(LoggerOptions options) : ring_(options.records), level_(options.level)
{
  background_ = std::make_unique<Background>(*this, std::move(options));
}

Logger::~Logger() = default;

void Logger::flush() noexcept
{
  background_->wait_for(ring_.accepted());
}

}  // namespace takt_rt
