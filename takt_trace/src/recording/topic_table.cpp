#include "recording/topic_table.hpp"

#include "takt_trace/recording.hpp"

namespace takt_trace::detail
{

std::optional<std::uint32_t> TopicTable::find(std::string_view topic, std::size_t & slot) const
{
  const auto hash = static_cast<std::uint64_t>(
    fold(reinterpret_cast<const std::uint8_t *>(topic.data()), topic.size()));
  for (slot = hash % kSlots;; slot = (slot + 1) % kSlots) {
    const Topic * const there = slots_[slot].load(std::memory_order_acquire);
    if (there == nullptr) {
      return std::nullopt;
    }
    if (there->name == topic) {
      return there->id;
    }
  }
}

std::uint32_t TopicTable::id(std::string_view topic)
{
  std::size_t slot = 0;
  if (const auto known = find(topic, slot)) {
    return *known;
  }
  const std::lock_guard lock(mutex_);
  if (const auto known = find(topic, slot)) {
    return *known;
  }
  const auto id = static_cast<std::uint32_t>(topics_.size());
  if (id == kMostTopics) {
    return kMostTopics - 1;
  }
  const bool last = id + 1 == kMostTopics;
  topics_.push_back(
    std::make_unique<Topic>(Topic{last ? "(further topics)" : std::string(topic), id}));
  if (!last) {
    slots_[slot].store(topics_.back().get(), std::memory_order_release);
  }
  return id;
}

std::vector<std::string> TopicTable::names() const
{
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (const auto & topic : topics_) {
    all.push_back(topic->name);
  }
  return all;
}

}  // namespace takt_trace::detail
