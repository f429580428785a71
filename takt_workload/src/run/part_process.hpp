// One process of a split run, as the one that started it sees it.
#ifndef PART_PROCESS_HPP_
#define PART_PROCESS_HPP_

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "records/records.hpp"
#include "takt_rt/time.hpp"

namespace takt_workload
{

class PartProcess
{
public:
  /// Starts this program again with `arguments`, for part `part`; it will leave its record in `file`.
  /// `who` is what messages call it. Throws std::runtime_error. Call it from a thread that lives as
  /// long as the part is to: the part is told to end when that thread does.
  PartProcess(
    const std::vector<std::string> & arguments, int part, std::size_t domain,
    const std::string & file, std::string who);
  /// Ends it: politely, after a grace time not. Waits for that.
  ~PartProcess();
  PartProcess(const PartProcess &) = delete;
  PartProcess & operator=(const PartProcess &) = delete;

  /// The part's end of it is closed when it ends, however it ends.
  int channel() const noexcept { return channel_; }
  bool running() const noexcept { return pid_ > 0; }

  /// Asks it to end early and to leave what it has.
  void interrupt() const;
  /// Waits until it has ended; interrupts it, and kills it `patience` later.
  void end(takt_rt::Duration patience);
  /// Like `end`, without asking first: for a part whose channel is closed, or that was asked before.
  void reap(takt_rt::Duration patience);

  /// What went wrong, with `who`; empty if it ended as it should. Once it has ended.
  std::string failure() const;
  /// What it recorded; without a record, one that only says who failed. Once it has ended.
  ProcessRecord record() const;

private:
  bool ended_by(takt_rt::Time until);

  const int part_;
  const std::string file_;
  const std::string who_;
  pid_t pid_ = -1;
  int channel_ = -1;
  int status_ = 0;
  bool killed_ = false;  // by us
};

}  // namespace takt_workload

#endif  // PART_PROCESS_HPP_
