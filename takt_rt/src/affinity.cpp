#include "affinity.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace takt_rt::detail
{
namespace
{

// cpu_set_t ends at 1024 cores; a plain array of its words does not.
using Word = unsigned long;  // NOLINT: the kernel's type
constexpr int kWordBits = static_cast<int>(sizeof(Word) * CHAR_BIT);
constexpr std::size_t kLargestMask = 1U << 16U;

}  // namespace

std::vector<int> read_affinity(pid_t tid)
{
  std::vector<Word> mask(CPU_SETSIZE / kWordBits);
  while (::sched_getaffinity(
           tid, mask.size() * sizeof(Word), reinterpret_cast<cpu_set_t *>(mask.data())) != 0) {
    // EINVAL: the machine has more cores than the mask has bits.
    if (errno != EINVAL || mask.size() >= kLargestMask) {
      return {};
    }
    mask.assign(mask.size() * 2, 0);
  }
  std::vector<int> cores;
  for (std::size_t word = 0; word < mask.size(); ++word) {
    for (int bit = 0; bit < kWordBits; ++bit) {
      if (((mask[word] >> bit) & 1U) != 0) {
        cores.push_back(static_cast<int>(word) * kWordBits + bit);
      }
    }
  }
  return cores;
}

int write_affinity(pid_t tid, const std::vector<int> & cores)
{
  if (cores.empty() || std::any_of(cores.begin(), cores.end(), [](int c) { return c < 0; })) {
    return EINVAL;
  }
  const int highest = *std::max_element(cores.begin(), cores.end());
  if (static_cast<std::size_t>(highest) / kWordBits >= kLargestMask) {
    return EINVAL;
  }
  std::vector<Word> mask(static_cast<std::size_t>(highest) / kWordBits + 1);
  for (const int core : cores) {
    mask[static_cast<std::size_t>(core) / kWordBits] |= Word{1} << (core % kWordBits);
  }
  return ::sched_setaffinity(
           tid, mask.size() * sizeof(Word), reinterpret_cast<const cpu_set_t *>(mask.data())) == 0
           ? 0
           : errno;
}

}  // namespace takt_rt::detail
