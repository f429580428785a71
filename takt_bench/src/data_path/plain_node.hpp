// A node of rcl alone, and checks of rcl's results. Set-up only.
#ifndef TAKT_BENCH__SRC__DATA_PATH__PLAIN_NODE_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__PLAIN_NODE_HPP_

#include <rcl/context.h>
#include <rcl/node.h>

namespace takt_bench::data_path
{

/// Throws std::runtime_error with `what` and rcl's sentence unless the result is good. Real-time
/// safe for a good result.
void need(rcl_ret_t result, const char * what);

/// For results without a remedy. Real-time safe.
void ignore(rcl_ret_t result) noexcept;

/// Has a context of its own, with the environment's domain.
class PlainNode
{
public:
  /// Throws std::runtime_error.
  explicit PlainNode(const char * name);
  ~PlainNode();
  PlainNode(const PlainNode &) = delete;
  PlainNode & operator=(const PlainNode &) = delete;

  rcl_node_t * node() noexcept { return &node_; }
  rcl_context_t * context() noexcept { return &context_; }

private:
  rcl_context_t context_ = rcl_get_zero_initialized_context();
  rcl_node_t node_ = rcl_get_zero_initialized_node();
};

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__PLAIN_NODE_HPP_
