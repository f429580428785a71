// In the place of librcl and of a library that uses it: a program without rclcpp opens it for itself alone, as
// Python does.
#include <cstdio>

extern "C" int rcl_publish(const void *, const void *, void *);

extern "C" __attribute__((visibility("default"))) int publish_something()
{
  return rcl_publish(nullptr, nullptr, nullptr);
}

extern "C" __attribute__((visibility("default"))) int rcl_publish(
  const void *, const void *, void *)
{
  std::printf("stock publish\n");
  return 7;
}
