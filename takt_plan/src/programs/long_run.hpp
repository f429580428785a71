// What a program says while it works for long, and when it is interrupted.
#ifndef TAKT_PLAN__SRC__PROGRAMS__LONG_RUN_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__LONG_RUN_HPP_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace takt_plan::program
{

/// From here on Ctrl-C (SIGINT) ends the program at once with one sentence and exit code 130. For programs
/// that have written nothing yet; `writing_now` takes it back.
void end_when_interrupted(const char * program);
/// The program begins to write its results: Ctrl-C just ends it.
void writing_now();

/// While it lives Ctrl-C waits for its end. From then on `end_when_interrupted` says that `file` has the best result until
/// then. One at a time.
class EarlyWriting
{
public:
  EarlyWriting(const char * program, const std::string & file);
  ~EarlyWriting();
  EarlyWriting(const EarlyWriting &) = delete;
  EarlyWriting & operator=(const EarlyWriting &) = delete;

private:
  std::string words_;
};

/// Says on the error output what the program is at: "takt_plan: planning, 12 s". On a terminal one line
/// changes each second. Elsewhere, as in the pipe to the takt command, a new line follows after 1, 2, 4, 8,
/// ... s. It says nothing before the program has worked for a second of processor time. Starts a thread;
/// may block.
class Progress
{
public:
  /// `program` must stay.
  Progress(const char * program, std::string what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress & operator=(const Progress &) = delete;

  /// What it is at now. Any thread; waits while a line is written.
  void now(std::string what);

private:
  void run();

  const char * const program_;
  std::mutex mutex_;
  std::string what_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__LONG_RUN_HPP_
