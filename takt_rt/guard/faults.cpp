#include "faults.hpp"

#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ring_sizes.hpp"

// The linker's names for the first and last byte of this library.
extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));  // NOLINT
extern const char _end[] __attribute__((visibility("hidden")));          // NOLINT
}

namespace takt_guard
{
namespace
{

// The general registers and the instruction, of x86-64 by the kernel's numbers.
constexpr std::uint64_t kRegisterMask = 0xff01ff;
constexpr std::size_t kRegisterCount = 17;
// Where the kernel's n-th register has its place in StackCopy: ax, bx, cx, dx, si, di, bp, sp, ip,
// then r8 to r15.
constexpr std::array<std::size_t, kRegisterCount> kRegisterPlace{0, 3, 2,  1,  4,  5,  6,  7, 16,
                                                                 8, 9, 10, 11, 12, 13, 14, 15};

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

// A sample with registers and stack, up to the stack's first byte.
struct StackSample
{
  Sample sample;
  std::uint64_t abi;
  std::uint64_t registers[kRegisterCount];
  std::uint64_t stack_bytes;
};

std::uint64_t head(const perf_event_mmap_page & ring) noexcept
{
  return __atomic_load_n(&ring.data_head, __ATOMIC_ACQUIRE);
}

void drop_all(perf_event_mmap_page & ring) noexcept
{
  __atomic_store_n(&ring.data_tail, head(ring), __ATOMIC_RELEASE);
}

// The kernel tells of samples that found no room with the next sample. So after a full ring this
// next record is of faults that are dropped here, too.
void drop(ThreadState & state) noexcept
{
  constexpr std::uint64_t kRoom = 4 * sizeof(Sample);
  state.lost_before |=
    head(*state.faults) - state.faults->data_tail + kRoom > state.faults->data_size;
  drop_all(*state.faults);
  if (state.stacks != nullptr) {
    drop_all(*state.stacks);
  }
}

const char * data_of(const perf_event_mmap_page & ring) noexcept
{
  return reinterpret_cast<const char *>(&ring) + ring.data_offset;
}

// Both sizes of rings are powers of two.
template <typename To>
void copy(const perf_event_mmap_page & ring, std::uint64_t at, To & to) noexcept
{
  for (std::size_t i = 0; i < sizeof to; ++i) {
    reinterpret_cast<char *>(&to)[i] = data_of(ring)[(at + i) & (ring.data_size - 1)];
  }
}

/// Reads the samples with stacks beside those without: each minor fault that found room in both
/// rings is in both, in the same order.
class Stacks
{
public:
  explicit Stacks(const perf_event_mmap_page * ring) noexcept
  : ring_(ring),
    at_(ring == nullptr ? 0 : ring->data_tail),
    end_(ring == nullptr ? 0 : head(*ring))
  {
  }

  /// The stack of the fault; null: it found no room.
  const StackCopy * of(const Sample & fault) noexcept
  {
    while (at_ < end_) {
      StackSample found{};
      copy(*ring_, at_, found.sample.header);
      const std::uint64_t next = at_ + found.sample.header.size;
      if (found.sample.header.size == 0) {
        break;
      }
      if (found.sample.header.type == PERF_RECORD_SAMPLE) {
        copy(*ring_, at_, found);
        if (
          found.sample.instruction != fault.instruction || found.sample.address != fault.address) {
          return nullptr;  // of a later fault
        }
        const std::uint64_t begin = at_ + sizeof found;
        at_ = next;
        return fill(found, begin);
      }
      at_ = next;
    }
    return nullptr;
  }

private:
  const StackCopy * fill(const StackSample & found, std::uint64_t begin) noexcept
  {
    if (found.abi != PERF_SAMPLE_REGS_ABI_64 || found.stack_bytes > ring_->data_size) {
      return nullptr;
    }
    for (std::size_t i = 0; i < kRegisterCount; ++i) {
      copy_.registers[kRegisterPlace[i]] = found.registers[i];
    }
    copy_.ring = data_of(*ring_);
    copy_.ring_bytes = ring_->data_size;
    copy_.begin = begin;
    copy_.bytes = found.stack_bytes;
    if (found.stack_bytes > 0) {
      std::uint64_t copied = 0;  // by the kernel, up to the stack's end
      copy(*ring_, begin + found.stack_bytes, copied);
      copy_.bytes = copied < found.stack_bytes ? copied : found.stack_bytes;
    }
    return &copy_;
  }

