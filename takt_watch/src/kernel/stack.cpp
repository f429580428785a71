#include "kernel/stack.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <sys/syscall.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "kernel/interrupted_stack.hpp"
#include "kernel/kernel_figures.hpp"

namespace takt_watch
{
namespace
{

constexpr auto kPatience = std::chrono::milliseconds(50);

struct Free
{
  void operator()(char * text) const { std::free(text); }
};

std::string readable(const char * symbol)
{
  int status = 0;
  const std::unique_ptr<char, Free> name(abi::__cxa_demangle(symbol, nullptr, nullptr, &status));
  return status == 0 && name != nullptr ? name.get() : symbol;
}

std::string hex(std::uintptr_t number)
{
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

// `offset_back`: the function subtracts it before the look-up, because a return address may lie
// behind the end of the calling function.
std::string frame_text(void * address, std::uintptr_t offset_back)
{
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void *>(at - offset_back), &info) == 0) {
    return hex(at);
  }
  std::string_view file = info.dli_fname == nullptr ? "" : info.dli_fname;
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 removes nothing
  if (info.dli_sname != nullptr) {
    return readable(info.dli_sname) + "+" +
           hex(at - reinterpret_cast<std::uintptr_t>(info.dli_saddr)) + " (" + std::string(file) +
           ")";
  }
  return std::string(file) + "+" + hex(at - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
}

std::vector<std::string> kernel_words(pid_t tid)
{
  std::vector<std::string> words;
  // "0" or an empty file: the thread runs, or this kernel does not say where it waits.
  std::string channel = task_file(tid, "wchan");
  channel = channel.substr(0, channel.find('\n'));
  if (!channel.empty() && channel != "0") {
    words.push_back("waits in the kernel: " + channel);
  }
  const std::string call = task_file(tid, "syscall");
  long number = -1;
  if (
    std::from_chars(call.data(), call.data() + call.size(), number).ec == std::errc() &&
    number >= 0) {
    words.push_back("system call: " + system_call_name(number));
  }
  return words;
}

}  // namespace

std::string system_call_name(long number)
{
  static constexpr std::pair<long, std::string_view> kNames[] = {
    {SYS_futex, "futex"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_pread64, "pread64"},
    {SYS_pwrite64, "pwrite64"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_sendto, "sendto"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_connect, "connect"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect6"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_fsync, "fsync"},
    {SYS_fdatasync, "fdatasync"},
    {SYS_openat, "openat"},
    {SYS_ioctl, "ioctl"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_mmap, "mmap"},
    {SYS_munmap, "munmap"},
    {SYS_madvise, "madvise"},
    {SYS_flock, "flock"},
#ifdef SYS_poll
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_open, "open"},
#endif
  };
  for (const auto & [call, name] : kNames) {
    if (call == number) {
      return std::string(name);
    }
  }
  return std::to_string(number);
}

std::vector<std::string> stack_of(pid_t tid, const std::function<bool()> & still_there)
{
  std::vector<std::string> words;
  const char state = state_of(tid);
  if (!still_there()) {
    return words;
  }
  if (state != 'R') {
    words = kernel_words(tid);
  } else {
    const std::vector<void *> frames = interrupted_stack(tid, kPatience);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      words.push_back(frame_text(frames[i], i == 0 ? 0 : 1));
    }
    if (words.empty()) {
      words.push_back(
        "the thread waits for a core, or blocks signals: its functions are not known");
    }
  }
  return still_there() ? words : std::vector<std::string>();
}

}  // namespace takt_watch
