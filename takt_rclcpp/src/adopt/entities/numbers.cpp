// The numbers of equal ids (adopt/ids.hpp).
#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "adopt/entities/ids.hpp"
#include "adopt/entity.hpp"

namespace takt_rclcpp
{
namespace
{

// A callback that replaces its timer makes the new one before it drops the old one, and takt may
// see the new timer in between. So `is_given_up` waits a little.
constexpr std::chrono::microseconds kLook{100};
constexpr int kMostLooks = 20;

struct Numbered
{
  std::weak_ptr<void> object;
  std::weak_ptr<Entity> entity;
};

struct Numbers
{
  std::mutex mutex;
  std::unordered_map<std::string, std::vector<Numbered>> by_base;
  std::vector<Numbered> gave_way;
  std::size_t full_at = 1024;  // the number of bases at which `forget_gone` removes unused ones

  // Bounds the memory, because programs may make and drop entities of ever new names. Call it with
  // `mutex` held.
  void forget_gone()
  {
    if (by_base.size() < full_at) {
      return;
    }
    std::erase_if(by_base, [](const auto & one) {
      return std::all_of(one.second.begin(), one.second.end(), [](const Numbered & numbered) {
        return numbered.object.expired();
      });
    });
    full_at = std::max<std::size_t>(1024, 2 * by_base.size());
  }
};

Numbers & numbers()
{
  // Never destroyed: at process exit a thread may still spin, and spinning uses the numbers.
  static auto * const the_numbers = new Numbers;
  return *the_numbers;
}

bool same(const std::weak_ptr<void> & one, const std::weak_ptr<void> & other)
{
  return !one.owner_before(other) && !other.owner_before(one);
}

/// True if the object's callback runs and only its runs still hold the object. Waits a little for
/// this.
bool is_given_up(const Numbered & one)
{
  const auto entity = one.entity.lock();
  if (entity == nullptr || !entity->runs_now()) {
    return false;
  }
  for (int look = 0; look < kMostLooks && entity->runs_now(); ++look) {
    if (entity->is_given_up()) {
      return true;
    }
    std::this_thread::sleep_for(kLook);
  }
  return one.object.expired();
}

}  // namespace

unsigned number_among_equals(const std::string & base, const std::shared_ptr<void> & object)
{
  Numbers & all = numbers();
  std::unique_lock lock(all.mutex);
  all.forget_gone();
  std::weak_ptr<void> gives_way;
  for (bool looked = false;; looked = true) {
    auto & equals = all.by_base[base];
    auto place = std::find_if(
      equals.begin(), equals.end(), [&](const auto & one) { return same(one.object, object); });
    if (place != equals.end()) {
      return static_cast<unsigned>(place - equals.begin()) + 1;
    }
    place = std::find_if(
      equals.begin(), equals.end(), [](const auto & one) { return one.object.expired(); });
    if (place == equals.end() && looked) {
      place = std::find_if(equals.begin(), equals.end(), [&](const auto & one) {
        return same(one.object, gives_way);
      });
      if (place != equals.end()) {
        all.gave_way.push_back(*place);
      }
    }
    if (place == equals.end() && !looked && !equals.empty()) {
      // Look without the mutex, because `is_given_up` may wait.
      const std::vector<Numbered> seen = equals;
      lock.unlock();
      const auto found = std::find_if(seen.begin(), seen.end(), is_given_up);
      gives_way = found == seen.end() ? std::weak_ptr<void>() : found->object;
      lock.lock();
      continue;
    }
    place = place == equals.end() ? equals.insert(place, Numbered{}) : place;
    *place = {object, {}};
    return static_cast<unsigned>(place - equals.begin()) + 1;
  }
}

void runs_numbered(
  const std::string & base, const std::weak_ptr<void> & object,
  const std::shared_ptr<Entity> & entity)
{
  Numbers & all = numbers();
  const std::lock_guard lock(all.mutex);
  for (Numbered & one : all.by_base[base]) {
    if (same(one.object, object)) {
      one.entity = entity;
    }
  }
}

bool gave_way(const std::weak_ptr<void> & object)
{
  Numbers & all = numbers();
  const std::lock_guard lock(all.mutex);
  // Drop the entry of an object whose run is over. If the object still lives, it has another owner,
  // and its callback runs again.
  std::erase_if(all.gave_way, [](const Numbered & one) {
    const auto entity = one.entity.lock();
    return one.object.expired() || entity == nullptr || !entity->runs_now();
  });
  return std::any_of(all.gave_way.begin(), all.gave_way.end(), [&](const auto & one) {
    return same(one.object, object);
  });
}

}  // namespace takt_rclcpp
