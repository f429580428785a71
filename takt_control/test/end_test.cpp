// The control socket ends while an alarm wakes its thread. This program defines read() and write()
// itself, so that the thread reads its wake-up only after the end was announced, too.
#include <gtest/gtest.h>

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "connected.hpp"
#include "takt_control/control_server.hpp"
#include "takt_core/executor.hpp"
#include "takt_rt/futex.hpp"

namespace
{

enum State : std::uint32_t
{
  kPasses,
  kArmed,
  kReads,
  kAnnounced
};
std::atomic<std::uint32_t> g_state{kPasses};

void go_to(State state)
{
  g_state.store(state);
  takt_rt::futex_wake(g_state, 1);
}

void wait_while(State state)
{
  while (g_state.load() == state) {
    takt_rt::futex_wait(g_state, state);
  }
}

}  // namespace

extern "C" ssize_t read(int fd, void * bytes, size_t count)
{
  if (count == sizeof(std::uint64_t) && g_state.load() == kArmed) {
    go_to(kReads);
    wait_while(kReads);
  }
  return ::syscall(SYS_read, fd, bytes, count);
}

extern "C" ssize_t write(int fd, const void * bytes, size_t count)
{
  const bool announces = count == sizeof(std::uint64_t) && g_state.load() == kReads;
  const ssize_t written = ::syscall(SYS_write, fd, bytes, count);
  if (announces) {
    go_to(kAnnounced);
  }
  return written;
}

namespace takt_control
{
namespace
{

// If this test hangs, the thread missed its end.
TEST(ControlSocket, ends_when_its_end_and_an_alarm_wake_its_thread_at_once)
{
  std::string folder = testing::TempDir() + "takt_end.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ::setenv("TAKT_RUNTIME_DIR", folder.c_str(), 1);
  const auto executor = std::move(*takt_core::Executor::create());
  auto exposure = expose({executor.get(), "main", "", {}, {}, {}, {}});
  ASSERT_TRUE(exposure.ok());
  Connected subscriber(folder + "/" + std::to_string(::getpid()) + ".sock");
  subscriber.ask(MessageType::subscribe);

  g_state.store(kArmed);
  tell_subscribers(R"({"kind": "stall"})");
  wait_while(kArmed);
  exposure->reset();
  EXPECT_EQ(g_state.load(), kAnnounced);

  const auto alarm = subscriber.receive();
  ASSERT_TRUE(alarm);
  EXPECT_EQ(alarm->second["kind"], "stall");
  ::unsetenv("TAKT_RUNTIME_DIR");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace takt_control
