#include "kernel/interrupted_stack.hpp"

#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>

#include "takt_rt/futex.hpp"

namespace takt_watch
{
namespace
{

using takt_rt::Time;

constexpr int kMostFrames = 64;

// Only one question is open at a time. The handler of a late signal sees that its question is over,
// and writes no frames.
enum Stage : std::uint32_t
{
  over = 0,
  asked = 1,
  answering = 2,
  answered = 3,
};
constexpr std::uint32_t kStages = 4;

struct Question
{
  std::atomic<std::uint32_t> state{over};  // futex: number of the question * kStages + stage
  std::array<void *, kMostFrames> frames{};
  int count = 0;
  void * interrupted_at = nullptr;
};

constinit Question g_question;
constinit std::atomic<int> g_signal{0};
std::uint32_t g_number = 0;  // the number of the last question

void * program_counter(const void * context) noexcept
{
  const auto & machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<void *>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void *>(machine.pc);
#else
  static_cast<void>(machine);
  return nullptr;
#endif
}

void answer(int, siginfo_t * info, void * context)
{
  const int before = errno;
  Question & question = g_question;
  const auto number = static_cast<std::uint32_t>(info->si_value.sival_int);
  std::uint32_t state = number * kStages + asked;
  if (
    info->si_code == SI_QUEUE &&
    question.state.compare_exchange_strong(
      state, number * kStages + answering, std::memory_order_acq_rel)) {
    question.count = ::backtrace(question.frames.data(), kMostFrames);
    question.interrupted_at = program_counter(context);
    question.state.store(number * kStages + answered, std::memory_order_release);
    takt_rt::futex_wake(question.state, 1);
  }
  errno = before;
}

bool is_ours(int signal)
{
  struct sigaction now
  {
  };
  return ::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == &answer;
}

// Returns a signal that the program does not use; installs the handler. The handler stays
// installed, because signals may come late.
int free_signal()
{
  if (const int known = g_signal.load(); known != 0 && is_ours(known)) {
    return known;
  }
  // The first call of backtrace() loads a library. Make this call here, because a signal handler
  // must not load a library.
  std::array<void *, 4> unused{};
  ::backtrace(unused.data(), unused.size());
  for (int signal = SIGRTMAX - 1; signal >= SIGRTMIN; --signal) {
    struct sigaction now
    {
    };
    const bool unused_signal = ::sigaction(signal, nullptr, &now) == 0 &&
                               (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL;
    struct sigaction own
    {
    };
    own.sa_sigaction = &answer;
    own.sa_flags = SA_RESTART | SA_SIGINFO;
    ::sigfillset(&own.sa_mask);
    if (unused_signal && ::sigaction(signal, &own, nullptr) == 0) {
      g_signal.store(signal);
      return signal;
    }
  }
  return 0;
}

bool send(pid_t tid, int signal, std::uint32_t number)
{
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_int = static_cast<int>(number);
  return ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), tid, signal, &info) == 0;
}

// Returns true if the thread answered.
bool wait_for_answer(std::uint32_t number, Time until)
{
  std::atomic<std::uint32_t> & state = g_question.state;
  // The handler may have to wait long for a core. Until it returns, only the handler may use the
  // frames.
  const Time at_last = takt_rt::add_saturated(until, std::chrono::seconds(1));
  for (;;) {
    std::uint32_t now = state.load(std::memory_order_acquire);
    if (now % kStages == answered) {
      return true;
    }
    const bool begun = now % kStages == answering;
    const Time time = takt_rt::now();
    if (begun && time >= at_last) {
      return false;
    }
    if (
      !begun && time >= until &&
      state.compare_exchange_strong(now, number * kStages + over, std::memory_order_acq_rel)) {
      return false;
    }
    takt_rt::futex_wait(state, now, begun ? at_last : until);
  }
}

}  // namespace

int stack_signal() noexcept
{
  return g_signal.load();
}

std::vector<void *> interrupted_stack(pid_t tid, takt_rt::Duration limit)
{
  Question & question = g_question;
  const std::uint32_t state = question.state.load(std::memory_order_acquire);
  const int signal = free_signal();
  if (signal == 0 || state % kStages == answering) {
    return {};
  }
  g_number = (g_number + 1) % (UINT32_MAX / kStages);
  const std::uint32_t number = g_number;
  question.state.store(number * kStages + asked, std::memory_order_release);
  const Time until = takt_rt::add_saturated(takt_rt::now(), limit);
  if (!send(tid, signal, number)) {
    question.state.store(number * kStages + over, std::memory_order_release);
    return {};
  }
  if (!wait_for_answer(number, until)) {
    return {};
  }
  const auto * const begin = question.frames.data();
  const auto * const end = begin + question.count;
  // Skip the frames of the handler, and of the kernel's call of the handler.
  const auto * const own = std::find(begin, end, question.interrupted_at);
  return {own == end ? begin : own, end};
}

}  // namespace takt_watch
