#include "takt_channel/channel.hpp"

namespace takt_channel
{

bool available() noexcept
{
  return TAKT_CHANNEL_BUILT != 0;
}

}  // namespace takt_channel
