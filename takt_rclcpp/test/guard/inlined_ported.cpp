// The cases of inlined.hpp on takt_rcl.
#include <takt_rcl/takt_rcl.hpp>

namespace front = takt_rcl;
#define GUARDED_LOG TAKT_INFO
#define GUARDED_TIMER_ARGUMENTS takt_rcl::Timer &, const takt_rcl::TimerInfo &
#include "inlined_node.hpp"

int main(int argc, char ** argv)
{
  if (argc < 2) {
    return 64;
  }
  takt_rcl::init(argc, argv);
  guarded::run_node<takt_rcl::Executor, guarded::InlinedNode>(argv[1]);
  takt_rcl::shutdown();
}
