#include "audit/audit_observer.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <sstream>
#include <string>
#include <system_error>

#include "audit/function_content.hpp"
#include "takt_core/group.hpp"
#include "takt_core/names.hpp"
#include "takt_host/audited_function.hpp"
#include "takt_rt/environment.hpp"

namespace takt_host
{
namespace
{

constexpr std::size_t kFrameBytes = 16;
constexpr std::size_t kMostCallbacks = 1U << 16U;

/// The functions of ThreadSanitizer's runtime; null in a program without it.
struct Sanitizer
{
  using Function = void (*)(void *);
  Function enter = find("__tsan_func_entry");
  void (*leave)() = reinterpret_cast<void (*)()>(::dlsym(RTLD_DEFAULT, "__tsan_func_exit"));
  Function acquire = find("__tsan_acquire");
  Function release = find("__tsan_release");
  /// Addresses without memory, which stand for callbacks in stacks.
  char * base = nullptr;

  Sanitizer()
  {
    if (enter != nullptr && leave != nullptr && acquire != nullptr && release != nullptr) {
      void * const place = ::mmap(
        nullptr, kFrameBytes * kMostCallbacks, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      base = place == MAP_FAILED ? nullptr : static_cast<char *>(place);
    }
  }

  static Function find(const char * name)
  {
    return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  }
};

const Sanitizer & sanitizer()
{
  static const Sanitizer & g_sanitizer = *new Sanitizer;  // threads run on while the process ends
  return g_sanitizer;
}

/// The file of this process.
class AuditFile
{
public:
  explicit AuditFile(const std::string & folder)
  : path_(folder + "/" + std::to_string(::getpid()) + ".audit"),
    file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600))
  {
    std::array<char, 4096> path{};
    const auto length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
    write({"process", length > 0 ? path.data() : "", hex(sanitizer().base)});
  }

  void write(std::initializer_list<std::string> words) const
  {
    std::string line;
    for (const std::string & word : words) {
      line += (line.empty() ? "" : "\t") + word;
    }
    line += '\n';
    // Lines of several threads stay whole, because the file is open for appending.
    if (
      ::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()) &&
      !told_.exchange(true)) {
      const std::error_code why(errno, std::generic_category());
      std::fprintf(
        stderr, "takt: audit: cannot write to %s, so the report lacks callbacks: %s\n",
        path_.c_str(), why.message().c_str());
    }
  }

  static std::string hex(const void * address)
  {
    std::ostringstream text;
    text << std::hex << "0x" << reinterpret_cast<std::uintptr_t>(address);
    return text.str();
  }

private:
  const std::string path_;
  const int file_;
  mutable std::atomic<bool> told_{false};
};

const AuditFile * audit_file()
{
  static const AuditFile * const g_file = [] {
    const std::string folder = takt_rt::variable("TAKT_AUDIT_DIR");
    return folder.empty() ? nullptr : new AuditFile(folder);
  }();
  return g_file;
}

/// One bit for each callback that runs on this thread, the innermost in the lowest: 1, it has a
/// frame. Callbacks that spin run others within their run.
thread_local std::uint64_t t_entered = 0;

std::string hex(Word address)
{
  return AuditFile::hex(reinterpret_cast<const void *>(address));
}

}  // namespace

std::shared_ptr<AuditObserver> AuditObserver::make(const std::string & executor, bool scheduled)
{
  return audit_file() == nullptr ? nullptr : std::make_shared<AuditObserver>(executor, scheduled);
}

AuditObserver::AuditObserver(const std::string & executor, bool scheduled)
: executor_([] {
    static std::atomic<std::uint32_t> g_number{0};
    return g_number++;
  }())
{
  audit_file()->write({"executor", std::to_string(executor_), executor, scheduled ? "1" : "0"});
}

void AuditObserver::on_added(const takt_core::Callback & callback)
{
  if (callback.id().rfind("/takt:", 0) == 0) {
    return;  // what adopted executors do for themselves
  }
  static std::atomic<std::uint32_t> g_number{0};
  const std::uint32_t number = g_number++;
  const ProcessMemory process;
  FunctionContent content;
  if (const auto * const audited = dynamic_cast<const AuditedFunction *>(&callback)) {
    content = content_of(audited->function_memory(), process);
  }
  const auto & file = *audit_file();
  const std::string name = std::to_string(number);
  const bool reentrant = callback.group().kind() == takt_core::GroupKind::reentrant;
  file.write(
    {"callback", name, std::to_string(executor_), callback.id(),
     std::string(takt_core::to_string(callback.kind())), callback.group().id(),
     reentrant ? "1" : "0", callback.of_client_library() ? "1" : "0", content.found ? "1" : "0",
     content.type});
  for (const Captured & one : content.captured) {
    const Place place = process.place(one.address);
    file.write({"object", name, hex(one.address), one.type, place.module, hex(place.offset)});
  }
  for (const Word one : content.code) {
    const Place place = process.place(one);
    file.write({"code", name, place.module, hex(place.offset)});
  }
  if (sanitizer().base != nullptr && number < kMostCallbacks) {
    frames_.set(callback.number(), sanitizer().base + kFrameBytes * number + 1);
    // What its set-up wrote happened before each run.
    sanitizer().release(const_cast<takt_core::Callback *>(&callback));
  }
}

void AuditObserver::on_removed(const takt_core::Callback & callback)
{
  frames_.set(callback.number(), nullptr);
}

void AuditObserver::on_thread(std::uint32_t /*thread*/, const takt_rt::AttributeReport & /*report*/)
{
  audit_file()->write({"thread", std::to_string(executor_)});
}

void AuditObserver::on_start(const takt_core::Run & run, takt_rt::Time /*start*/) noexcept
{
  const Sanitizer & tsan = sanitizer();
  if (tsan.base == nullptr) {
    return;
  }
  // takt's library is not instrumented, so ThreadSanitizer does not see how it keeps a group
  // exclusive.
  tsan.acquire(run.callback);
  if (run.callback->group().kind() == takt_core::GroupKind::mutually_exclusive) {
    tsan.acquire(&run.callback->group());
  }
  const char * const frame = frames_.find(run.callback->number());
  if (frame != nullptr) {
    tsan.enter(const_cast<char *>(frame));
  }
  t_entered = t_entered << 1U | (frame != nullptr ? 1U : 0U);
}

void AuditObserver::on_end(const takt_core::Run & run, takt_rt::Time /*end*/) noexcept
{
  const Sanitizer & tsan = sanitizer();
  if (tsan.base == nullptr) {
    return;
  }
  // A callback that was removed during its run has no frame any more.
  if ((t_entered & 1U) != 0) {
    tsan.leave();
  }
  t_entered >>= 1U;
  if (run.callback->group().kind() == takt_core::GroupKind::mutually_exclusive) {
    tsan.release(&run.callback->group());
  }
}

}  // namespace takt_host
