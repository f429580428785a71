// Takes the place of the Rust library if that was not built. No port can be created, so no other
// function is called.
#include <cstdint>

#include "takt_channel_c.h"

extern "C" {

const char * takt_channel_last_words(void)
{
  return "";
}
std::int64_t takt_channel_clean(const char *, const char *, std::uint32_t)
{
  return -1;
}
std::int32_t takt_channel_publisher_create(const takt_channel_shape *, takt_channel_publisher **)
{
  return takt_channel_failed;
}
void takt_channel_publisher_destroy(takt_channel_publisher *)
{
}
std::int32_t takt_channel_loan(takt_channel_publisher *, std::uint64_t, std::uint32_t *, void **)
{
  return takt_channel_failed;
}
std::int32_t takt_channel_send(takt_channel_publisher *, std::uint32_t, const takt_channel_header *)
{
  return takt_channel_failed;
}
std::int32_t takt_channel_serve(takt_channel_publisher *)
{
  return takt_channel_failed;
}
void takt_channel_drop_loan(takt_channel_publisher *, std::uint32_t)
{
}
std::int32_t takt_channel_subscriber_create(const takt_channel_shape *, takt_channel_subscriber **)
{
  return takt_channel_failed;
}
void takt_channel_subscriber_destroy(takt_channel_subscriber *)
{
}
std::uint32_t takt_channel_depth(const takt_channel_subscriber *)
{
  return 0;
}
std::int32_t takt_channel_take(
  takt_channel_subscriber *, std::uint32_t *, const void **, takt_channel_header *)
{
  return takt_channel_failed;
}
void takt_channel_release(takt_channel_subscriber *, std::uint32_t)
{
}
std::int32_t takt_channel_has_message(takt_channel_subscriber *)
{
  return takt_channel_failed;
}

}  // extern "C"
