#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "ros_test.hpp"
#include "takt_host/private_domain.hpp"

namespace takt_rcl::test
{

void own_domain()
{
  // Children inherit the domain through the environment, but do not hold it.
  static const takt_host::PrivateDomain domain;
  ::setenv("ROS_DOMAIN_ID", std::to_string(domain.id()).c_str(), 1);
}

}  // namespace takt_rcl::test

int main(int argc, char ** argv)
{
  ::testing::InitGoogleTest(&argc, argv);
  takt_rcl::test::own_domain();
  ::setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 0);
  ::unsetenv("ROS_STATIC_PEERS");
  return RUN_ALL_TESTS();
}
