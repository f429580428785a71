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
  guarded::run_node<takt_rcl::Executor, guarded::Node>(*one);
  guarded::clean_up();
  takt_rcl::shutdown();
}
