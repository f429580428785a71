// The content of a message that is measured: its number in front and at its end, and when it was
// published.
//
// Real-time safe. Reads and writes 24 bytes of any alignment, whatever the message's size: a
// measurement shows what the transport does with a message, and not what programs do with its
// content.
#ifndef TAKT_BENCH__SRC__DATA_PATH__CONTENT_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__CONTENT_HPP_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "takt_rt/time.hpp"

namespace takt_bench::data_path
{

struct Content
{
  std::uint64_t number = 0;
  std::int64_t published_ns = 0;
  bool whole = false;  ///< the number at the end is the one in front
};

inline void write_number(void * message, std::size_t size, std::uint64_t number) noexcept
{
  auto * const bytes = static_cast<unsigned char *>(message);
  std::memcpy(bytes, &number, sizeof number);
  std::memcpy(bytes + size - sizeof number, &number, sizeof number);
}

/// Right before the publish.
inline void write_time(void * message) noexcept
{
  const std::int64_t now = takt_rt::to_ns(takt_rt::now());
  std::memcpy(static_cast<unsigned char *>(message) + sizeof(std::uint64_t), &now, sizeof now);
}

inline Content read_content(const void * message, std::size_t size) noexcept
{
  const auto * const bytes = static_cast<const unsigned char *>(message);
  Content content;
  std::uint64_t last = 0;
  std::memcpy(&content.number, bytes, sizeof content.number);
  std::memcpy(&content.published_ns, bytes + sizeof content.number, sizeof content.published_ns);
  std::memcpy(&last, bytes + size - sizeof last, sizeof last);
  content.whole = last == content.number;
  return content;
}

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__CONTENT_HPP_
