// Faults within a library of the program.
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "faults.hpp"

namespace guarded
{

extern std::mutex & held_mutex();

namespace
{
std::vector<int> g_values;
volatile double g_sum = 0;
}  // namespace

__attribute__((noinline)) void allocate_in_library()
{
  std::vector<int>(100).swap(g_values);
}
__attribute__((noinline)) void lock_in_library()
{
  const std::lock_guard lock(held_mutex());
  g_sum = 1;
}
__attribute__((noinline)) void print_in_library()
{
  std::puts("from the library");
}
__attribute__((noinline)) void compute_in_library()
{
  for (int i = 0; i < 100; ++i) {
    g_sum = g_sum + i;
  }
}

}  // namespace guarded
