// A process that ends while the middleware reports another process to it ends soon.
//
// Before Fast DDS destroys a participant, it waits without a limit for running discovery callbacks.
// In the PyPI wheels of Kilted this wait neither slept nor let the callback finish.
// tools/setup/repair.py repairs it, and this test shows that it works.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <future>
#include <thread>

namespace takt_rcl::test
{

namespace
{

namespace dds = eprosima::fastdds::dds;
using std::chrono::milliseconds;

// Stays in its callback until the test releases it.
struct Busy : dds::DomainParticipantListener
{
  void on_participant_discovery(
    dds::DomainParticipant *, eprosima::fastdds::rtps::ParticipantDiscoveryStatus,
    const dds::ParticipantBuiltinTopicData &, bool &) override
  {
    inside = true;
    while (!let_go) {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

  std::atomic<bool> inside{false};
  std::atomic<bool> let_go{false};
};

}  // namespace

TEST(Leaving, WaitsForADiscoveryCallbackAndThenEnds)
{
  const char * const given = std::getenv("ROS_DOMAIN_ID");
  const auto domain = static_cast<std::uint32_t>(given == nullptr ? 0 : std::atoi(given));
  auto * const factory = dds::DomainParticipantFactory::get_instance();
  Busy busy;
  auto * const leaving = factory->create_participant(
    domain, dds::PARTICIPANT_QOS_DEFAULT, &busy, dds::StatusMask::none());
  ASSERT_NE(leaving, nullptr);
  auto * const other = factory->create_participant(domain, dds::PARTICIPANT_QOS_DEFAULT);
  ASSERT_NE(other, nullptr);
  while (!busy.inside) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  std::promise<void> gone;
  std::future<void> told = gone.get_future();
  std::thread leave([&] {
    leaving->set_listener(nullptr);
    gone.set_value();
  });
  EXPECT_EQ(told.wait_for(milliseconds(200)), std::future_status::timeout)
    << "left a callback behind";
  busy.let_go = true;
  if (told.wait_for(std::chrono::minutes(1)) != std::future_status::ready) {
    ADD_FAILURE() << "waits without an end, and the callback waits for it";
    std::_Exit(1);  // neither thread could end
  }
  leave.join();
  factory->delete_participant(leaving);
  factory->delete_participant(other);
}

}  // namespace takt_rcl::test
