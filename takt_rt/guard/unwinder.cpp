#include "unwinder.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>

namespace takt_guard
{
namespace
{

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)

using Byte = unsigned char;

// Encodings of pointers in unwind tables: four bytes with a sign, from their own address or from
// the begin of the table of functions.
constexpr Byte kFromItself = 0x1b;
constexpr Byte kFromTable = 0x3b;
constexpr Byte kUnsigned4 = 0x03;
constexpr std::size_t kRemembered = 4;

/// Reads a part of an unwind table, and nothing behind its end.
class Reader
{
public:
  Reader() = default;
  /// From the address on, to the end of the tables' segment. An address outside of it: fails at the
  /// first read.
  Reader(const UnwindTables & tables, std::uint64_t address) noexcept
  : at_(tables.bytes),
    end_(tables.bytes + tables.size),
    address_(address)
  {
    if (address - tables.begin < tables.size) {
      at_ += address - tables.begin;
    } else {
      at_ = end_;
    }
  }

  bool is_over() const noexcept { return at_ >= end_; }
  bool failed() const noexcept { return failed_; }
  const Byte * at() const noexcept { return at_; }
  /// The address of the byte at `at`.
  std::uint64_t address() const noexcept { return address_; }
  /// The next bytes alone, which this reader skips. Too many: both fail.
  Reader part(std::uint64_t bytes) noexcept
  {
    Reader part = *this;
    skip(bytes);
    part.end_ = at_;
    part.failed_ = failed_;
    part.at_ = failed_ ? at_ : part.at_;
    return part;
  }

  Byte byte() noexcept { return static_cast<Byte>(fixed(1)); }
  std::uint64_t fixed(unsigned bytes) noexcept
  {
    std::uint64_t value = 0;
    if (static_cast<std::size_t>(end_ - at_) < bytes) {
      return fail();
    }
    for (unsigned i = 0; i < bytes; ++i) {
      value |= std::uint64_t{*at_++} << 8U * i;
    }
    address_ += bytes;
    return value;
  }
  std::int64_t signed4() noexcept { return static_cast<std::int32_t>(fixed(4)); }

  std::uint64_t uleb() noexcept
  {
    unsigned shift = 0;
    return leb(shift);
  }
  std::int64_t sleb() noexcept
  {
    unsigned shift = 0;
    const std::uint64_t value = leb(shift);
    const bool negative = shift > 0 && shift < 64 && (value >> (shift - 1) & 1U) != 0;
    return static_cast<std::int64_t>(negative ? value | ~std::uint64_t{0} << shift : value);
  }
  void skip(std::uint64_t bytes) noexcept
  {
    if (bytes > static_cast<std::uint64_t>(end_ - at_)) {
      fail();
    } else {
      at_ += bytes;
      address_ += bytes;
    }
  }

private:
  std::uint64_t leb(unsigned & shift) noexcept
  {
    std::uint64_t value = 0;
    for (Byte byte = 0x80; (byte & 0x80U) != 0 && !failed_; shift += 7) {
      byte = static_cast<Byte>(fixed(1));
      value |= shift < 64 ? std::uint64_t{byte & 0x7fU} << shift : 0;
    }
    return value;
  }
  std::uint64_t fail() noexcept
  {
    failed_ = true;
    at_ = end_;
    return 0;
  }

