// Finds topics by their names without a lock.
#ifndef TAKT_TRACE__SRC__RECORDING__TOPIC_TABLE_HPP_
#define TAKT_TRACE__SRC__RECORDING__TOPIC_TABLE_HPP_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace takt_trace::detail
{

class TopicTable
{
public:
  /// All further topics share the last number.
  static constexpr std::uint32_t kMostTopics = 4096;

  /// Real-time safe if the topic is known; otherwise allocates and locks.
  std::uint32_t id(std::string_view topic);
  /// By id. Any thread; locks.
  std::vector<std::string> names() const;

  void before_fork() { mutex_.lock(); }
  void after_fork() { mutex_.unlock(); }

private:
  struct Topic
  {
    std::string name;
    std::uint32_t id;
  };
  static constexpr std::size_t kSlots = std::size_t{2} * kMostTopics;  // half of them stay empty

  std::optional<std::uint32_t> find(std::string_view topic, std::size_t & slot) const;

  std::array<std::atomic<const Topic *>, kSlots> slots_{};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<const Topic>> topics_;
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__RECORDING__TOPIC_TABLE_HPP_
