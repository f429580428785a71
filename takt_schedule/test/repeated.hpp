// The text of very many entries.
#ifndef TAKT_SCHEDULE__TEST__REPEATED_HPP_
#define TAKT_SCHEDULE__TEST__REPEATED_HPP_

#include <string>

namespace takt_schedule::test
{

constexpr int kMany = 100'000;

/// `entry` of "0", "1" and so on, one after the other.
template <typename Entry>
std::string repeated(int times, const Entry & entry)
{
  std::string text;
  for (int i = 0; i < times; ++i) {
    text += entry(std::to_string(i));
  }
  return text;
}

}  // namespace takt_schedule::test

#endif  // TAKT_SCHEDULE__TEST__REPEATED_HPP_
