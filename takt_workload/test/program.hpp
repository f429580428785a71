// Starts a program under test, and collects its output and its files.
#ifndef PROGRAM_HPP_
#define PROGRAM_HPP_

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace takt_workload
{

/// Rights of a program under test: those of the test, or no right to raise a thread's priority.
enum class Rights
{
  own,
  none
};

class Program
{
public:
  explicit Program(std::vector<std::string> words, Rights rights = Rights::own)
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
      if (rights == Rights::none) {
        give_up_rights();
      }
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

  // Ids of the program's child processes that run now and have called exec.
  std::vector<pid_t> children() const
  {
    std::vector<pid_t> found;
    for (const auto & entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) {
        continue;
      }
      std::ifstream stat(entry.path() / "stat");
      std::ifstream words(entry.path() / "cmdline");
      std::string text;
      std::string command;
      std::getline(stat, text);
      std::getline(words, command);
      // The line is "pid (name) state parent". The name may contain any character.
      const auto after = text.rfind(") ");
      if (
        after != std::string::npos && text.size() > after + 4 &&
        std::atoi(text.c_str() + after + 4) == pid_ &&
        command.find("--part") != std::string::npos) {
        found.push_back(std::stoi(name));
      }
    }
    return found;
  }

  // Waits until the program has `count` child processes, which start one after the other.
  std::vector<pid_t> wait_for_children(std::size_t count) const
  {
    std::vector<pid_t> found;
    for (int tries = 0; tries < 10'000 && found.size() < count; ++tries) {
      found = children();
      if (found.size() < count) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    return found;
  }

  // Reads until `text` was on standard output. False if the output ended before.
  bool wait_for(const std::string & text)
  {
    while (output.find(text) == std::string::npos) {
      if (out_ < 0) {
        return false;
      }
      read_some();
    }
    return true;
  }

  // The exit code, or minus the signal.
  int finish()
  {
    while (out_ >= 0 || err_ >= 0) {
      read_some();
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  std::string output;
  std::string errors;

private:
  // After exec, root has the rights of its bounding set. Other users have no rights from the start.
  static void give_up_rights()
  {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_RTPRIO, &none);
    setrlimit(RLIMIT_NICE, &none);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    prctl(PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0);
  }

  // Reads from any stream that has data. A program that cannot write to one stream waits, and
  // closes neither stream.
  void read_some()
  {
    pollfd streams[] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};  // poll ignores descriptors below 0
    if (poll(streams, 2, -1) > 0) {
      take(streams[0], out_, output);
      take(streams[1], err_, errors);
    }
  }

  static void take(const pollfd & stream, int & from, std::string & into)
  {
    if (stream.revents == 0) {
      return;
    }
    char buffer[4096];
    const ssize_t count = read(from, buffer, sizeof buffer);
    if (count > 0) {
      into.append(buffer, static_cast<std::size_t>(count));
    } else {
      close(from);
      from = -1;
    }
  }

  pid_t pid_ = 0;
  int out_ = -1;
  int err_ = -1;
};

using nlohmann::json;

/// A directory for the files of a test's programs.
class Programs : public ::testing::Test
{
protected:
  Programs()
  {
    std::string name = (std::filesystem::temp_directory_path() / "takt_test.XXXXXX").string();
    directory = mkdtemp(name.data());
  }
  ~Programs() override { std::filesystem::remove_all(directory); }

  std::string file(const std::string & name) const { return (directory / name).string(); }
  json results() const { return json::parse(std::ifstream(file("results.json"))); }

  std::filesystem::path directory;
};

}  // namespace takt_workload

#endif  // PROGRAM_HPP_
