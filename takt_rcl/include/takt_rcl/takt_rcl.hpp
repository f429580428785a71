// Everything of takt_rcl.
#ifndef TAKT_RCL__TAKT_RCL_HPP_
#define TAKT_RCL__TAKT_RCL_HPP_

#include "takt_rcl/context.hpp"
#include "takt_rcl/executor.hpp"
#include "takt_rcl/join.hpp"
#include "takt_rcl/logger.hpp"
#include "takt_rcl/node.hpp"
#include "takt_rcl/rate.hpp"
#include "takt_rcl/trigger.hpp"

#endif  // TAKT_RCL__TAKT_RCL_HPP_
