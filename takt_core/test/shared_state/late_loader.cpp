// A program without takt_core opens two plug-ins that are linked to it, after one of its threads
// was started. Exit code 0: both plug-ins see the same state, on both threads.
#include <cstdio>
#include <future>
#include <thread>

#include "shared_state/opened_plugin.hpp"

namespace
{

const OpenedPlugin * g_second = nullptr;
const void * g_seen = nullptr;

bool same_activations(const OpenedPlugin & first)
{
  g_seen = nullptr;
  const void * const open = first.call_within()([] { g_seen = g_second->activations()(); });
  return open != nullptr && g_seen == open && g_second->activations()() == nullptr;
}

}  // namespace

int main(int argc, char ** argv)
{
  if (argc != 3) {
    std::fprintf(stderr, "two plug-ins, please\n");
    return 2;
  }
  std::promise<const OpenedPlugin *> opened;
  std::promise<bool> same;
  std::thread early([&] { same.set_value(same_activations(*opened.get_future().get())); });
  const OpenedPlugin first(argv[1]);
  const OpenedPlugin second(argv[2]);
  g_second = &second;
  opened.set_value(&first);
  const bool same_there = same.get_future().get();
  early.join();
  const bool same_here = same_activations(first);
  const bool numbers_differ = first.make_callback()() != second.make_callback()();
  if (!same_there || !same_here || !numbers_differ) {
    std::fprintf(
      stderr, "same on the early thread: %d, on the main thread: %d, numbers differ: %d\n",
      same_there, same_here, numbers_differ);
    return 1;
  }
  return 0;
}
