#include "data_path/middleware_setting.hpp"

#include <stdlib.h>

#include <stdexcept>
#if TAKT_FAST_DDS_3
#include <fastdds/LibrarySettings.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#endif

namespace takt_bench::data_path
{

namespace
{

void set(const char * name, const char * value)
{
  ::setenv(name, value, 1);
}

#if TAKT_FAST_DDS_3
void deliver_through_transports_only()
{
  namespace fastdds = eprosima::fastdds;
  fastdds::LibrarySettings settings;
  settings.intraprocess_delivery = fastdds::INTRAPROCESS_OFF;
  const auto result =
    fastdds::dds::DomainParticipantFactory::get_instance()->set_library_settings(settings);
  if (result != fastdds::dds::RETCODE_OK) {
    throw std::runtime_error("Fast DDS does not switch off its delivery within the process");
  }
}
#else
void deliver_through_transports_only()
{
}  // `switches_off_delivery_within_the_process` says so
#endif

}  // namespace

bool switches_off_delivery_within_the_process() noexcept
{
  return TAKT_FAST_DDS_3;
}

void set_up_middleware(const Setting & setting)
{
  if (setting.variant != Variant::udp && setting.variant != Variant::loans) {
    return;
  }
  for (const char * const name :
       {"FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE",
        "RMW_FASTRTPS_USE_QOS_FROM_XML", "RMW_FASTRTPS_PUBLICATION_MODE",
        "FASTDDS_BUILTIN_TRANSPORTS"}) {
    ::unsetenv(name);
  }
  if (setting.variant == Variant::udp) {
    // For LOCALHOST rmw brings transports of its own, with shared memory among them.
    set("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET");
    set("FASTDDS_BUILTIN_TRANSPORTS", "UDPv4");
    deliver_through_transports_only();
  } else if (setting.place != Place::one_thread) {
    // Otherwise rmw switches data sharing off.
    set("RMW_FASTRTPS_USE_QOS_FROM_XML", "1");
  }
}

}  // namespace takt_bench::data_path
