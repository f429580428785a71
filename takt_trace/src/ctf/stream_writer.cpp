#include "stream_writer.hpp"

#include <algorithm>
#include <bit>
#include <ostream>
#include <utility>

namespace takt_trace::detail
{
namespace
{

// Offset in the packet from its begin: behind magic, uuid, stream_id and stream_instance_id.
constexpr std::size_t kTimeEnd = 32 + 8;
constexpr std::size_t kContentSize = kTimeEnd + 8;
constexpr std::size_t kPacketSize = kContentSize + 8;
/// In the event header: the id follows in the variant's extended form.
constexpr std::uint16_t kExtended = 65535;

void store(std::string & bytes, std::size_t at, std::uint64_t number, std::size_t size)
{
  for (std::size_t i = 0; i < size; ++i) {
    bytes[at + i] = static_cast<char>(number >> (8 * i) & 0xff);
  }
}

void append(std::string & bytes, std::uint64_t number, std::size_t size)
{
  bytes.resize(bytes.size() + size);
  store(bytes, bytes.size() - size, number, size);
}

void append(std::string & bytes, FieldType type, const Value & value)
{
  switch (type) {
    case FieldType::handle:
    case FieldType::unsigned64:
    case FieldType::signed64:
      append(bytes, value.number(), 8);
      break;
    case FieldType::signed32:
      append(bytes, value.number(), 4);
      break;
    case FieldType::real:
      append(bytes, std::bit_cast<std::uint64_t>(value.real()), 8);
      break;
    case FieldType::text:
      bytes += value.text().substr(0, value.text().find('\0'));
      bytes += '\0';
      break;
    case FieldType::gid:
      append(bytes, value.number(), 8);
      bytes.append(kGidBytes - 8, '\0');
      break;
  }
}

/// Cuts after a whole character.
std::string cut(const std::string & utf8, std::size_t bytes)
{
  std::size_t end = std::min({utf8.size(), bytes, utf8.find('\0')});
  const auto continues = [&] {
    return end < utf8.size() && (static_cast<unsigned char>(utf8[end]) & 0xc0) == 0x80;
  };
  while (end > 0 && continues()) {
    --end;
  }
  return utf8.substr(0, end);
}

}  // namespace

StreamWriter::StreamWriter(StreamOptions options, Open open)
: options_(std::move(options)),
  open_(std::move(open))
{
  append(context_, static_cast<std::uint64_t>(options_.pid), 4);
  append(context_, static_cast<std::uint64_t>(options_.tid), 4);
  std::string name = cut(options_.name, kProcnameBytes - 1);
  name.resize(kProcnameBytes, '\0');
  context_ += name;
}

void StreamWriter::write(Event event, std::int64_t time, std::initializer_list<Value> values)
{
  time_ = std::max(time_, static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0)));
  if (packets_ == 0 && options_.discarded > 0) {
    open_packet();  // readers report missing records between the ends of two packets
    close_packet();
  }
  if (!is_open_) {
    open_packet();
  }
  append(bytes_, kExtended, 2);
  append(bytes_, static_cast<std::uint64_t>(event), 4);
  append(bytes_, time_, 8);
  bytes_ += context_;
  const auto fields = event_types()[static_cast<std::size_t>(event)].fields();
  const Value * value = values.begin();
  for (const Field & field : fields) {
    append(bytes_, field.type, value != values.end() ? *value++ : Value(0));
  }
  if (bytes_.size() >= kPacketBytes) {
    close_packet();
  }
}

void StreamWriter::on_core(int core)
{
  if (core != core_ && is_open_) {
    close_packet();  // a packet is of one core
  }
  core_ = core;
}

void StreamWriter::finish()
{
  if (is_open_) {
    close_packet();
  }
}

void StreamWriter::open_packet()
{
  is_open_ = true;
  append(bytes_, kCtfMagic, 4);
  bytes_.append(options_.trace.begin(), options_.trace.end());
  append(bytes_, 0, 4);  // the only kind of stream
  append(bytes_, options_.number, 8);
  append(bytes_, time_, 8);
  bytes_.append(3 * 8, '\0');  // end, content size, packet size: set when the packet is closed
  append(bytes_, packets_, 8);
  append(bytes_, packets_ == 0 ? 0 : options_.discarded, 8);
  append(bytes_, static_cast<std::uint64_t>(core_), 4);
  ++packets_;
}

void StreamWriter::close_packet()
{
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(bytes_.size());
  store(bytes_, kTimeEnd, time_, 8);
  store(bytes_, kContentSize, bits, 8);
  store(bytes_, kPacketSize, bits, 8);
  is_open_ = false;
  if (out_ == nullptr) {
    out_ = &open_();
  }
  out_->write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  bytes_.clear();
}

}  // namespace takt_trace::detail
