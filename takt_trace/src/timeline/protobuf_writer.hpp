// Writes the wire format of protocol buffers as far as traces need it: without a schema, the caller
// gives field numbers.
#ifndef TAKT_TRACE__SRC__TIMELINE__PROTOBUF_WRITER_HPP_
#define TAKT_TRACE__SRC__TIMELINE__PROTOBUF_WRITER_HPP_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace takt_trace::detail
{

/// The fields of one message, in the order of the calls. Allocates; does not block.
class ProtobufWriter
{
public:
  void varint(std::uint32_t field, std::uint64_t value);
  void fixed64(std::uint32_t field, std::uint64_t value);
  void number(std::uint32_t field, double value);
  void text(std::uint32_t field, std::string_view bytes);
  void message(std::uint32_t field, const ProtobufWriter & fields) { text(field, fields.bytes_); }

  const std::string & bytes() const noexcept { return bytes_; }
  std::string release() noexcept { return std::move(bytes_); }
  /// Keeps the memory for the next message.
  void clear() noexcept { bytes_.clear(); }

private:
  void append_varint(std::uint64_t value);

  std::string bytes_;
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__TIMELINE__PROTOBUF_WRITER_HPP_
