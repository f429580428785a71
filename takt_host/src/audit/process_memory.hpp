// Reads the memory of this process without a risk, and knows its files.
#ifndef AUDIT__PROCESS_MEMORY_HPP_
#define AUDIT__PROCESS_MEMORY_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace takt_host
{

/// A word of memory that may be an address.
using Word = std::uintptr_t;

/// A place in a program or a library.
struct Place
{
  std::string module;        ///< path; empty: unknown
  std::uint64_t offset = 0;  ///< the file's own address, as in its symbols
};

/// The mappings of the process at the time of the construction. Set-up only: allocates, and reads
/// files.
class ProcessMemory
{
public:
  ProcessMemory();
  ~ProcessMemory();
  ProcessMemory(const ProcessMemory &) = delete;
  ProcessMemory & operator=(const ProcessMemory &) = delete;

  /// The words from `address` on, at most `bytes`; fewer where memory ends.
  std::vector<Word> words(Word address, std::size_t bytes) const;
  std::optional<Word> word(Word address) const;
  /// The text at `address`; empty: none.
  std::string text(Word address) const;

  bool is_code(Word address) const { return has(address, Rights::code); }
  bool is_writable(Word address) const { return has(address, Rights::writable); }
  /// Memory of a file that nobody writes: constants and tables of virtual functions.
  bool is_constant(Word address) const { return has(address, Rights::constant); }

  /// The bytes that the program may use from `address` on, if it is the begin of a block of malloc.
  /// Reads what malloc notes before and behind a block only as other memory, so an address that is
  /// no block's is no risk. Nothing: it is none, or another allocator's than glibc's or a
  /// sanitizer's.
  std::optional<std::size_t> block_bytes(Word address) const;

  /// The place of an address in the code or the data of a program or a library.
  Place place(Word address) const;
  /// The name of the function that begins at `address`, as the linker has it; empty: unknown.
  std::string function(Word address) const;

private:
  enum class Rights
  {
    code,
    writable,
    constant
  };
  struct Mapping
  {
    Word end = 0;
    Rights rights{};
  };

  bool has(Word address, Rights rights) const;

  int file_ = -1;                     // of the process's memory
  std::map<Word, Mapping> mappings_;  // by their begin
};

}  // namespace takt_host

#endif  // AUDIT__PROCESS_MEMORY_HPP_
