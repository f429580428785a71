// A plug-in that uses takt_core, as a component or a preloaded library does.
#include <memory>
#include <vector>

#include "shared_state/probe.hpp"
#include "takt_core/activation.hpp"
#include "takt_core/adapter/stop_signals.hpp"
#include "takt_core/callback.hpp"
#include "takt_core/executor.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace
{

class Nothing : public takt_core::Callback
{
public:
  Nothing() : Callback(takt_core::CallbackOptions{}) {}
  void run(const takt_core::Run &) override {}
};

}  // namespace

const void * probe_activations()
{
  return takt_core::current_activations();
}

const void * probe_executor()
{
  return takt_core::current_executor();
}

const void * probe_run()
{
  return takt_core::current_run();
}

const void * probe_call_within(void (*function)())
{
  static const takt_core::ActivationSet activations;
  const takt_core::ActivationScope scope(activations);
  function();
  return &activations;
}

std::uint32_t probe_make_callback()
{
  static std::vector<std::unique_ptr<Nothing>> made;
  made.push_back(std::make_unique<Nothing>());
  return made.back()->number();
}

std::uint64_t probe_signals()
{
  return takt_core::adapter::stop_signals::count();
}

std::uint64_t probe_mutex_waits()
{
  return takt_rt::PiMutex::waits();
}
