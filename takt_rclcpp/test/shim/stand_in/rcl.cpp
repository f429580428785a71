// Takes the place of librcl and of a library that uses it: a program without rclcpp opens it with
// RTLD_LOCAL, as Python does.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

extern "C" int rcl_publish(const void *, const void *, void *);

extern "C" __attribute__((visibility("default"))) int publish_something()
{
  return rcl_publish(nullptr, nullptr, nullptr);
}

extern "C" __attribute__((visibility("default"))) void ros_trace_rmw_publish(
  const void *, const void *, std::int64_t source_time)
{
  std::printf("stock trace %lld\n", static_cast<long long>(source_time));
}

extern "C" __attribute__((visibility("default"))) int rcl_publish(
  const void *, const void *, void *)
{
  std::printf("stock publish\n");
  // As the real middleware does, call the tracepoint of another library, through the dynamic
  // symbols.
  using Trace = void (*)(const void *, const void *, std::int64_t);
  reinterpret_cast<Trace>(::dlsym(RTLD_DEFAULT, "ros_trace_rmw_publish"))(nullptr, nullptr, 42);
  return 7;
}
