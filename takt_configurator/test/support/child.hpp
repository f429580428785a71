// Runs a function in a child process, as this user or as a user without rights.
//
// Call it only while the test has no other threads.
#ifndef SUPPORT__CHILD_HPP_
#define SUPPORT__CHILD_HPP_

#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>

namespace takt_configurator::test
{

inline constexpr uid_t kNobody = 65534;

/// Gives up root and all limits that grant real-time priorities.
inline bool become(uid_t user)
{
  const rlimit none{0, 0};
  for (const auto resource : {RLIMIT_RTPRIO, RLIMIT_NICE}) {
    if (::setrlimit(resource, &none) != 0) {
      return false;
    }
  }
  return ::setgroups(0, nullptr) == 0 && ::setresgid(user, user, user) == 0 &&
         ::setresuid(user, user, user) == 0;
}

/// A child process that writes what its function returns into a pipe, then ends.
class Child
{
public:
  explicit Child(const std::function<std::string()> & function)
  {
    int ends[2];
    if (::pipe(ends) != 0) {
      return;
    }
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(ends[0]);
      const std::string text = function();
      ::_exit(
        ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 2);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  Child(const Child &) = delete;
  Child & operator=(const Child &) = delete;
  ~Child()
  {
    ::close(output_);
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }

  pid_t pid() const { return pid_; }

  /// Waits for the child's end.
  std::string result()
  {
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(output_, buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(count));
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status == 0 ? text : text + "(the child failed: " + std::to_string(status) + ")";
  }

private:
  pid_t pid_ = -1;
  int output_ = -1;
};

inline std::string in_child_as(uid_t user, const std::function<std::string()> & function)
{
  return Child([&]() -> std::string {
           return become(user) ? function() : "could not become another user";
         })
    .result();
}

}  // namespace takt_configurator::test

#endif  // SUPPORT__CHILD_HPP_
