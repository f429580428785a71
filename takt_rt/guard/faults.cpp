#include "faults.hpp"

#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <utility>

// The linker's names for the first and last byte of this library.
extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));  // NOLINT
extern const char _end[] __attribute__((visibility("hidden")));          // NOLINT
}

namespace takt_guard
{
namespace
{

constexpr std::size_t kRing = 4 * 4096;  // room for some 680 faults

struct Sample
{
  perf_event_header header;
  std::uint64_t instruction;
  std::uint64_t address;
};

std::int64_t faults_by_kernel() noexcept
{
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

std::uint64_t head(const ThreadState & state) noexcept
{
  return __atomic_load_n(&state.faults->data_head, __ATOMIC_ACQUIRE);
}

// The kernel tells of samples that found no room with the next sample. So after a full ring this
// next record is of faults that are dropped here, too.
void drop(ThreadState & state) noexcept
{
  constexpr std::uint64_t kRoom = 4 * sizeof(Sample);
  state.lost_before |= head(state) - state.faults->data_tail + kRoom > kRing;
  __atomic_store_n(&state.faults->data_tail, head(state), __ATOMIC_RELEASE);
}

void copy(const ThreadState & state, std::uint64_t at, void * to, std::size_t bytes) noexcept
{
  const char * const ring =
    reinterpret_cast<const char *>(state.faults) + state.faults->data_offset;
  for (std::size_t i = 0; i < bytes; ++i) {
    static_cast<char *>(to)[i] = ring[(at + i) % kRing];
  }
}

// True if the address is in this library's own code or data.
bool is_own(std::uint64_t address) noexcept
{
  return address >= reinterpret_cast<std::uintptr_t>(__ehdr_start) &&
         address < reinterpret_cast<std::uintptr_t>(_end);
}

void note(ThreadState & state, std::uint64_t instruction, std::uint64_t times) noexcept
{
  GuardSite * const site = find_site(
    state, GuardKind::page_fault, "page fault", reinterpret_cast<const void *>(instruction),
    nullptr);
  const std::int64_t at = now();  // a little after the fault
  for (std::uint64_t i = 0; i < times; ++i) {
    count(state, GuardKind::page_fault, site, at, 0);
  }
}

}  // namespace

void open_faults(ThreadState & state) noexcept
{
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_PAGE_FAULTS;
  attributes.sample_period = 1;
  attributes.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.disabled = 1;
  const int file =
    static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (file < 0) {
    return;
  }
  void * const memory = ::mmap(nullptr, 4096 + kRing, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    ::close(file);
    return;
  }
  state.faults = static_cast<perf_event_mmap_page *>(memory);
  state.faults_file = file;
  for (std::size_t at = 0; at < 4096 + kRing; at += 4096) {
    static_cast<void>(*static_cast<volatile char *>(static_cast<char *>(memory) + at));
  }
  ::ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
}

void close_faults(ThreadState & state) noexcept
{
  if (state.faults != nullptr) {
    ::munmap(state.faults, 4096 + kRing);
    ::close(state.faults_file);
    state.faults = nullptr;
  }
}

void begin_faults(ThreadState & state) noexcept
{
  if (state.faults != nullptr) {
    drop(state);
  } else {
    state.faults_before = faults_by_kernel();
  }
}

void count_faults(ThreadState & state) noexcept
{
  if (state.faults == nullptr) {
    const std::int64_t more = faults_by_kernel() - state.faults_before;
    state.counts_faults = true;
    if (more > 0) {
      note(state, 0, static_cast<std::uint64_t>(more));
    }
    state.counts_faults = false;
    state.faults_before = faults_by_kernel();
    return;
  }
  const std::uint64_t end = head(state);
  std::uint64_t at = state.faults->data_tail;
  if (at == end) {
    return;
  }
  state.counts_faults = true;
  while (at < end) {
    Sample sample{};
    copy(state, at, &sample.header, sizeof sample.header);
    if (sample.header.size == 0) {
      break;
    }
    if (sample.header.type == PERF_RECORD_SAMPLE) {
      copy(state, at, &sample, sizeof sample);
      if (!is_own(sample.instruction) && !is_own(sample.address)) {
        note(state, sample.instruction, 1);
      }
    } else if (sample.header.type == PERF_RECORD_LOST) {
      copy(state, at, &sample, sizeof sample);
      if (!std::exchange(state.lost_before, false)) {
        note(state, 0, sample.address);  // the field after the id: the number of lost samples
      }
    }
    at += sample.header.size;
  }
  state.counts_faults = false;
  drop(state);  // faults since the read of `end` are the guard's own
}

FaultsOfTheGuard::FaultsOfTheGuard(ThreadState & state) noexcept
: state_(state),
  nested_(state.counts_faults)
{
  if (!nested_) {
    count_faults(state_);
    state_.counts_faults = true;
  }
}

FaultsOfTheGuard::~FaultsOfTheGuard()
{
  if (nested_) {
    return;
  }
  state_.counts_faults = false;
  if (state_.faults != nullptr) {
    drop(state_);
  } else {
    state_.faults_before = faults_by_kernel();
  }
}

}  // namespace takt_guard
