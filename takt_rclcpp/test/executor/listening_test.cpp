// takt's listener beside the function that the program has set.
#include <gtest/gtest.h>

#include <memory>

#include "adopt/entity.hpp"

namespace takt_rclcpp
{
namespace
{

class Counts : public ArrivalListener
{
public:
  explicit Counts(std::shared_ptr<OwnListener> own) : own_(std::move(own)) {}
  void arrived(std::size_t count) noexcept override
  {
    heard += count;
    own_->tell(count);
  }
  std::size_t heard = 0;

private:
  const std::shared_ptr<OwnListener> own_;
};

/// Keeps the function for arrivals, as the middleware does.
struct Middleware
{
  rcl_event_callback_t callback = nullptr;
  const void * data = nullptr;

  void arrive() const
  {
    if (callback != nullptr) {
      callback(data, 1);
    }
  }
};

TEST(Listening, loses_no_arrival_for_the_program_while_it_ends)
{
  std::size_t told = 0;
  const auto own = std::make_shared<OwnListener>();
  own->set(
    [](const void * data, std::size_t count) {
      *const_cast<std::size_t *>(static_cast<const std::size_t *>(data)) += count;
    },
    &told);
  const auto listener = std::make_shared<Counts>(own);
  const auto object = std::make_shared<int>();
  Middleware middleware;
  bool ends = false;
  const auto set = [&](rcl_event_callback_t callback, const void * data) {
    if (ends) {
      middleware.arrive();  // just before the middleware gets the new function
    }
    middleware = {callback, data};
    return RCL_RET_OK;
  };
  Listening listening;
  listening.begin(listener, set, object, &middleware, own, {});
  middleware.arrive();
  ends = true;
  listening.end(set);
  middleware.arrive();
  EXPECT_EQ(told, 3U);
  EXPECT_EQ(listener->heard, 2U);
}

}  // namespace
}  // namespace takt_rclcpp
