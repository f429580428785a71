#include "unwinder.hpp"

#include <dlfcn.h>

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
  Reader(const Byte * begin, const Byte * end) noexcept : at_(begin), end_(end) {}

  bool is_over() const noexcept { return at_ >= end_; }
  bool failed() const noexcept { return failed_; }
  const Byte * at() const noexcept { return at_; }

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

  const Byte * at_;
  const Byte * end_;
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

Reader part_at(const Byte * length_at) noexcept
{
  Reader head(length_at, length_at + 4);
  const std::uint64_t length = head.fixed(4);
  const bool is_short = length < 0xfffffff0U;
  return {length_at + 4, length_at + 4 + (is_short ? length : 0)};
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
  const std::uint64_t length = reader.uleb();
  Reader data(reader.at(), reader.at() + length);
  reader.skip(length);
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
bool find_entry(std::uint64_t address, Entry & entry) noexcept
{
  dl_find_object object{};
  if (
    ::_dl_find_object(reinterpret_cast<void *>(address), &object) != 0 ||
    object.dlfo_eh_frame == nullptr) {
    return false;
  }
  const auto * const table = static_cast<const Byte *>(object.dlfo_eh_frame);
  if (
    table[0] != 1 || table[1] != kFromItself || table[2] != kUnsigned4 || table[3] != kFromTable) {
    return false;
  }
  const auto base = reinterpret_cast<std::uint64_t>(table);
  const auto value = [&](std::size_t index) {
    const Byte * const at = table + 12 + 4 * index;
    return Reader(at, at + 4).signed4();
  };
  const auto wanted = static_cast<std::int64_t>(address - base);
  std::size_t low = 0;
  std::size_t high = Reader(table + 8, table + 12).fixed(4);
  if (high == 0 || value(0) > wanted) {
    return false;
  }
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (value(2 * middle) <= wanted ? low : high) = middle;
  }
  const Byte * const length_at = table + value(2 * low + 1);
  Reader own = part_at(length_at);
  const Byte * const back_at = own.at();
  const std::uint64_t back = own.fixed(4);
  const Byte * const from = own.at();
  entry.begin = reinterpret_cast<std::uint64_t>(from) + static_cast<std::uint64_t>(own.signed4());
  const std::uint64_t length = own.fixed(4);
  if (own.failed() || address < entry.begin || address - entry.begin >= length) {
    return false;
  }
  own.skip(own.uleb());
  entry.own = own;
  return read_shared(part_at(back_at - back), entry) && !own.failed();
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
        set(low, Rule::at_offset, static_cast<std::int64_t>(reader.uleb()) * entry_.data_step);
        return true;
      case 0xc0:
        restore(low);
        return true;
      default:
        return extended(code, reader);
    }
  }

  bool extended(Byte code, Reader & reader) noexcept
  {
    const auto scaled = [&] { return static_cast<std::int64_t>(reader.uleb()) * entry_.data_step; };
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
        set(number, Rule::at_offset, scaled());
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
        set(number, Rule::at_offset, reader.sleb() * entry_.data_step);
        return true;
      case 0x12:
        number = reader.uleb();
        frame(number, reader.sleb() * entry_.data_step);
        return true;
      case 0x13:
        row_.frame_offset = reader.sleb() * entry_.data_step;
        return true;
      case 0x14:
        number = reader.uleb();
        set(number, Rule::is_offset, scaled());
        return true;
      case 0x15:
        number = reader.uleb();
        set(number, Rule::is_offset, reader.sleb() * entry_.data_step);
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
  const StackCopy & stack, std::uintptr_t * addresses, std::size_t most) noexcept
{
  Frame frame;
  frame.values = stack.registers;
  frame.known.fill(true);
  std::size_t count = 1;
  std::uint64_t address = stack.registers[StackCopy::kInstruction];
  while (count < most) {
    Entry entry{Reader(nullptr, nullptr), Reader(nullptr, nullptr)};
    if (!find_entry(address, entry)) {
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
  const StackCopy & /*stack*/, std::uintptr_t * /*addresses*/, std::size_t /*most*/) noexcept
{
  return 1;
}

#endif

}  // namespace

std::size_t callers_of(
  const StackCopy & stack, std::uintptr_t * addresses, std::size_t most) noexcept
{
  if (most == 0) {
    return 0;
  }
  addresses[0] = stack.registers[StackCopy::kInstruction];
  return find_callers(stack, addresses, most);
}

}  // namespace takt_guard
