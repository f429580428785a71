// The corpus of deadlocks on takt_rcl.
#include <takt_rcl/takt_rcl.hpp>

namespace front = takt_rcl;
#include "deadlock_node.hpp"

int main(int argc, char ** argv)
{
  const deadlocks::Case * const one = deadlocks::case_of(argc, argv);
  if (one == nullptr) {
    return 64;
  }
  takt_rcl::init(argc, argv);
  takt_rcl::ExecutorOptions options;
  options.threads.resize(one->threads);
  takt_rcl::Executor executor(takt_rcl::default_context(), options);
  const auto node = std::make_shared<deadlocks::Node>(*one);
  executor.add_node(node);
  std::thread([&node] { node->drive(); }).detach();
  executor.spin();
}
