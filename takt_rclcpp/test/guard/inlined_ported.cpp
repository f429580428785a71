// The cases of inlined.hpp on takt_rcl.
#include <takt_rcl/takt_rcl.hpp>

namespace front = takt_rcl;
#define GUARDED_LOG TAKT_INFO
#include "inlined_node.hpp"

int main(int argc, char ** argv)
{
  if (argc < 2) {
    return 64;
  }
  takt_rcl::init(argc, argv);
  {
    takt_rcl::Executor executor;
    const auto node =
      std::make_shared<guarded::InlinedNode>(argv[1], [&executor] { executor.cancel(); });
    executor.add_node(node);
    guarded::lock_memory();
    node->start();
    executor.spin();
  }
  takt_rcl::shutdown();
}