  const Byte * at_ = nullptr;
  const Byte * end_ = nullptr;
  std::uint64_t address_ = 0;
  bool failed_ = false;
};

/// Where the caller's value of a register is.
struct Rule
{
  enum Kind : Byte
  {
    same,       ///< in the register
    undefined,  ///< nowhere
    at_offset,  ///< in memory, so far from the frame's address
    is_offset,  ///< it is the frame's address with this offset
    unknown     ///< a computation that this unwinder does not do
  };
  Kind kind = same;
  std::int64_t offset = 0;
};

/// The rules of one instruction.
struct Row
{
  std::uint64_t frame_register = 0;
  std::int64_t frame_offset = 0;
  bool frame_known = false;
  std::array<Rule, StackCopy::kRegisters> rules{};
};

/// The entry of a function, and of what it shares with others.
struct Entry
{
  Reader shared;  ///< the instructions that each function of this kind begins with
  Reader own;
  std::uint64_t begin = 0;
  std::uint64_t code_step = 0;
  std::int64_t data_step = 0;
  bool is_signal = false;
};

// The part of the tables whose length is at the address.
Reader part_at(const UnwindTables & tables, std::uint64_t address) noexcept
{
  Reader reader(tables, address);
  const std::uint64_t length = reader.fixed(4);
  const bool is_short = length < 0xfffffff0U;
  return reader.part(is_short ? length : 0);
}

// Skips the pointer to the personality routine of a function with handlers.
void skip_pointer(Reader & reader) noexcept
{
  switch (reader.byte() & 0x0fU) {
    case 0x02:
    case 0x0a:
      return reader.skip(2);
    case 0x03:
    case 0x0b:
      return reader.skip(4);
    default:
      return reader.skip(8);
  }
}

bool read_shared(Reader reader, Entry & entry) noexcept
{
  reader.skip(4);  // the mark of such a part
  const Byte version = reader.byte();
  const char * const words = reinterpret_cast<const char *>(reader.at());
  while (reader.byte() != 0) {
  }
  entry.code_step = reader.uleb();
  entry.data_step = reader.sleb();
  const std::uint64_t returns_by = version == 1 ? reader.byte() : reader.uleb();
  if (reader.failed() || words[0] != 'z' || returns_by != StackCopy::kInstruction) {
    return false;
  }
  Reader data = reader.part(reader.uleb());
  bool from_itself = false;
  for (const char * word = words + 1; *word != '\0'; ++word) {
    if (*word == 'R') {
      from_itself = data.byte() == kFromItself;
    } else if (*word == 'L') {
      data.skip(1);
    } else if (*word == 'P') {
      skip_pointer(data);
    } else if (*word == 'S') {
      entry.is_signal = true;
    } else {
      return false;
    }
  }
  entry.shared = reader;
  return from_itself && !reader.failed() && !data.failed();
}

// The entry of the function that contains the address.
bool find_entry(std::uint64_t address, Entry & entry, const UnwindTables & tables) noexcept
{
  Reader head(tables, tables.header);
  if (
    head.byte() != 1 || head.byte() != kFromItself || head.byte() != kUnsigned4 ||
    head.byte() != kFromTable) {
    return false;
  }
  head.skip(4);
  const std::uint64_t count = head.fixed(4);
  const auto value = [&](std::uint64_t index) {
    return Reader(tables, head.address() + 4 * index).signed4();
  };
  const auto wanted = static_cast<std::int64_t>(address - tables.header);
  if (count == 0 || head.failed() || value(0) > wanted) {
    return false;
  }
  std::uint64_t low = 0;
  std::uint64_t high = count;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (value(2 * middle) <= wanted ? low : high) = middle;
  }
  const auto at = tables.header + static_cast<std::uint64_t>(value(2 * low + 1));
  Reader own = part_at(tables, at);
  std::uint64_t shared_at = own.address();
  shared_at -= own.fixed(4);
  entry.begin = own.address();
  entry.begin += static_cast<std::uint64_t>(own.signed4());
  const std::uint64_t length = own.fixed(4);
  if (own.failed() || address < entry.begin || address - entry.begin >= length) {
    return false;
  }
  own.skip(own.uleb());
  entry.own = own;
  return read_shared(part_at(tables, shared_at), entry) && !own.failed();
}

/// Carries out the instructions of an entry up to an address.
class Machine
{
public:
  Machine(const Entry & entry, std::uint64_t until) noexcept
  : entry_(entry),
    until_(until),
    at_(entry.begin)
  {
  }

  /// False: the entry has something that this unwinder does not know.
  bool run() noexcept
  {
    if (!run(entry_.shared)) {
      return false;
    }
    first_ = row_;
    return run(entry_.own);
  }
  const Row & row() const noexcept { return row_; }

private:
  bool run(Reader reader) noexcept
  {
    while (!reader.is_over() && at_ <= until_) {
      if (!step(reader) || reader.failed()) {
        return false;
      }
    }
    return true;
  }

  void set(std::uint64_t number, Rule::Kind kind, std::int64_t offset = 0) noexcept
  {
    if (number < row_.rules.size()) {
      row_.rules[number] = {kind, offset};
    }
  }
  void restore(std::uint64_t number) noexcept
  {
    if (number < row_.rules.size()) {
      row_.rules[number] = first_.rules[number];
    }
  }
  bool advance(std::uint64_t steps) noexcept
  {
    const std::uint64_t to = at_ + steps * entry_.code_step;
    // The present row holds until the address before `to`.
    at_ = to > until_ ? until_ + 1 : to;
    return true;
  }
  void frame(std::uint64_t number, std::int64_t offset) noexcept
  {
    row_.frame_register = number;
    row_.frame_offset = offset;
    row_.frame_known = number < StackCopy::kRegisters;
  }

