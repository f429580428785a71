// A message type of a given number of bytes, as rmw needs it. The middleware lends messages of
// plain types only, and ROS 2 has none of every size.
//
// The type is as a generated one of `uint8[N] data`. It has a description without fields, which
// nobody asks for. Set-up only. One size in a process: the first one.
#ifndef TAKT_BENCH__SRC__DATA_PATH__PLAIN_TYPE_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__PLAIN_TYPE_HPP_

#include <rosidl_runtime_c/message_type_support_struct.h>

#include <cstddef>

namespace takt_bench::data_path
{

/// For the Fast DDS family (rmw_fastrtps_cpp). Throws std::runtime_error for a second size.
const rosidl_message_type_support_t & plain_type(std::size_t size);

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__PLAIN_TYPE_HPP_
