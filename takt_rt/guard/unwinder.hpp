// Finds the callers of an instruction in a copy of a stack, by the unwind tables of the loaded
// objects.
//
// The kernel copies registers and stack at a page fault. When the guard reads them, the functions
// have returned and other calls have written over the stack, so no unwinder of the C library can
// walk it. The kernel's own chain of calls follows frame pointers, which most programs lack.
// Source: DWARF 4, section 6.4; Linux Standard Base, "Exception Frames"; System V ABI, "Program
// Header".
#ifndef UNWINDER_HPP_
#define UNWINDER_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

namespace takt_guard
{

/// Registers and the top of the stack as they were, in a ring of bytes.
struct StackCopy
{
  /// By the numbers of the unwind tables: on x86-64 rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to
  /// r15, and the instruction's address.
  static constexpr std::size_t kRegisters = 17;
  static constexpr std::size_t kStackPointer = 7;
  static constexpr std::size_t kInstruction = 16;

  std::array<std::uint64_t, kRegisters> registers{};
  const char * ring = nullptr;
  std::size_t ring_bytes = 0;  ///< a power of two
  std::size_t begin = 0;  ///< of the copy in the ring; what follows the ring's end is at its begin
  std::size_t bytes = 0;  ///< of the copy, which begins with the byte at the stack pointer

  std::uint64_t stack_pointer() const noexcept { return registers[kStackPointer]; }
};

/// The segment of a loaded object that has its unwind tables.
struct UnwindTables
{
  const unsigned char * bytes = nullptr;  ///< of the segment
  std::uint64_t begin = 0;                ///< address of the segment
  std::size_t size = 0;
  std::uint64_t header = 0;  ///< address of the table of functions (.eh_frame_hdr)
};

/// The tables of the object that contains the address. False: there are none that this unwinder
/// knows. Any thread; does not allocate, lock or block.
bool find_tables(std::uint64_t address, UnwindTables & tables) noexcept;

/// Writes the address of the instruction and the return addresses of its callers, innermost first,
/// to `addresses`. Returns their number, at most `most`. It is smaller than that of all callers
/// where the copy ends, or where an object has no unwind tables or such as compilers rarely make;
/// on other machines than x86-64 it is 1. Damaged tables give wrong callers, and reads of nothing
/// but their segments. Any thread; does not allocate, lock or block.
///
/// `find`: a test may give other tables.
std::size_t callers_of(
  const StackCopy & stack, std::uintptr_t * addresses, std::size_t most,
  decltype(&find_tables) find = &find_tables) noexcept;

}  // namespace takt_guard

#endif  // UNWINDER_HPP_
