// Which threads have attributes that the daemon granted, for the bounds that rules set on all threads of a user.
//
// One thread at a time. Allocates; may block (reads /proc).
#ifndef TAKT_CONFIGURATOR__SRC__LEDGER_HPP_
#define TAKT_CONFIGURATOR__SRC__LEDGER_HPP_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "kernel.hpp"
#include "process_table.hpp"
#include "takt_rt/attributes.hpp"

namespace takt_configurator
{

/// One thread, and no later one that has its id.
struct ThreadKey
{
  pid_t pid = 0;
  pid_t tid = 0;
  std::uint64_t start_time = 0;

  friend auto operator<=>(const ThreadKey &, const ThreadKey &) = default;
};

/// What a user or all users hold together.
struct Holdings
{
  int threads = 0;
  double bandwidth = 0.0;  ///< of deadline threads, in cores
};

/// Share of one core that a deadline thread reserves; 0 for others.
double bandwidth_of(const takt_rt::ThreadAttributes & attributes);

/// True for attributes that need a right: fifo, rr, deadline, and nice values below 0.
bool counts(const takt_rt::ThreadAttributes & attributes);

class Ledger
{
public:
  /// `attributes`: what the thread has now. Attributes that do not count remove the thread.
  void set(const ThreadKey & thread, uid_t user, const takt_rt::ThreadAttributes & attributes);

  /// Of `user`, or of all users, without `except`.
  Holdings of(uid_t user, const ThreadKey & except) const;
  Holdings of_all(const ThreadKey & except) const;

  /// Removes threads, of `user` or of all, that ended or gave up what they had.
  void purge(
    const ProcessTable & table, const Kernel & kernel, std::optional<uid_t> user = std::nullopt);

  /// Adds threads of all users but root that have such attributes already: granted by a daemon before this one.
  void adopt(const ProcessTable & table, const Kernel & kernel);

  std::size_t size() const noexcept { return entries_.size(); }

private:
  struct Entry
  {
    uid_t user = 0;
    double bandwidth = 0.0;
  };
  template <typename Predicate>
  Holdings sum(const ThreadKey & except, const Predicate & belongs) const;

  std::map<ThreadKey, Entry> entries_;
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__LEDGER_HPP_
