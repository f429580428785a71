// The messages of a program that works for long, and its message when the user interrupts it.
#ifndef TAKT_PLAN__SRC__PROGRAMS__LONG_RUN_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__LONG_RUN_HPP_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace takt_plan::program
{

/// From this call on, Ctrl-C (SIGINT) ends the program at once with one sentence and exit code 130.
/// For programs that have written nothing yet. `writing_now` ends this.
void end_when_interrupted(const char * program);
/// Call before the program writes its results. Ctrl-C then ends it without a sentence.
void writing_now();

/// While it lives, Ctrl-C takes effect at its destruction. After that, the sentence of
/// `end_when_interrupted` says that `file` has the best result so far. One at a time.
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

/// Tells on the error output what the program does: "takt_plan: planning, 12 s". On a terminal one
/// line changes each second. Elsewhere, as in the pipe to the takt command, a new line follows
/// after 1, 2, 4, 8, ... s. It writes nothing before the program has used a second of CPU time.
/// Starts a thread; may block.
class Progress
{
public:
  /// `program` must outlive it.
  Progress(const char * program, std::string what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress & operator=(const Progress &) = delete;

  /// Changes the activity that it tells. Any thread; waits while a line is written.
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
