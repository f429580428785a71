// Makes this process's account, and finds the place of each event in it.
#include "places.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "faults.hpp"
#include "settings.hpp"

namespace takt_guard
{
namespace
{

constinit std::atomic<GuardAccount *> g_account{nullptr};
const GuardAccount * g_inherited = nullptr;  // in a child of fork: its parent's account
constinit std::atomic<void (*)(GuardKind, std::int64_t, std::int64_t)> g_listener{nullptr};
// guards the making of the account, and its names
pthread_mutex_t g_making = PTHREAD_MUTEX_INITIALIZER;
constexpr std::size_t kProbes = 64;

// Returns memory for the account: a file in the folder that the settings name or, without a folder,
// memory of this process alone. The kernel fills all pages at once, so that no scope faults on
// them. `in_file`: whether other processes can read it.
void * memory(bool & in_file) noexcept
{
  const char * const folder = settings().folder.data();
  int file = -1;
  if (folder[0] != '\0') {
    char path[512];
    std::snprintf(path, sizeof path, "%s/%d.guard", folder, static_cast<int>(::getpid()));
    file = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    // Without room for all pages the program would get a SIGBUS at the first missing one.
    if (file >= 0 && ::posix_fallocate(file, 0, sizeof(GuardAccount)) != 0) {
      ::unlink(path);
      ::close(file);
      file = -1;
    }
  }
  void * const memory = ::mmap(
    nullptr, sizeof(GuardAccount), PROT_READ | PROT_WRITE,
    (file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_POPULATE, file, 0);
  in_file = file >= 0;
  if (file >= 0) {
    ::close(file);
  }
  return memory == MAP_FAILED ? nullptr : memory;
}

// A child of fork shares the memory of the account, but the account is that of its parent. So the
// child has no account, until it adds a name. The numbers of the parent's names stay what they are.
void in_child() noexcept
{
  if (const GuardAccount * const parents = g_account.load(std::memory_order_relaxed)) {
    g_inherited = parents;
  }
  g_account.store(nullptr, std::memory_order_relaxed);
  g_making = PTHREAD_MUTEX_INITIALIZER;  // a thread that the child lacks may have held it
  t_state = ThreadState();
}

// The parent may be adding names meanwhile.
void copy_names(const GuardAccount & from, GuardAccount & to) noexcept
{
  const std::uint32_t count = from.name_count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t begin = from.names[i].begin;
    const std::size_t bytes = std::strlen(&from.texts[begin]) + 1;
    std::memcpy(&to.texts[begin], &from.texts[begin], bytes);
    to.names[i].begin = begin;
    to.text_bytes = begin + static_cast<std::uint32_t>(bytes);
  }
  to.name_count.store(count, std::memory_order_release);
}

// Maps the unwind tables of all loaded objects. Else the first walks of stacks wait for the kernel
// at each page of the tables.
void map_unwind_tables() noexcept
{
#ifdef MADV_POPULATE_READ
  const auto map = [](dl_phdr_info * object, std::size_t, void *) {
    std::uintptr_t tables = 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      if (object->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) {
        tables = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
      }
    }
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr) & segment = object->dlpi_phdr[i];
      const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_LOAD && tables - begin < segment.p_memsz) {
        // From the table of functions on, behind which the other one is.
        const std::uintptr_t page = tables & ~std::uintptr_t{4095};
        ::madvise(
          reinterpret_cast<void *>(page), begin + segment.p_memsz - page, MADV_POPULATE_READ);
      }
    }
    return 0;
  };
  ::dl_iterate_phdr(map, nullptr);
#endif
}

GuardAccount * make_account() noexcept
{
  bool in_file = false;
  void * const place = memory(in_file);
  if (place == nullptr) {
    return nullptr;
  }
  auto * const made = new (place) GuardAccount;
  if (g_inherited != nullptr) {
    copy_names(*g_inherited, *made);
  }
  made->process = ::getpid();
  made->is_judged = settings().judged && in_file ? 1 : 0;
  const ssize_t length =
    ::readlink("/proc/self/exe", made->program.data(), made->program.size() - 1);
  made->program[length < 0 ? 0 : static_cast<std::size_t>(length)] = '\0';
  ::pthread_atfork(nullptr, nullptr, in_child);
  void * frames[4];
  ::backtrace(frames, 4);  // the first call loads the unwinder's library
  map_unwind_tables();
  return made;
}

