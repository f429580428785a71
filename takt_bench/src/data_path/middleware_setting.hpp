// The settings of Fast DDS that make a variant what it is, for this process.
#ifndef TAKT_BENCH__SRC__DATA_PATH__MIDDLEWARE_SETTING_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__MIDDLEWARE_SETTING_HPP_

#include "data_path/setting.hpp"

namespace takt_bench::data_path
{

/// Before the process joins a domain. `standard` keeps the user's settings. Set-up only; throws
/// std::runtime_error where Fast DDS refuses.
void set_up_middleware(const Setting & setting);

/// Whether this build can make the middleware send a message to the same process through its
/// transports. Real-time safe.
bool switches_off_delivery_within_the_process() noexcept;

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__MIDDLEWARE_SETTING_HPP_
