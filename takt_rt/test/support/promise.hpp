// Whether a model kept its promise: what an exploration of its interleavings returns.
#ifndef SUPPORT__PROMISE_HPP_
#define SUPPORT__PROMISE_HPP_

#include <ostream>
#include <string>
#include <utility>

namespace takt_rt::test
{

struct [[nodiscard]] Promise
{
  std::string fault{};  ///< empty: kept

  bool good() const noexcept { return fault.empty(); }
  explicit operator bool() const noexcept { return good(); }

  friend std::ostream & operator<<(std::ostream & out, const Promise & promise)
  {
    return out << (promise.good() ? "kept" : promise.fault);
  }
};

}  // namespace takt_rt::test

#endif  // SUPPORT__PROMISE_HPP_
