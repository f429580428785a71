// Runs a function in a child process without rights: another user, no capabilities, and zero
// RLIMIT_RTPRIO, RLIMIT_NICE and RLIMIT_MEMLOCK.
//
// For tests of refusals. Call it while the test has no other threads.
#ifndef UNPRIVILEGED_CHILD_HPP_
#define UNPRIVILEGED_CHILD_HPP_

#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>

namespace takt_rt::test
{

inline constexpr uid_t kNobody = 65534;

/// Gives up root and all capabilities, and becomes `user`; does nothing for any other user.
inline bool become(uid_t user)
{
  return ::geteuid() != 0 ||
         (::setgroups(0, nullptr) == 0 && ::setresgid(kNobody, kNobody, kNobody) == 0 &&
          ::setresuid(user, user, user) == 0);
}
inline bool become_nobody()
{
  return become(kNobody);
}

/// The result of `function` in a child process; empty if the child could not be made or died.
template <typename Function>
std::optional<std::string> in_child(Function function)
{
  int ends[2];
  if (::pipe(ends) != 0) {
    return std::nullopt;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const std::string text = function();
    const auto size = static_cast<ssize_t>(text.size());
    ::_exit(::write(ends[1], text.data(), text.size()) == size ? 0 : 2);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[512];
  for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) {
    return std::nullopt;
  }
  return text;
}

/// As above, in a child without rights. Root's child becomes `user`.
template <typename Function>
std::optional<std::string> in_unprivileged_child(Function function, uid_t user = kNobody)
{
  return in_child([&function, user]() -> std::string {
    const rlimit none{0, 0};
    for (const auto resource : {RLIMIT_RTPRIO, RLIMIT_NICE, RLIMIT_MEMLOCK}) {
      if (::setrlimit(resource, &none) != 0) {
        return "could not lower a resource limit";
      }
    }
    return become(user) ? function() : "could not become user " + std::to_string(user);
  });
}

}  // namespace takt_rt::test

#endif  // UNPRIVILEGED_CHILD_HPP_
