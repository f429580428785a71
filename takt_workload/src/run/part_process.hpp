// One process of a split run, seen from the process that started it.
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
  /// Starts this program again with `arguments` for the part `part`, which writes its record into
  /// `file`. `who`: the part's name in messages. Throws std::runtime_error. The calling thread must
  /// live as long as the part: the kernel tells the part to end when this thread ends.
  PartProcess(
    const std::vector<std::string> & arguments, int part, std::size_t domain,
    const std::string & file, std::string who);
  /// Asks the part to end, kills it after a grace time, and waits for it.
  ~PartProcess();
  PartProcess(const PartProcess &) = delete;
  PartProcess & operator=(const PartProcess &) = delete;

  /// The part's end of the channel closes when the part ends, for any reason.
  int channel() const noexcept { return channel_; }
  bool running() const noexcept { return pid_ > 0; }

  /// Asks the part to end early and to write its record.
  void interrupt() const;
  /// Waits for the part's end: asks it to end, and kills it after `patience`.
  void end(takt_rt::Duration patience);
  /// As `end`, without asking. For a part whose channel is closed, or that was asked before.
  void reap(takt_rt::Duration patience);

  /// A sentence that begins with `who`; empty if the part ended normally. Call after its end.
  std::string failure() const;
  /// The part's record. If there is none: a record with only an error. Call after its end.
  ProcessRecord record() const;

private:
  bool ended_by(takt_rt::Time until);

  const int part_;
  const std::string file_;
  const std::string who_;
  pid_t pid_ = -1;
  int channel_ = -1;
  int status_ = 0;
  bool killed_ = false;  // this process killed it
};

}  // namespace takt_workload

#endif  // PART_PROCESS_HPP_
