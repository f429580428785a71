// The guard's unwinder finds in a copy of a stack the callers that the C library finds in the
// stack.
#include "../guard/unwinder.hpp"

#include <execinfo.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "support/rounds.hpp"

namespace takt_guard::test
{
namespace
{

#ifdef __x86_64__

using Addresses = std::vector<std::uintptr_t>;

struct Stack
{
  StackCopy copy;
  std::vector<char> ring;
  Addresses expected;  ///< the callers, without the innermost function
};

std::size_t bytes_above(std::uintptr_t address)
{
  pthread_attr_t attributes;
  void * lowest = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(::pthread_getattr_np(::pthread_self(), &attributes), 0);
  EXPECT_EQ(::pthread_attr_getstack(&attributes, &lowest, &size), 0);
  ::pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(lowest) + size - address;
}

// Copies the stack from here on into a ring of bytes, from byte `begin` of the ring on.
[[gnu::noinline]] void copy_stack(Stack & stack, std::size_t begin)
{
  constexpr std::size_t kRing = 1U << 16U;
  void * found[64];
  const int count = ::backtrace(found, 64);
  for (int i = 1; i < count; ++i) {
    stack.expected.push_back(reinterpret_cast<std::uintptr_t>(found[i]));
  }
  ucontext_t context;
  ::getcontext(&context);
  const auto & from = context.uc_mcontext.gregs;
  constexpr int kOrder[]{REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                         REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                         REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  std::transform(
    std::begin(kOrder), std::end(kOrder), stack.copy.registers.begin(),
    [&](int place) { return static_cast<std::uint64_t>(from[place]); });
  stack.copy.bytes = std::min(kRing, bytes_above(stack.copy.stack_pointer()));
  stack.copy.begin = begin;
  stack.copy.ring_bytes = kRing;
  stack.ring.resize(kRing);
  stack.copy.ring = stack.ring.data();
  const auto * const bytes = reinterpret_cast<const char *>(stack.copy.stack_pointer());
  for (std::size_t i = 0; i < stack.copy.bytes; ++i) {
    stack.ring[(begin + i) % kRing] = bytes[i];
  }
}

// Functions with frames of other kinds: with handlers, and with a part of the stack whose size only
// the run knows, which the frame's own register serves.
[[gnu::noinline]] void with_handler(Stack & stack, std::size_t begin)
{
  try {
    copy_stack(stack, begin);
    asm volatile("" ::: "memory");
  } catch (const int &) {
    stack.copy.bytes = 0;
  }
}

[[gnu::noinline]] void with_room(Stack & stack, std::size_t begin, std::size_t bytes)
{
  auto * const room = static_cast<volatile char *>(__builtin_alloca(bytes));
  room[bytes - 1] = 1;
  const std::function<void()> call = [&] { with_handler(stack, begin); };
  call();
  room[0] = 2;
}

Addresses callers(const StackCopy & stack, std::size_t most)
{
  Addresses found(most);
  found.resize(callers_of(stack, found.data(), most));
  found.erase(found.begin());
  return found;
}

TEST(Unwinder, FindsTheCallersThatTheCLibraryFinds)
{
  for (const std::size_t begin : {std::size_t{0}, std::size_t{65000}, std::size_t{65531}}) {
    Stack stack;
    with_room(stack, begin, 1000);
    ASSERT_GT(stack.expected.size(), 6U);
    EXPECT_EQ(callers(stack.copy, 64), stack.expected) << begin;
  }
}

TEST(Unwinder, StopsWhereTheCopyEnds)
{
  Stack stack;
  with_room(stack, 0, 1000);
  const std::size_t all = callers(stack.copy, 64).size();
  std::size_t before = 0;
  for (const std::size_t bytes : {0U, 7U, 64U, 512U, 1024U, 2048U}) {
    StackCopy part = stack.copy;
    part.bytes = std::min(bytes, stack.copy.bytes);
    const Addresses found = callers(part, 64);
    EXPECT_GE(found.size(), before);
    before = found.size();
    ASSERT_LE(found.size(), stack.expected.size());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), stack.expected.begin())) << bytes;
  }
  EXPECT_GT(all, 2U);
  EXPECT_EQ(callers(stack.copy, 3).size(), 2U) << "no more than asked for";
}

