// A program without rclcpp that opens a plug-in with RTLD_LOCAL.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char ** argv)
{
  void * const plugin = argc == 2 ? ::dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (plugin == nullptr) {
    std::printf("%s\n", ::dlerror());
    return 64;
  }
  if (void * const publish = ::dlsym(plugin, "publish_something"); publish != nullptr) {
    std::printf("%d\n", reinterpret_cast<int (*)()>(publish)());
    return 0;
  }
  reinterpret_cast<void (*)()>(::dlsym(plugin, "spin_in_plugin"))();
  return 0;
}