// The loaded object that contains the address; null: none. `dladdr1` waits while another thread
// opens a library, and searches all symbols of the object. `_dl_find_object` (glibc 2.35) does
// neither.
const link_map * object_of(std::uintptr_t address) noexcept
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  dl_find_object found{};
  return ::_dl_find_object(reinterpret_cast<void *>(address), &found) == 0 ? found.dlfo_link_map
                                                                           : nullptr;
#else
  Dl_info info{};
  void * map = nullptr;
  return ::dladdr1(reinterpret_cast<void *>(address), &info, &map, RTLD_DL_LINKMAP) == 0
           ? nullptr
           : static_cast<const link_map *>(map);
#endif
}

// The object that contains the address, and the address's offset in it; see GuardSite::frames.
std::uint64_t frame_of(GuardAccount & account, std::uintptr_t address) noexcept
{
  const auto unknown = GuardAccount::kNoObject << 48U | (address & 0xffff'ffff'ffffU);
  const link_map * const object = object_of(address);
  if (object == nullptr || object->l_name == nullptr) {
    return unknown;
  }
  const std::uint64_t offset = address - object->l_addr;
  const bool is_program = std::strchr(object->l_name, '/') == nullptr;
  const char * const path = is_program ? account.program.data() : object->l_name;
  const std::uint32_t count = account.object_count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (
      std::strncmp(account.objects[i].path.data(), path, account.objects[i].path.size() - 1) == 0) {
      return std::uint64_t{i} << 48U | offset;
    }
  }
  // Two threads may add the same object: a second entry does no harm.
  const std::uint32_t place = account.object_count.fetch_add(1, std::memory_order_acq_rel);
  if (place >= account.objects.size()) {
    account.object_count.store(GuardAccount::kObjects, std::memory_order_release);
    return unknown;
  }
  auto & to = account.objects[place].path;
  std::strncpy(to.data(), path, to.size() - 1);
  return std::uint64_t{place} << 48U | offset;
}

void fill(
  GuardAccount & account, GuardSite & site, const ThreadState & state, GuardKind kind,
  const char * what, const void * caller, std::uintptr_t depth) noexcept
{
  site.name =
    state.scopes[state.depth <= ThreadState::kScopes ? state.depth - 1 : ThreadState::kScopes - 1]
      .name -
    1;
  site.kind = kind;
  site.thread = state.thread;
  std::strncpy(site.what.data(), what, site.what.size() - 1);
  site.caller = reinterpret_cast<std::uintptr_t>(caller);
  site.depth = depth;
  if (kind == GuardKind::page_fault) {
    std::uintptr_t callers[GuardSite::kFrames]{site.caller};
    const std::size_t found = state.fault_stack == nullptr
                                ? 1
                                : callers_of(*state.fault_stack, callers, std::size(callers));
    for (std::size_t i = 0; i < found; ++i) {
      if (!is_own(callers[i])) {
        // The instruction that faulted, then return addresses: see below.
        site.frames[site.frame_count++] = frame_of(account, callers[i] - (i == 0 ? 0 : 1));
      }
    }
    return;
  }
  void * addresses[GuardSite::kFrames + 8];
  const int found = ::backtrace(addresses, static_cast<int>(std::size(addresses)));
  // The recorded stack begins at the call of the replaced function.
  int first = 0;
  while (first < found && addresses[first] != caller) {
    ++first;
  }
  if (first == found) {
    site.frames[0] = frame_of(account, site.caller - 1);
    site.frame_count = 1;
    return;
  }
  while (first < found && site.frame_count < GuardSite::kFrames) {
    // If the call is the last instruction of its function, the return address lies behind the
    // function. So look up the byte before.
    site.frames[site.frame_count++] =
      frame_of(account, reinterpret_cast<std::uintptr_t>(addresses[first++]) - 1);
  }
}

}  // namespace

