#include "target.hpp"

#include <string>

namespace takt_configurator
{

takt_rt::Result<Target> find_target(const Peer & peer, pid_t own_tid, const ProcessTable & table)
{
  using takt_rt::Faults;
  if (!peer.is_there(table)) {
    return Faults{"the process that connected has ended; connect again"};
  }
  const auto tid = table.find_thread(peer.pid, own_tid);
  Target target;
  if (tid) {
    // Open this before the start time is read: a later thread with the same id then shows in one of
    // them.
    target.thread = table.watch_thread(*tid);
  }
  const auto start = tid ? table.start_time(peer.pid, *tid) : std::nullopt;
  if (!start) {
    return Faults{
      "thread " + std::to_string(own_tid) + " is not a thread of the process that asks (" +
      std::to_string(peer.pid) + ")"};
  }
  target.key = {peer.pid, *tid, *start};
  if (table.user(peer.pid, *tid) != peer.uid) {
    return Faults{
      "the thread does not run as user " + std::to_string(peer.uid) +
      ", as which its process connected; connect again"};
  }
  return target;
}

bool is_same(const Peer & peer, const Target & target, const ProcessTable & table)
{
  return !target.thread.ended() &&
         table.start_time(target.key.pid, target.key.tid) == target.key.start_time &&
         peer.is_there(table);
}

}  // namespace takt_configurator
