// A kernel without locks of open files, as that of some sandboxes: a channel is refused, and its
// opening does not wait for a lock that never comes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "support/hang.hpp"
#include "support/peer.hpp"
#include "takt_channel/channel.hpp"

namespace takt_channel
{
namespace
{

constexpr int kNotHere = 2;
constexpr int kWrong = 3;

// From here on, the kernel gives this process no lock of an open file.
bool refuse_locks()
{
  sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 4),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[1])),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLKW, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(Locks, WithoutThemAChannelIsRefused)
{
  Options options;
  options.name = takt_channel_test::fresh_name();
  options.max_size = 64;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(static_cast<unsigned>(takt_channel_test::kPatience.count()));
    if (!refuse_locks()) {
      ::_exit(kNotHere);
    }
    const auto publisher = Publisher::open(options);
    const bool told = publisher.refusal == Refusal::failed && publisher.faults.size() == 1 &&
                      to_string(publisher.faults[0]).find("Invalid argument") != std::string::npos;
    ::_exit(told ? EXIT_SUCCESS : kWrong);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "it waits for a lock; signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == kNotHere) {
    GTEST_SKIP() << "a process may not refuse itself system calls here";
  }
  EXPECT_EQ(WEXITSTATUS(status), EXIT_SUCCESS);
}

}  // namespace
}  // namespace takt_channel
