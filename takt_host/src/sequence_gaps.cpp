#include "takt_host/sequence_gaps.hpp"

namespace takt_host
{

namespace
{
constexpr std::uint64_t kWindow = 64;  // bits of Entry::seen
}

void SequenceGaps::begin(Entry & entry, std::uint64_t sequence) noexcept
{
  entry.newest = sequence;
  entry.seen = ~std::uint64_t{0};
  entry.restart = 0;
}

SequenceGaps::SequenceGaps()
{
  entries_.reserve(kPublishers);
}

void SequenceGaps::expect(std::size_t publishers)
{
  entries_.reserve(2 * publishers);
}

SequenceGaps::Entry & SequenceGaps::find(const Gid & publisher, bool & known) noexcept
{
  Entry * oldest = nullptr;
  for (Entry & entry : entries_) {
    if (entry.publisher == publisher) {
      known = true;
      return entry;
    }
    if (oldest == nullptr || entry.used < oldest->used) {
      oldest = &entry;
    }
  }
  known = false;
  if (entries_.size() < entries_.capacity()) {
    oldest = &entries_.emplace_back();
  } else {
    forgotten_.fetch_add(1, std::memory_order_relaxed);
  }
  oldest->publisher = publisher;
  return *oldest;
}

SequenceGaps::Noted SequenceGaps::note(const Gid & publisher, std::uint64_t sequence) noexcept
{
  const bool others = !entries_.empty();
  bool known = false;
  Entry & entry = find(publisher, known);
  entry.used = ++clock_;
  if (!known) {
    begin(entry, sequence);
    return others ? Noted::first_of_another : Noted::first;
  }
  Noted noted = Noted::expected;
  std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  if (sequence > entry.newest) {
    const std::uint64_t ahead = sequence - entry.newest;
    lost += ahead - 1;
    noted = ahead > 1 ? Noted::missing : Noted::expected;
    entry.seen = ahead < kWindow ? entry.seen << ahead | 1 : 1;
    entry.newest = sequence;
    entry.restart = 0;
  } else if (const std::uint64_t behind = entry.newest - sequence; behind < kWindow) {
    const std::uint64_t bit = std::uint64_t{1} << behind;
    if ((entry.seen & bit) == 0) {  // late, not lost
      entry.seen |= bit;
      lost -= lost > 0 ? 1 : 0;
    } else if (entry.restart == sequence) {
      begin(entry, sequence);
    } else if (behind > 0) {
      entry.restart = sequence + 1;
    }
  } else if (entry.restart == sequence) {
    begin(entry, sequence);
  } else {
    entry.restart = sequence + 1;
  }
  lost_.store(lost, std::memory_order_relaxed);
  return noted;
}

}  // namespace takt_host
