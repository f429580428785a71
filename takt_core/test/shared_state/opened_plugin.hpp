// A plug-in opened with private symbols, as class loaders do.
#ifndef SHARED_STATE__OPENED_PLUGIN_HPP_
#define SHARED_STATE__OPENED_PLUGIN_HPP_

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "shared_state/probe.hpp"

class OpenedPlugin
{
public:
  /// Ends the program with a message if the plug-in cannot be opened.
  explicit OpenedPlugin(const char * path) : handle_(::dlopen(path, RTLD_NOW | RTLD_LOCAL))
  {
    if (handle_ == nullptr) {
      std::fprintf(stderr, "%s\n", ::dlerror());
      std::abort();
    }
  }
  // The plug-in is never closed: its callbacks and thread-local variables may be in use until the
  // end.

  auto activations() const { return find<decltype(&probe_activations)>("probe_activations"); }
  auto executor() const { return find<decltype(&probe_executor)>("probe_executor"); }
  auto run() const { return find<decltype(&probe_run)>("probe_run"); }
  auto call_within() const { return find<decltype(&probe_call_within)>("probe_call_within"); }
  auto make_callback() const { return find<decltype(&probe_make_callback)>("probe_make_callback"); }
  auto mutex_waits() const { return find<decltype(&probe_mutex_waits)>("probe_mutex_waits"); }
  auto signals() const { return find<decltype(&probe_signals)>("probe_signals"); }

private:
  template <typename Function>
  Function find(const char * name) const
  {
    void * const symbol = ::dlsym(handle_, name);
    if (symbol == nullptr) {
      std::fprintf(stderr, "%s\n", ::dlerror());
      std::abort();
    }
    return reinterpret_cast<Function>(symbol);
  }

  void * handle_;
};

#endif  // SHARED_STATE__OPENED_PLUGIN_HPP_
