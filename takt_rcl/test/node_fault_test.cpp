// A node that cannot be made leaves no entity in the middleware.
#include <dlfcn.h>
#include <rcl/arguments.h>
#include <rcl/node.h>

#include "ros_test.hpp"

namespace
{

int nodes_made = 0;
int nodes_ended = 0;
bool overrides_fail = false;

template <typename Function>
Function real(const char * name)
{
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// These functions replace those of the middleware.
extern "C" rcl_ret_t rcl_node_init(
  rcl_node_t * node, const char * name, const char * space, rcl_context_t * context,
  const rcl_node_options_t * options)
{
  const rcl_ret_t result =
    real<decltype(&rcl_node_init)>("rcl_node_init")(node, name, space, context, options);
  nodes_made += result == RCL_RET_OK ? 1 : 0;
  return result;
}

extern "C" rcl_ret_t rcl_node_fini(rcl_node_t * node)
{
  ++nodes_ended;
  return real<decltype(&rcl_node_fini)>("rcl_node_fini")(node);
}

extern "C" rcl_ret_t rcl_arguments_get_param_overrides(
  const rcl_arguments_t * arguments, rcl_params_t ** overrides)
{
  if (overrides_fail) {
    return RCL_RET_ERROR;
  }
  return real<decltype(&rcl_arguments_get_param_overrides)>("rcl_arguments_get_param_overrides")(
    arguments, overrides);
}

namespace takt_rcl::test
{

class NodeFault : public RosTest
{
};

TEST_F(NodeFault, OfParametersThatCannotBeReadEndsTheMiddlewaresNode)
{
  node("good").reset();
  ASSERT_EQ(nodes_made, 1);
  ASSERT_EQ(nodes_ended, 1);
  overrides_fail = true;
  EXPECT_THROW(node("bad"), Error);
  overrides_fail = false;
  EXPECT_EQ(nodes_made, 2);
  EXPECT_EQ(nodes_ended, 2);
}

}  // namespace takt_rcl::test
