// The node with known shares on takt_rcl: on one thread, or under the schedule of TAKT_SCHEDULE.
#include <takt_rcl/takt_rcl.hpp>

namespace front = takt_rcl;
#include "audited_node.hpp"

int main(int argc, char ** argv)
{
  takt_rcl::init(argc, argv);
  takt_rcl::spin(std::make_shared<audited::Node>([] { takt_rcl::shutdown(); }));
  takt_rcl::shutdown();
}
