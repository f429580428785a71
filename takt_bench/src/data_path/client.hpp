// Contexts, nodes and executors of takt_rcl for measurements. Set-up only.
#ifndef TAKT_BENCH__SRC__DATA_PATH__CLIENT_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__CLIENT_HPP_

#include <memory>

#include "data_path/ledger.hpp"
#include "data_path/setting.hpp"
#include "takt_rcl/takt_rcl.hpp"

namespace takt_bench::data_path
{

/// The node of a receiver, and the timer of a publisher in one thread.
inline constexpr const char * kNode = "data_path";
inline constexpr const char * kTimer = "publish";

/// A context without signal handlers and logging.
std::shared_ptr<takt_rcl::Context> make_context();
/// Without /rosout and parameter services.
takt_rcl::NodeOptions node_options(
  const std::shared_ptr<takt_rcl::Context> & context, const Setting & setting);
/// One executor thread with the attributes of that side. With Variant::direct publisher and
/// receiver are a sequence. Throws std::exception.
takt_rcl::Executor make_executor(
  const std::shared_ptr<takt_rcl::Context> & context, const Setting & setting, Side side);
/// Says that the receiver takes messages, and spins until the publisher has ended. Blocks.
void spin_as_receiver(takt_rcl::Executor & executor, Ledger & ledger);

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__CLIENT_HPP_
