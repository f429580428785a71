// Reads the wire format of protocol buffers field by field, without a schema.
#ifndef SUPPORT__WIRE_HPP_
#define SUPPORT__WIRE_HPP_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace takt_trace::test
{

struct WireField
{
  std::uint32_t number = 0;
  std::uint64_t value = 0;   // varint, fixed64
  std::string_view bytes{};  // length-delimited

  double real() const { return std::bit_cast<double>(value); }
  std::string text() const { return std::string(bytes); }
};

/// Throws std::runtime_error if the bytes are not a message.
class WireReader
{
public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  std::vector<WireField> fields()
  {
    std::vector<WireField> fields;
    while (!rest_.empty()) {
      const std::uint64_t tag = varint();
      WireField field{static_cast<std::uint32_t>(tag >> 3)};
      switch (tag & 7) {
        case 0:
          field.value = varint();
          break;
        case 1:
          field.value = fixed64();
          break;
        case 2:
          field.bytes = take(varint());
          break;
        default:
          throw std::runtime_error("unknown wire type");
      }
      fields.push_back(field);
    }
    return fields;
  }

private:
  std::string_view take(std::uint64_t size)
  {
    if (size > rest_.size()) {
      throw std::runtime_error("a field ends behind its message");
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::uint64_t varint()
  {
    for (std::uint64_t value = 0, shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) {
        return value;
      }
    }
    throw std::runtime_error("a varint is too long");
  }

  std::uint64_t fixed64()
  {
    std::uint64_t value = 0;
    const std::string_view bytes = take(8);
    for (std::size_t i = 8; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return value;
  }

  std::string_view rest_;
};

/// The fields by number; 0 or empty for an absent field.
class WireMessage
{
public:
  explicit WireMessage(std::string_view bytes) : fields_(WireReader(bytes).fields()) {}

  std::vector<WireField> all(std::uint32_t number) const
  {
    std::vector<WireField> found;
    for (const WireField & field : fields_) {
      if (field.number == number) {
        found.push_back(field);
      }
    }
    return found;
  }

  bool has(std::uint32_t number) const { return !all(number).empty(); }
  WireField one(std::uint32_t number) const { return has(number) ? all(number)[0] : WireField{}; }
  std::uint64_t value(std::uint32_t number) const { return one(number).value; }
  std::int64_t integer(std::uint32_t number) const
  {
    return static_cast<std::int64_t>(value(number));
  }
  std::string text(std::uint32_t number) const { return one(number).text(); }
  WireMessage message(std::uint32_t number) const { return WireMessage(one(number).bytes); }

  /// True if all fields have these numbers.
  bool is_of(const std::set<std::uint32_t> & numbers) const
  {
    return std::all_of(fields_.begin(), fields_.end(), [&](const WireField & field) {
      return numbers.contains(field.number);
    });
  }

  const std::vector<WireField> & fields() const { return fields_; }

private:
  std::vector<WireField> fields_;
};

}  // namespace takt_trace::test

#endif  // SUPPORT__WIRE_HPP_