GuardAccount * account() noexcept
{
  return g_account.load(std::memory_order_acquire);
}

std::uint32_t add_name(const char * text) noexcept
{
  ::pthread_mutex_lock(&g_making);
  GuardAccount * all = account();
  if (all == nullptr) {
    all = make_account();
    g_account.store(all, std::memory_order_release);
    forget_variables();
  }
  std::uint32_t number = 0;
  if (all != nullptr) {
    const std::uint32_t count = all->name_count.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < count && number == 0; ++i) {
      number = std::strcmp(&all->texts[all->names[i].begin], text) == 0 ? i + 1 : 0;
    }
    const std::size_t bytes = std::strlen(text) + 1;
    if (number == 0 && count < all->names.size() && bytes <= all->texts.size() - all->text_bytes) {
      std::memcpy(&all->texts[all->text_bytes], text, bytes);
      all->names[count].begin = all->text_bytes;
      all->text_bytes += static_cast<std::uint32_t>(bytes);
      number = count + 1;
      all->name_count.store(number, std::memory_order_release);
    }
  }
  ::pthread_mutex_unlock(&g_making);
  return number;
}

void add_time(GuardSite & site, std::int64_t time) noexcept
{
  site.total.fetch_add(time, std::memory_order_relaxed);
  std::int64_t worst = site.worst.load(std::memory_order_relaxed);
  // A few tries are enough: each failure means that another thread has stored its own time.
  for (int i = 0; i < 8 && time > worst; ++i) {
    if (site.worst.compare_exchange_weak(worst, time, std::memory_order_relaxed)) {
      break;
    }
  }
}

GuardSite * find_site(
  ThreadState & state, GuardKind kind, const char * what, const void * caller,
  const void * frame) noexcept
{
  GuardAccount * const all = account();
  if (all == nullptr) {
    return nullptr;
  }
  const Scope & scope = state.scope();
  const auto depth = frame == nullptr
                       ? 0
                       : static_cast<std::uintptr_t>(scope.base - static_cast<const char *>(frame));
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  std::uint64_t hash =
    (address ^ depth << 40U) + (std::uint64_t{scope.name} << 8U) + static_cast<std::uint64_t>(kind);
  hash *= 0x9e3779b97f4a7c15ULL;
  hash ^= hash >> 32U;
  for (std::size_t i = 0; i < kProbes; ++i) {
    GuardSite & site = all->sites[(hash + i) % GuardAccount::kSites];
    std::uint32_t is = site.state.load(std::memory_order_acquire);
    if (
      is == GuardSite::empty &&
      site.state.compare_exchange_strong(is, GuardSite::filling, std::memory_order_acq_rel)) {
      const int before = errno;
      const FaultsOfTheGuard own(state);
      fill(*all, site, state, kind, what, caller, depth);
      errno = before;
      site.state.store(GuardSite::ready, std::memory_order_release);
      return &site;
    }
    // Another thread may be filling the place of the same event. Then this event gets a place of
    // its own.
    if (
      is == GuardSite::ready && site.caller == address && site.depth == depth &&
      site.kind == kind && site.name == scope.name - 1) {
      return &site;
    }
  }
  return nullptr;
}

void listen(void (*listener)(GuardKind kind, std::int64_t begin, std::int64_t end))
{
  g_listener.store(listener, std::memory_order_release);
}

void count(
  ThreadState & state, GuardKind kind, GuardSite * site, std::int64_t begin,
  std::int64_t time) noexcept
{
  const auto index = static_cast<std::size_t>(kind);
  ++state.scope().counts[index];
  if (auto * const listener = g_listener.load(std::memory_order_acquire); listener != nullptr) {
    listener(kind, begin, begin + time);
  }
  GuardAccount * const all = account();
  if (all == nullptr) {
    return;
  }
  if (site == nullptr) {
    all->lost[index].fetch_add(1, std::memory_order_relaxed);
  } else {
    site->count.fetch_add(1, std::memory_order_relaxed);
    add_time(*site, time);
  }
  // After the site's count: a process that sees the event here finds it at its place.
  all->names[state.scope().name - 1].events.fetch_add(1, std::memory_order_release);
}

