#include "timeline/protobuf_writer.hpp"

#include <bit>

namespace takt_trace::detail
{
namespace
{

constexpr std::uint64_t kVarint = 0, kFixed64 = 1, kLengthDelimited = 2;

constexpr std::uint64_t tag(std::uint32_t field, std::uint64_t type)
{
  return std::uint64_t{field} << 3 | type;
}

}  // namespace

void ProtobufWriter::append_varint(std::uint64_t value)
{
  for (; value >= 0x80; value >>= 7) {
    bytes_.push_back(static_cast<char>(value | 0x80));
  }
  bytes_.push_back(static_cast<char>(value));
}

void ProtobufWriter::varint(std::uint32_t field, std::uint64_t value)
{
  append_varint(tag(field, kVarint));
  append_varint(value);
}

void ProtobufWriter::fixed64(std::uint32_t field, std::uint64_t value)
{
  append_varint(tag(field, kFixed64));
  for (int byte = 0; byte < 8; ++byte, value >>= 8) {
    bytes_.push_back(static_cast<char>(value));
  }
}

void ProtobufWriter::number(std::uint32_t field, double value)
{
  fixed64(field, std::bit_cast<std::uint64_t>(value));
}

void ProtobufWriter::text(std::uint32_t field, std::string_view bytes)
{
  append_varint(tag(field, kLengthDelimited));
  append_varint(bytes.size());
  bytes_ += bytes;
}

}  // namespace takt_trace::detail
