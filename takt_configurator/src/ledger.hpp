// The threads with attributes that the daemon granted, for rules that limit all threads of a user.
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

/// Identifies one thread, also if a later thread gets its id.
struct ThreadKey
{
  pid_t pid = 0;
  pid_t tid = 0;
  std::uint64_t start_time = 0;

  friend auto operator<=>(const ThreadKey &, const ThreadKey &) = default;
};

/// The sum over all threads of one user, or of all users.
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
  /// `attributes`: the present ones of the thread. Attributes that do not count remove the thread.
  void set(const ThreadKey & thread, uid_t user, const takt_rt::ThreadAttributes & attributes);

  /// The sum for `user`, or for all users, without the thread `except`.
  Holdings of(uid_t user, const ThreadKey & except) const;
  Holdings of_all(const ThreadKey & except) const;

  /// Removes threads that have ended or have given up their attributes: of `user`, or of all users.
  void purge(
    const ProcessTable & table, const Kernel & kernel, std::optional<uid_t> user = std::nullopt);

  /// Adds threads of all users but root that have such attributes already, from an earlier daemon.
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
