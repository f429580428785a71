// The numbers of equal ids (adopt/ids.hpp).
#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "adopt/entity.hpp"
#include "adopt/ids.hpp"

namespace takt_rclcpp
{
namespace
{

// A callback makes its new timer and only then gives up the old one, and takt sees the new one in between.
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
};

Numbers & numbers()
{
  static auto * const the_numbers = new Numbers;  // programs spin until the process has ended
  return *the_numbers;
}

bool same(const std::weak_ptr<void> & one, const std::weak_ptr<void> & other)
{
  return !one.owner_before(other) && !other.owner_before(one);
}

/// Of a callback that runs: whether its object is gone but for the run.
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
  const std::lock_guard lock(all.mutex);
  auto & equals = all.by_base[base];
  auto place = std::find_if(
    equals.begin(), equals.end(), [&](const auto & one) { return same(one.object, object); });
  if (place == equals.end()) {
    place = std::find_if(
      equals.begin(), equals.end(), [](const auto & one) { return one.object.expired(); });
    if (place == equals.end()) {
      place = std::find_if(equals.begin(), equals.end(), is_given_up);
      if (place != equals.end()) {
        all.gave_way.push_back(*place);
      }
    }
    place = place == equals.end() ? equals.insert(place, Numbered{}) : place;
    *place = {object, {}};
  }
  return static_cast<unsigned>(place - equals.begin()) + 1;
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
  // One that the callback gave to somebody after all has a callback again when the run is over.
  std::erase_if(all.gave_way, [](const Numbered & one) {
    const auto entity = one.entity.lock();
    return one.object.expired() || entity == nullptr || !entity->runs_now();
  });
  return std::any_of(all.gave_way.begin(), all.gave_way.end(), [&](const auto & one) {
    return same(one.object, object);
  });
}

}  // namespace takt_rclcpp