// Calls `then` for each noted wait for which `is` holds.
template <typename Is, typename Then>
static void each_block(const Is & is, const Then & then) noexcept
{
  GuardAccount * const all = account();
  if (all == nullptr || all->block_count.load(std::memory_order_relaxed) == 0) {
    return;
  }
  for (GuardedBlock & block : all->blocks) {
    if (block.state.load(std::memory_order_acquire) == GuardSite::ready && is(block)) {
      then(block);
    }
  }
}

void signals(const void * object) noexcept
{
  const std::uint32_t name = t_state.scope().name - 1;
  each_block(
    [&](const GuardedBlock & block) {
      return block.object == reinterpret_cast<std::uintptr_t>(object) && block.awaited == name;
    },
    [](GuardedBlock & block) { block.answered.store(1, std::memory_order_relaxed); });
}

int note_block(std::uint32_t thread, std::uint32_t awaited, GuardedBlock::Why why) noexcept
{
  GuardAccount * const all = account();
  if (all == nullptr || thread >= all->threads.size() || awaited == 0) {
    return 0;
  }
  const GuardedThread & waits = all->threads[thread];
  const std::uint32_t site = waits.site.load(std::memory_order_acquire);
  const std::uint32_t name = waits.name.load(std::memory_order_relaxed);
  const std::int64_t since = waits.since.load(std::memory_order_relaxed);
  if (site == 0) {
    return 0;
  }
  for (GuardedBlock & block : all->blocks) {
    if (block.state.load(std::memory_order_acquire) == GuardSite::ready) {
      if (block.name == name && block.awaited == awaited - 1 && block.site == site - 1) {
        if (block.since != since) {
          block.since = since;  // it waits there again
          block.ended.store(0, std::memory_order_relaxed);
        }
        return 0;
      }
      continue;
    }
    block.name = name;
    block.awaited = awaited - 1;
    block.site = site - 1;
    block.why = why;
    block.since = since;
    block.object = waits.object.load(std::memory_order_relaxed);
    block.state.store(GuardSite::ready, std::memory_order_release);
    all->block_count.fetch_add(1, std::memory_order_relaxed);
    return 1;
  }
  return 0;
}

void Event::waits(const void * object) noexcept
{
  ThreadState & state = t_state;
  site_ = find_site(state, kind_, what_, caller_, frame_);
  begin_ = now();  // the guard's walk of a new place's stack is not part of the event
  if (site_ != nullptr && state.shown != nullptr) {
    GuardedThread & shown = *state.shown;
    shown.name.store(site_->name, std::memory_order_relaxed);
    shown.since.store(begin_, std::memory_order_relaxed);
    shown.object.store(reinterpret_cast<std::uintptr_t>(object), std::memory_order_relaxed);
    shown.site.store(
      static_cast<std::uint32_t>(site_ - account()->sites.data()) + 1, std::memory_order_release);
  }
}

void Event::end() noexcept
{
  ThreadState & state = t_state;
  if (state.depth == 0) {
    return;  // this thread is a child of fork
  }
  if (site_ != nullptr && state.shown != nullptr) {
    state.shown->site.store(0, std::memory_order_release);
    const auto site = static_cast<std::uint32_t>(site_ - account()->sites.data());
    each_block(
      [&](const GuardedBlock & block) { return block.site == site && block.since == begin_; },
      [](GuardedBlock & block) { block.ended.store(now(), std::memory_order_relaxed); });
  }
  if (!forgotten_) {
    const std::int64_t time = now() - begin_;
    if (site_ == nullptr) {
      site_ = find_site(state, kind_, what_, caller_, frame_);
    }
    count(state, kind_, site_, begin_, time);
  }
  state.busy = false;
}

}  // namespace takt_guard
