// Events of all threads in one order, and the promises that can be checked from them.
#ifndef SUPPORT__JOURNAL_HPP_
#define SUPPORT__JOURNAL_HPP_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "verdict.hpp"
#include "virtual_executor.hpp"

namespace takt_core::test
{

class Probe;

struct Entry
{
  enum class What : std::uint8_t
  {
    take,
    taken,
    begin,
    end
  };
  What what{};
  const Probe * probe = nullptr;
  std::uint32_t thread = 0;
  std::uint64_t sequence = 0;
};

/// Any thread may write; read it while no thread writes. Counts and drops entries beyond its
/// capacity.
class Journal
{
public:
  explicit Journal(std::size_t capacity) : entries_(capacity) {}

  void note(Entry entry) noexcept
  {
    const std::size_t at = next_.fetch_add(1, std::memory_order_seq_cst);
    if (at < entries_.size()) {
      entries_[at] = entry;
    }
  }
  std::size_t size() const noexcept { return std::min(next_.load(), entries_.size()); }
  bool overflowed() const noexcept { return next_.load() > entries_.size(); }
  const Entry * begin() const noexcept { return entries_.data(); }
  const Entry * end() const noexcept { return entries_.data() + size(); }

private:
  std::vector<Entry> entries_;
  std::atomic<std::size_t> next_{0};
};

/// A callback that notes its takes and runs in the journal, under a virtual clock and on real
/// threads alike.
class Probe : public VirtualCallback
{
public:
  Probe(CallbackOptions options, Journal & journal);

  bool take(const Run & run) override;
  void run(const Run & run) override;

  std::atomic<std::uint64_t> runs{0};       ///< runs that have ended
  std::atomic<std::uint64_t> announced{0};  ///< updated by the announcing thread
  std::function<void(const Run &)> body;    ///< on real threads, inside the run

private:
  void begin(const Run & run);
  void finish(const Run & run);
  Journal & journal_;
};

/// No two runs of an exclusive group overlap.
Verdict exclusive_groups_never_overlap(const Journal & journal);

/// Takes of one callback do not overlap.
Verdict takes_never_overlap(const Journal & journal);

/// Each probe ran once for each announcement.
Verdict ran_once_each(const std::vector<std::shared_ptr<Probe>> & probes);

/// Callbacks of the same `level` start in the order of their releases.
Verdict starts_in_order_of_release(
  const Journal & journal, const std::function<int(const Probe &)> & level);

/// No run of `probe` starts after the journal's first `from` entries.
Verdict does_not_start_after(const Journal & journal, const Probe & probe, std::size_t from);

}  // namespace takt_core::test

#endif  // SUPPORT__JOURNAL_HPP_
