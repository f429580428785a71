#include <stdexcept>

extern "C" __attribute__((visibility("default"))) int catches()
{
  try {
    throw std::runtime_error("text");
  } catch (const std::exception &) {
    return 0;
  }
}