  bool step(Reader & reader) noexcept
  {
    const Byte code = reader.byte();
    const std::uint64_t low = code & 0x3fU;
    switch (code & 0xc0U) {
      case 0x40:
        return advance(low);
      case 0x80:
        set(low, Rule::at_offset, scaled(reader.uleb()));
        return true;
      case 0xc0:
        restore(low);
        return true;
      default:
        return extended(code, reader);
    }
  }

  // Damaged tables may have numbers whose product is too large: that wraps.
  std::int64_t scaled(std::uint64_t value) const noexcept
  {
    return static_cast<std::int64_t>(value * static_cast<std::uint64_t>(entry_.data_step));
  }

  bool extended(Byte code, Reader & reader) noexcept
  {
    std::uint64_t number = 0;
    switch (code) {
      case 0x00:  // nothing
        return true;
      case 0x02:
        return advance(reader.fixed(1));
      case 0x03:
        return advance(reader.fixed(2));
      case 0x04:
        return advance(reader.fixed(4));
      case 0x05:
        number = reader.uleb();
        set(number, Rule::at_offset, scaled(reader.uleb()));
        return true;
      case 0x06:
        restore(reader.uleb());
        return true;
      case 0x07:
        set(reader.uleb(), Rule::undefined);
        return true;
      case 0x08:
        set(reader.uleb(), Rule::same);
        return true;
      case 0x09:  // in another register
        set(reader.uleb(), Rule::unknown);
        reader.uleb();
        return true;
      case 0x0a:
        if (remembered_ == kRemembered) {
          return false;
        }
        rows_[remembered_++] = row_;
        return true;
      case 0x0b:
        if (remembered_ == 0) {
          return false;
        }
        row_ = rows_[--remembered_];
        return true;
      case 0x0c:
        number = reader.uleb();
        frame(number, static_cast<std::int64_t>(reader.uleb()));
        return true;
      case 0x0d:
        frame(reader.uleb(), row_.frame_offset);
        return true;
      case 0x0e:
        row_.frame_offset = static_cast<std::int64_t>(reader.uleb());
        return true;
      case 0x0f:  // the frame's address is computed
        row_.frame_known = false;
        reader.skip(reader.uleb());
        return true;
      case 0x10:
      case 0x16:  // a computation
        set(reader.uleb(), Rule::unknown);
        reader.skip(reader.uleb());
        return true;
      case 0x11:
        number = reader.uleb();
        set(number, Rule::at_offset, scaled(static_cast<std::uint64_t>(reader.sleb())));
        return true;
      case 0x12:
        number = reader.uleb();
        frame(number, scaled(static_cast<std::uint64_t>(reader.sleb())));
        return true;
      case 0x13:
        row_.frame_offset = scaled(static_cast<std::uint64_t>(reader.sleb()));
        return true;
      case 0x14:
        number = reader.uleb();
        set(number, Rule::is_offset, scaled(reader.uleb()));
        return true;
      case 0x15:
        number = reader.uleb();
        set(number, Rule::is_offset, scaled(static_cast<std::uint64_t>(reader.sleb())));
        return true;
      case 0x2e:  // the size of arguments on the stack, for handlers
        reader.uleb();
        return true;
      default:
        return false;
    }
  }

  const Entry & entry_;
  const std::uint64_t until_;
  std::uint64_t at_;
  Row row_;
  Row first_;
  std::array<Row, kRemembered> rows_{};
  std::size_t remembered_ = 0;
};

/// The registers of one frame, some of which may be unknown.
struct Frame
{
  std::array<std::uint64_t, StackCopy::kRegisters> values{};
  std::array<bool, StackCopy::kRegisters> known{};
};

bool read_word(const StackCopy & stack, std::uint64_t address, std::uint64_t & value) noexcept
{
  const std::uint64_t offset = address - stack.stack_pointer();
  if (address < stack.stack_pointer() || offset > stack.bytes || stack.bytes - offset < 8) {
    return false;
  }
  value = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const auto byte =
      static_cast<Byte>(stack.ring[(stack.begin + offset + i) & (stack.ring_bytes - 1)]);
    value |= std::uint64_t{byte} << 8U * i;
  }
  return true;
}

