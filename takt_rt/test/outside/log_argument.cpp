// Compiles with TAKT_ARGUMENT=char; not with `unsigned char`, of which the logger would keep the
// pointer only.
#include "takt_rt/log/logger.hpp"

void log(takt_rt::Logger & logger, const TAKT_ARGUMENT * text)
{
  TAKT_RT_LOG(logger, info, "%s", text);
}
