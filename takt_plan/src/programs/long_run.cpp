#include "programs/long_run.hpp"

#include <unistd.h>
#include <climits>
#include <csignal>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

namespace takt_plan::program
{
namespace
{

constexpr int kInterrupted = 130;
constexpr const char * kNewLine = "\r\x1b[K";  // on a terminal: returns to the start of the line
                                               // and clears it

char words[160];
char later_words[PATH_MAX + 160];  // the sentence while a file has a result
std::atomic<const char *> said{words};
std::atomic<bool> busy{false};  // a file is being written, and must become complete
std::atomic<bool> waits{false};

// Calls only functions that a signal handler may call.
void end_now()
{
  const char * const text = said.load();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
  ::_exit(kInterrupted);
}

extern "C" void interrupted(int)
{
  waits = true;
  if (!busy) {
    end_now();
  }
}

}  // namespace

void end_when_interrupted(const char * program)
{
  std::snprintf(
    words, sizeof(words), "%s%s: interrupted: nothing was written\n",
    ::isatty(STDERR_FILENO) != 0 ? kNewLine : "", program);
  // A script's background programs ignore Ctrl-C, which is meant for other programs.
  if (std::signal(SIGINT, interrupted) == SIG_IGN) {
    std::signal(SIGINT, SIG_IGN);
  }
}

EarlyWriting::EarlyWriting(const char * program, const std::string & file)
: words_(
    std::string(::isatty(STDERR_FILENO) != 0 ? kNewLine : "") + program + ": interrupted: " + file +
    " has the best plan until then\n")
{
  busy = true;
}

EarlyWriting::~EarlyWriting()
{
  if (said == words) {
    later_words[words_.copy(later_words, sizeof(later_words) - 1)] = '\0';
    said = later_words;
  }
  busy = false;
  if (waits) {
    end_now();
  }
}

void writing_now()
{
  if (std::signal(SIGINT, SIG_DFL) == SIG_IGN) {
    std::signal(SIGINT, SIG_IGN);
  }
}

Progress::Progress(const char * program, std::string what)
: program_(program),
  what_(std::move(what)),
  thread_([this] { run(); })
{
}

Progress::~Progress()
{
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Progress::now(std::string what)
{
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Progress::run()
{
  using Clock = std::chrono::steady_clock;
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  const Clock::time_point start = Clock::now();
  bool said = false;
  long long due = 1;
  std::unique_lock lock(mutex_);
  for (auto next = start + std::chrono::seconds(1);
       !ended_.wait_until(lock, next, [this] { return end_; }); next += std::chrono::seconds(1)) {
    // Count CPU time: waiting for a busy machine does not make a run long.
    if (std::clock() < CLOCKS_PER_SEC) {
      continue;
    }
    const long long seconds =
      std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
    // Log files, and terminals behind a pipe, keep every line. So write fewer lines there.
    if (!terminal && seconds < due) {
      continue;
    }
    while (due <= seconds) {
      due *= 2;
    }
    std::fprintf(
      stderr, "%s%s: %s, %lld s%s", terminal ? kNewLine : "", program_, what_.c_str(), seconds,
      terminal ? "" : "\n");
    std::fflush(stderr);
    said = true;
  }
  if (terminal && said) {
    std::fputs(kNewLine, stderr);
  }
}

}  // namespace takt_plan::program
