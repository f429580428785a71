// refuse_membarrier PROGRAM [ARGUMENT]...
//
// Runs the program with a filter of system calls under which membarrier(2) fails, as on a kernel
// without it. Exit code 77 if this machine has no such filters.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>

namespace
{

bool refuse_membarrier()
{
  std::array<sock_filter, 4> code{{
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{static_cast<unsigned short>(code.size()), code.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

int main(int argc, char ** argv)
{
  if (argc < 2) {
    std::fputs("usage: refuse_membarrier PROGRAM [ARGUMENT]...\n", stderr);
    return 2;
  }
  if (!refuse_membarrier()) {
    std::perror("refuse_membarrier: the kernel takes no filter of system calls");
    return 77;
  }
  if (::syscall(SYS_membarrier, 0, 0, 0) != -1) {
    std::fputs("refuse_membarrier: membarrier still works\n", stderr);
    return 1;
  }
  ::execv(argv[1], argv + 1);
  std::perror(argv[1]);
  return 1;
}
