// Starts one of the programs under test and collects what it says.
#ifndef PROGRAM_HPP_
#define PROGRAM_HPP_

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace takt_workload
{

class Program
{
public:
  explicit Program(std::vector<std::string> words)
  {
    int out[2];
    int err[2];
    if (pipe(out) != 0 || pipe(err) != 0) {
      return;
    }
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      dup2(err[1], STDERR_FILENO);
      close(out[0]);
      close(err[0]);
      std::vector<char *> argv;
      for (std::string & word : words) {
        argv.push_back(word.data());
      }
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(out[1]);
    close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  ~Program()
  {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(out_);
    close(err_);
  }

  void signal(int number) const { kill(pid_, number); }

  // Reads standard output until `text` was there; false if it ended before.
  bool wait_for(const std::string & text)
  {
    while (output.find(text) == std::string::npos) {
      if (!read_some(out_, output)) {
        return false;
      }
    }
    return true;
  }

  // The exit code, or minus the signal. Expects little on standard error.
  int finish()
  {
    while (read_some(out_, output)) {
    }
    while (read_some(err_, errors)) {
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  std::string output;
  std::string errors;

private:
  static bool read_some(int from, std::string & into)
  {
    char buffer[4096];
    const ssize_t count = read(from, buffer, sizeof buffer);
    into.append(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);
    return count > 0;
  }

  pid_t pid_ = 0;
  int out_ = -1;
  int err_ = -1;
};

}  // namespace takt_workload

#endif  // PROGRAM_HPP_
