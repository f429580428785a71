// What the lock-free parts are made of: their atomic words and their mutex.
//
// The lock-free parts are templates on one such type, so that a test can run the real code on words
// that hand over to another thread before each access, and go through every interleaving.
#ifndef TAKT_CORE__DETAIL__SYNC_HPP_
#define TAKT_CORE__DETAIL__SYNC_HPP_

#include <atomic>

#include "takt_rt/pi_mutex.hpp"

namespace takt_core::detail
{

using takt_rt::PiMutex;

struct NativeSync
{
  template <typename T>
  using Word = std::atomic<T>;
  using Mutex = PiMutex;
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__DETAIL__SYNC_HPP_
