// The options of a measurement. Set-up only.
#ifndef TAKT_BENCH__SRC__ISOLATION__SETTING_HPP_
#define TAKT_BENCH__SRC__ISOLATION__SETTING_HPP_

#include "takt_rt/time.hpp"
#include "takt_schedule/schedule.hpp"
#include "takt_schedule/system.hpp"

namespace takt_bench::isolation
{

struct Setting
{
  takt_schedule::System system;
  takt_schedule::Schedule schedule;
  takt_rt::Duration warmup = std::chrono::milliseconds(500);
  takt_rt::Duration duration = std::chrono::seconds(2);
  double iterations_per_us = 0.0;  ///< speed of the work, see spin.hpp
};

}  // namespace takt_bench::isolation

#endif  // TAKT_BENCH__SRC__ISOLATION__SETTING_HPP_
