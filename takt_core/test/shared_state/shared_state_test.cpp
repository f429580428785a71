// The state of a thread or a process exists once for all users of takt_core in it: the program,
// plug-ins with private symbols, and a preloaded library.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "shared_state/opened_plugin.hpp"
#include "takt_core/activation.hpp"
#include "takt_core/adapter/stop_signals.hpp"
#include "takt_core/executor.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core::test
{
namespace
{

const OpenedPlugin & plugin()
{
  static const OpenedPlugin opened(TAKT_PLUGIN_A);
  return opened;
}

class Look : public Callback
{
public:
  explicit Look(Executor & executor) : Callback(CallbackOptions{}), executor_(executor) {}
  void run(const Run & run) override
  {
    EXPECT_EQ(plugin().run()(), &run);
    EXPECT_EQ(plugin().activations()(), &run.activations);
    EXPECT_EQ(plugin().executor()(), &executor_);
    looked = true;
    executor_.cancel();
  }
  bool looked = false;

private:
  Executor & executor_;
};

TEST(SharedState, APlugInSeesWhatRunsOnTheProgramsThread)
{
  EXPECT_EQ(plugin().run()(), nullptr);
  auto executor = Executor::create();
  ASSERT_TRUE(executor.ok());
  auto look = std::make_shared<Look>(*executor.value());
  ASSERT_TRUE(executor.value()->add(look).ok());
  executor.value()->ready(*look);
  EXPECT_TRUE(executor.value()->spin().faults.empty());
  EXPECT_TRUE(look->looked);
}

const void * g_seen = nullptr;

TEST(SharedState, TheProgramSeesTheActivationsOfAPlugIn)
{
  const void * const open = plugin().call_within()([] { g_seen = current_activations(); });
  ASSERT_NE(open, nullptr);
  EXPECT_EQ(g_seen, open);
  EXPECT_EQ(current_activations(), nullptr);
}

TEST(SharedState, CallbackNumbersAreUniqueAcrossProgramAndPlugIn)
{
  auto executor = Executor::create();
  ASSERT_TRUE(executor.ok());
  const Look first(*executor.value());
  const std::uint32_t theirs = plugin().make_callback()();
  const Look second(*executor.value());
  EXPECT_NE(theirs, first.number());
  EXPECT_NE(theirs, second.number());
}

TEST(SharedState, SignalsAreCountedOnce)
{
  adapter::stop_signals::acquire();
  const std::uint64_t before = plugin().signals()();
  ::raise(SIGINT);
  adapter::stop_signals::release();
  EXPECT_EQ(plugin().signals()(), before + 1);
}

TEST(SharedState, APlugInSeesThatTheProgramsMutexWasWaitedFor)
{
  const std::uint64_t before = plugin().mutex_waits()();
  PiMutex mutex;
  mutex.lock();
  std::thread waiting([&] { const std::lock_guard lock(mutex); });
  while (plugin().mutex_waits()() == before) {
    std::this_thread::yield();
  }
  mutex.unlock();
  waiting.join();
  EXPECT_EQ(plugin().mutex_waits()(), PiMutex::waits());
}

int run_late_loader(const std::string & environment)
{
  const std::string command =
    environment + " '" TAKT_LATE_LOADER "' '" TAKT_PLUGIN_A "' '" TAKT_PLUGIN_B "'";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SharedState, PlugInsOfAProgramWithoutTaktShareTheLibraryThatIsLoadedLate)
{
  EXPECT_EQ(run_late_loader(""), 0);
}

// AddressSanitizer's runtime, if this program has one: it must precede every other library.
std::string sanitizer_runtime()
{
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/libasan.so") != std::string::npos) {
      return line.substr(line.find('/')) + ":";
    }
  }
  return "";
}

TEST(SharedState, PlugInsShareAPreloadedLibrary)
{
  const std::string preload = sanitizer_runtime() + TAKT_CORE_LIBRARY;
  EXPECT_EQ(run_late_loader("LD_PRELOAD=\"${LD_PRELOAD:+$LD_PRELOAD:}" + preload + "\""), 0);
}

}  // namespace
}  // namespace takt_core::test