// A copy of this program's tables, right before an address that cannot be read.
class CopiedTables
{
public:
  CopiedTables()
  {
    const auto here = reinterpret_cast<std::uint64_t>(&copy_stack);
    EXPECT_TRUE(find_tables(here, real_));
    constexpr std::size_t kPage = 4096;
    bytes_ = (real_.size + kPage - 1) / kPage * kPage + 2 * kPage;
    void * const memory =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    memory_ = static_cast<unsigned char *>(memory);
    EXPECT_EQ(::mprotect(memory_, kPage, PROT_NONE), 0);
    EXPECT_EQ(::mprotect(memory_ + bytes_ - kPage, kPage, PROT_NONE), 0);
    copy_ = real_;
    copy_.bytes = memory_ + bytes_ - kPage - real_.size;
    std::copy(real_.bytes, real_.bytes + real_.size, begin());
    current_ = this;
  }
  ~CopiedTables()
  {
    current_ = nullptr;
    ::munmap(memory_, bytes_);
  }
  CopiedTables(const CopiedTables &) = delete;
  CopiedTables & operator=(const CopiedTables &) = delete;

  unsigned char * begin() { return memory_ + (copy_.bytes - memory_); }
  std::size_t header() const { return real_.header - real_.begin; }
  std::size_t size() const { return real_.size; }

  /// As `find_tables`, with the copy for this program's tables.
  static bool find(std::uint64_t address, UnwindTables & tables) noexcept
  {
    if (!find_tables(address, tables)) {
      return false;
    }
    if (tables.begin == current_->real_.begin) {
      tables = current_->copy_;
    }
    return true;
  }

private:
  static inline const CopiedTables * current_ = nullptr;
  UnwindTables real_;
  UnwindTables copy_;
  unsigned char * memory_ = nullptr;
  std::size_t bytes_ = 0;
};

TEST(Unwinder, ReadsNothingButTheTablesWhereTheyAreDamaged)
{
  Stack stack;
  with_room(stack, 0, 1000);
  CopiedTables tables;
  Addresses found(64);
  const auto callers_in_copy = [&] {
    return callers_of(stack.copy, found.data(), found.size(), &CopiedTables::find) - 1;
  };
  ASSERT_EQ(callers_in_copy(), stack.expected.size());
  std::mt19937 random(1);
  const std::size_t size = tables.size() - tables.header();
  std::vector<std::pair<std::size_t, unsigned char>> before;
  std::size_t fewer = 0;
  const std::uint64_t rounds = takt_rt::test::rounds(3000);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    // From one damaged byte in 16 to one in 4096.
    const std::size_t damaged = 1 + (size >> (4 + random() % 9));
    before.clear();
    for (std::size_t i = 0; i < damaged; ++i) {
      const std::size_t at = tables.header() + random() % size;
      before.emplace_back(at, tables.begin()[at]);
      constexpr unsigned char kExtremes[]{0x00, 0x7f, 0x80, 0xff};
      tables.begin()[at] =
        random() % 2 == 0 ? kExtremes[random() % 4] : static_cast<unsigned char>(random());
    }
    const std::size_t count = callers_in_copy();
    ASSERT_LT(count, found.size());
    ASSERT_EQ(found[0], stack.copy.registers[StackCopy::kInstruction]);
    fewer += count < stack.expected.size() ? 1 : 0;
    for (auto one = before.rbegin(); one != before.rend(); ++one) {
      tables.begin()[one->first] = one->second;
    }
  }
  EXPECT_GT(fewer, 0U) << "no damage was where the unwinder reads";
  EXPECT_EQ(callers_in_copy(), stack.expected.size());
}

TEST(Unwinder, KnowsNoTablesOfMemoryWithoutCode)
{
  UnwindTables tables;
  EXPECT_FALSE(find_tables(16, tables));
  const std::vector<char> memory(10);
  EXPECT_FALSE(find_tables(reinterpret_cast<std::uint64_t>(memory.data()), tables));
}

TEST(Unwinder, StopsAtAnInstructionOfNoObject)
{
  Stack stack;
  with_room(stack, 0, 8);
  stack.copy.registers[StackCopy::kInstruction] = 16;
  EXPECT_TRUE(callers(stack.copy, 64).empty());
}

#endif

TEST(Unwinder, GivesTheInstructionItself)
{
  StackCopy stack;
  stack.registers[StackCopy::kInstruction] = 16;
  std::uintptr_t address = 0;
  EXPECT_EQ(callers_of(stack, &address, 0), 0U);
  EXPECT_EQ(callers_of(stack, &address, 1), 1U);
  EXPECT_EQ(address, 16U);
}

}  // namespace
}  // namespace takt_guard::test
