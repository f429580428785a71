// The sizes of messages that the variant `shared` has: a message type of takt_rcl has its size at
// compile time.
#ifndef TAKT_BENCH__SRC__DATA_PATH__SHARED_SIZES_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__SHARED_SIZES_HPP_

#include <array>
#include <cstddef>

namespace takt_bench::data_path
{

inline constexpr std::array<std::size_t, 10> kSharedSizes{64,    256,    1024,    4096,    16384,
                                                          65536, 262144, 1048576, 4194304, 8388608};

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__SHARED_SIZES_HPP_