  const perf_event_mmap_page * ring_;
  std::uint64_t at_;
  std::uint64_t end_;
  StackCopy copy_;
};

void note(
  ThreadState & state, std::uint64_t instruction, std::uint64_t times,
  const StackCopy * stack = nullptr) noexcept
{
  state.fault_stack = stack;
  GuardSite * const site = find_site(
    state, GuardKind::page_fault, "page fault", reinterpret_cast<const void *>(instruction),
    stack == nullptr ? nullptr : reinterpret_cast<const void *>(stack->stack_pointer()));
  state.fault_stack = nullptr;
  const std::int64_t at = now();  // a little after the fault
  for (std::uint64_t i = 0; i < times; ++i) {
    count(state, GuardKind::page_fault, site, at, 0);
  }
}

// The kernel's counter of faults of this thread; negative: the kernel refuses it.
int open_counter(perf_event_attr & attributes) noexcept
{
  return static_cast<int>(
    ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

// Gives the counter a ring. Null: the kernel refuses the memory.
perf_event_mmap_page * map_ring(int file, std::size_t bytes) noexcept
{
  void * const memory = ::mmap(nullptr, kPage + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  for (std::size_t at = 0; at < kPage + bytes; at += kPage) {
    static_cast<void>(*static_cast<volatile char *>(static_cast<char *>(memory) + at));
  }
  ::ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
  return static_cast<perf_event_mmap_page *>(memory);
}

void close_ring(perf_event_mmap_page *& ring, int & file) noexcept
{
  if (ring != nullptr) {
    ::munmap(ring, kPage + ring->data_size);
    ring = nullptr;
  }
  if (file >= 0) {
    ::close(file);
    file = -1;
  }
}

// Of a counter that the kernel refuses with this errno.
GuardedFaults::Limit limit_of(int error) noexcept
{
  return error == EMFILE || error == ENFILE ? GuardedFaults::open_files : GuardedFaults::rights;
}

void open_plain(
  ThreadState & state, perf_event_attr attributes, std::size_t bytes,
  PlacesOfFaults & places) noexcept
{
  state.faults_file = open_counter(attributes);
  if (state.faults_file < 0) {
    places = {GuardedFaults::number, limit_of(errno)};
    return;
  }
  for (const std::size_t one : {bytes, kSmallest.faults}) {
    state.faults = map_ring(state.faults_file, one);
    if (state.faults != nullptr) {
      return;
    }
  }
  places = {GuardedFaults::number, GuardedFaults::locked_memory};
  close_ring(state.faults, state.faults_file);
}

#ifdef __x86_64__
void open_stacks(
  ThreadState & state, perf_event_attr attributes, const RingSizes & sizes,
  PlacesOfFaults & places) noexcept
{
  places = {GuardedFaults::instructions, GuardedFaults::locked_memory};
  if (sizes.stacks == 0) {
    return;
  }
  // Minor ones only. Two events of one kind would share the kernel's record of a fault, and
  // samples without stacks would then take as much room as those with one (seen on Linux 6.18).
  attributes.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
  attributes.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attributes.sample_regs_user = kRegisterMask;
  for (const RingSizes & one : {sizes, kSmallest}) {
    attributes.sample_stack_user = one.stack_bytes;
    state.stacks_file = open_counter(attributes);
    if (state.stacks_file < 0) {
      places.limit = limit_of(errno);
      return;
    }
    state.stacks = map_ring(state.stacks_file, one.stacks);
    if (state.stacks != nullptr) {
      places = {};
      return;
    }
    close_ring(state.stacks, state.stacks_file);
  }
}
#endif

}  // namespace

bool is_own(std::uintptr_t address) noexcept
{
  return address >= reinterpret_cast<std::uintptr_t>(__ehdr_start) &&
         address < reinterpret_cast<std::uintptr_t>(_end);
}

PlacesOfFaults open_faults(ThreadState & state) noexcept
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
  PlacesOfFaults places;
  const RingSizes sizes = ring_sizes(allowed_kb());
  open_plain(state, attributes, sizes.faults, places);
#ifdef __x86_64__
  if (state.faults != nullptr) {
    open_stacks(state, attributes, sizes, places);
  }
#endif
  return places;
}

void close_faults(ThreadState & state) noexcept
{
  close_ring(state.faults, state.faults_file);
  close_ring(state.stacks, state.stacks_file);
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
  const std::uint64_t end = head(*state.faults);
  std::uint64_t at = state.faults->data_tail;
  if (at == end) {
    return;
  }
  state.counts_faults = true;
  Stacks stacks(state.stacks);
  while (at < end) {
    Sample sample{};
    copy(*state.faults, at, sample.header);
    if (sample.header.size == 0) {
      break;
    }
    if (sample.header.type == PERF_RECORD_SAMPLE) {
      copy(*state.faults, at, sample);
      const StackCopy * const stack = stacks.of(sample);
      if (!is_own(sample.instruction) && !is_own(sample.address)) {
        note(state, sample.instruction, 1, stack);
      }
    } else if (sample.header.type == PERF_RECORD_LOST) {
      copy(*state.faults, at, sample);
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
