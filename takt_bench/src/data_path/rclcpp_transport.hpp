// Messages within one process by rclcpp's own ways: built where rclcpp is found.
#ifndef TAKT_BENCH__SRC__DATA_PATH__RCLCPP_TRANSPORT_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__RCLCPP_TRANSPORT_HPP_

#include <memory>

#include "data_path/transport.hpp"

namespace takt_bench::data_path
{

/// `rclcpp` and `rclcpp_pool`. An OneThreadMaker.
std::unique_ptr<OneThread> rclcpp_one_thread(const Setting & setting, Ledger & ledger);

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__RCLCPP_TRANSPORT_HPP_