// Turns the frame into that of its caller. False: this is the last one that can be found.
bool to_caller(const StackCopy & stack, const Row & row, Frame & frame) noexcept
{
  if (!row.frame_known || !frame.known[row.frame_register]) {
    return false;
  }
  const std::uint64_t address =
    frame.values[row.frame_register] + static_cast<std::uint64_t>(row.frame_offset);
  if (address <= frame.values[StackCopy::kStackPointer]) {
    return false;
  }
  Frame caller = frame;
  for (std::size_t i = 0; i < row.rules.size(); ++i) {
    const Rule & rule = row.rules[i];
    const std::uint64_t place = address + static_cast<std::uint64_t>(rule.offset);
    if (rule.kind == Rule::at_offset) {
      caller.known[i] = read_word(stack, place, caller.values[i]);
    } else if (rule.kind == Rule::is_offset) {
      caller.known[i] = true;
      caller.values[i] = place;
    } else if (rule.kind != Rule::same) {
      caller.known[i] = false;
    }
  }
  caller.values[StackCopy::kStackPointer] = address;
  caller.known[StackCopy::kStackPointer] = true;
  frame = caller;
  constexpr std::size_t kReturn = StackCopy::kInstruction;
  return row.rules[kReturn].kind == Rule::at_offset && frame.known[kReturn] &&
         frame.values[kReturn] != 0;
}

std::size_t find_callers(
  const StackCopy & stack, std::uintptr_t * addresses, std::size_t most,
  decltype(&find_tables) find) noexcept
{
  Frame frame;
  frame.values = stack.registers;
  frame.known.fill(true);
  std::size_t count = 1;
  std::uint64_t address = stack.registers[StackCopy::kInstruction];
  while (count < most) {
    UnwindTables tables;
    Entry entry;
    if (!find(address, tables) || !find_entry(address, entry, tables)) {
      break;
    }
    Machine machine(entry, address);
    if (!machine.run() || !to_caller(stack, machine.row(), frame)) {
      break;
    }
    const std::uint64_t back = frame.values[StackCopy::kInstruction];
    addresses[count++] = back;
    // A call may be the last instruction of its function. A signal interrupts at any instruction.
    address = entry.is_signal ? back : back - 1;
  }
  return count;
}

#else

std::size_t find_callers(
  const StackCopy & /*stack*/, std::uintptr_t * /*addresses*/, std::size_t /*most*/,
  decltype(&find_tables) /*find*/) noexcept
{
  return 1;
}

#endif

}  // namespace

bool find_tables(std::uint64_t address, UnwindTables & tables) noexcept
{
#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)
  dl_find_object object{};
  if (
    ::_dl_find_object(reinterpret_cast<void *>(address), &object) != 0 ||
    object.dlfo_eh_frame == nullptr) {
    return false;
  }
  // Between segments there may be addresses without memory. The object's head says where segments
  // are.
  const auto begin = reinterpret_cast<std::uint64_t>(object.dlfo_map_start);
  const auto size = reinterpret_cast<std::uint64_t>(object.dlfo_map_end) - begin;
  tables.header = reinterpret_cast<std::uint64_t>(object.dlfo_eh_frame);
  Elf64_Ehdr head;
  constexpr std::uint64_t kFirstPage = 4096;
  if (size < kFirstPage) {
    return false;
  }
  std::memcpy(&head, object.dlfo_map_start, sizeof head);
  if (
    std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(Elf64_Phdr) ||
    head.e_phoff > kFirstPage || head.e_phnum > (kFirstPage - head.e_phoff) / sizeof(Elf64_Phdr)) {
    return false;
  }
  for (std::size_t i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part;
    std::memcpy(
      &part, static_cast<const char *>(object.dlfo_map_start) + head.e_phoff + i * sizeof part,
      sizeof part);
    tables.begin = object.dlfo_link_map->l_addr + part.p_vaddr;
    tables.size = part.p_filesz;
    if (
      part.p_type == PT_LOAD && (part.p_flags & PF_R) != 0 && tables.begin >= begin &&
      tables.size <= size && tables.begin - begin <= size - tables.size &&
      tables.header - tables.begin < tables.size) {
      tables.bytes = reinterpret_cast<const unsigned char *>(tables.begin);
      return true;
    }
  }
#else
  static_cast<void>(address);
  static_cast<void>(tables);
#endif
  return false;
}

std::size_t callers_of(
  const StackCopy & stack, std::uintptr_t * addresses, std::size_t most,
  decltype(&find_tables) find) noexcept
{
  if (most == 0) {
    return 0;
  }
  addresses[0] = stack.registers[StackCopy::kInstruction];
  return find_callers(stack, addresses, most, find);
}

}  // namespace takt_guard
