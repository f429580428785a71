// The result of a check of the conformance suite.
//
// Checks return verdicts instead of asserting, so that the suite's own tests can pass a broken twin
// and assert that the verdict is bad.
#ifndef SUPPORT__VERDICT_HPP_
#define SUPPORT__VERDICT_HPP_

#include <ostream>
#include <string>
#include <utility>

namespace takt_core::test
{

struct [[nodiscard]] Verdict
{
  std::string fault;  ///< empty: the promise was kept

  bool good() const noexcept { return fault.empty(); }
  explicit operator bool() const noexcept { return good(); }

  /// The first fault of two.
  Verdict operator&&(Verdict other) const { return good() ? std::move(other) : *this; }

  friend std::ostream & operator<<(std::ostream & out, const Verdict & verdict)
  {
    return out << (verdict.good() ? "kept" : verdict.fault);
  }
};

inline Verdict kept()
{
  return {};
}
inline Verdict broken(std::string fault)
{
  return {std::move(fault)};
}

}  // namespace takt_core::test

#endif  // SUPPORT__VERDICT_HPP_
