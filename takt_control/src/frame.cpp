#include "takt_control/frame.hpp"

#include <algorithm>
#include <utility>

namespace takt_control
{
namespace
{

constexpr std::string_view kMagic = "takt";
constexpr std::size_t kVersionAt = 4;
constexpr std::size_t kTypeAt = 6;
constexpr std::size_t kLengthAt = 8;

void append(std::string & out, std::uint32_t value, int bytes)
{
  for (int i = 0; i < bytes; ++i) {
    out += static_cast<char>((value >> (8 * i)) & 0xffU);
  }
}

std::uint32_t read(std::string_view bytes, std::size_t at, std::size_t count)
{
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

}  // namespace

std::string encode(MessageType type, std::string_view payload)
{
  std::string out;
  out.reserve(kHeaderBytes + payload.size());
  out += kMagic;
  append(out, kProtocolVersion, 2);
  append(out, static_cast<std::uint32_t>(type), 2);
  append(out, static_cast<std::uint32_t>(payload.size()), 4);
  out += payload;
  return out;
}

std::size_t FrameDecoder::feed(std::string_view bytes)
{
  std::size_t taken = 0;
  while (!broken() && taken < bytes.size() && buffer_.size() < wanted_) {
    const std::size_t count = std::min(wanted_ - buffer_.size(), bytes.size() - taken);
    buffer_.append(bytes.substr(taken, count));
    taken += count;
    check_header();
  }
  return broken() ? bytes.size() : taken;
}

void FrameDecoder::check_header()
{
  // Check each byte when it comes: a sender with a wrong first byte may never send a twelfth.
  const std::size_t seen = std::min(buffer_.size(), kMagic.size());
  if (buffer_.compare(0, seen, kMagic.substr(0, seen)) != 0) {
    fault_ = "these bytes are not a frame of takt: it would begin with 'takt'";
  } else if (buffer_.size() == kHeaderBytes && wanted_ == kHeaderBytes) {
    const std::uint32_t length = read(buffer_, kLengthAt, 4);
    if (length > kMostPayload) {
      fault_ = "a frame of " + std::to_string(length) + " bytes is longer than " +
               std::to_string(kMostPayload);
    } else {
      wanted_ += length;
    }
  }
  if (broken()) {
    std::string().swap(buffer_);
  }
}

std::optional<Frame> FrameDecoder::next()
{
  if (broken() || buffer_.size() < kHeaderBytes || buffer_.size() < wanted_) {
    return std::nullopt;
  }
  Frame frame;
  frame.version = static_cast<std::uint16_t>(read(buffer_, kVersionAt, 2));
  frame.type = static_cast<std::uint16_t>(read(buffer_, kTypeAt, 2));
  frame.payload = buffer_.substr(kHeaderBytes);
  std::string().swap(buffer_);
  wanted_ = kHeaderBytes;
  return frame;
}

}  // namespace takt_control
