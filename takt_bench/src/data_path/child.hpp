// A child process of a measurement: one side of the messages, or both.
#ifndef TAKT_BENCH__SRC__DATA_PATH__CHILD_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__CHILD_HPP_

#include <sys/types.h>

#include "data_path/ledger.hpp"
#include "data_path/setting.hpp"
#include "takt_rt/time.hpp"

namespace takt_bench::data_path
{

/// Forks. The child runs its side and exits without coming back; it ends with its parent, and
/// leaves the reason of a failure in the ledger. -1: the kernel refuses. The caller has one thread
/// only.
pid_t start_child(const Setting & setting, Ledger & ledger, Side side);

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__CHILD_HPP_
