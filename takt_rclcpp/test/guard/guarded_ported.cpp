// The corpus on takt_rcl.
#include <takt_rcl/takt_rcl.hpp>

namespace front = takt_rcl;
#define GUARDED_LOG TAKT_INFO
#include "guarded_node.hpp"

int main(int argc, char ** argv)
{
  const guarded::Case * const one = guarded::case_of(argc, argv);
  if (one == nullptr) {
    return argc < 2 ? 0 : 64;
  }
  takt_rcl::init(argc, argv);
  guarded::prepare();
  {
    takt_rcl::Executor executor;
    const auto node = std::make_shared<guarded::Node>(*one, [&executor] { executor.cancel(); });
    executor.add_node(node);
    guarded::lock_memory();
    node->start();
    executor.spin();
  }
  guarded::clean_up();
  takt_rcl::shutdown();
}
