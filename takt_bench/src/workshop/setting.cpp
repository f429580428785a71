#include "workshop/setting.hpp"

namespace takt_bench::workshop
{

const std::vector<Exercise> & exercises()
{
  static const std::vector<Exercise> all{
    {"1", {"other", "fifo", "raw_other", "raw_fifo"}},
    {"2-1", {"mutex", "atomic"}},
    {"2-2", {"mutex", "pi_mutex", "latest", "try_lock", "compare_and_swap"}},
    {"2-3", {"mutex", "ring"}},
    {"3-1", {}},
    {"3-2", {}},
    {"4-1", {}},
    {"4-2", {}}};
  return all;
}

}  // namespace takt_bench::workshop
