// The content of test messages: every word follows from the message's number, so a torn or foreign
// message is seen.
#ifndef SUPPORT__CONTENT_HPP_
#define SUPPORT__CONTENT_HPP_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace takt_channel_test
{

inline std::uint64_t word_of(std::uint64_t number, std::size_t index)
{
  return (number + 1) * 0x9E3779B97F4A7C15U ^ index;
}

inline void write_content(std::byte * data, std::size_t size, std::uint64_t number)
{
  for (std::size_t i = 0; (i + 1) * sizeof(std::uint64_t) <= size; ++i) {
    const std::uint64_t word = word_of(number, i);
    std::memcpy(data + i * sizeof word, &word, sizeof word);
  }
}

inline bool has_content(const std::byte * data, std::size_t size, std::uint64_t number)
{
  for (std::size_t i = 0; (i + 1) * sizeof(std::uint64_t) <= size; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + i * sizeof word, sizeof word);
    if (word != word_of(number, i)) {
      return false;
    }
  }
  return true;
}

}  // namespace takt_channel_test

#endif  // SUPPORT__CONTENT_HPP_
