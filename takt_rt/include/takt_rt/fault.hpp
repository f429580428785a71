// A fault as a value: its sentence is made when it is printed, and code never reads sentences.
//
// Set-up only: holds strings and allocates.
#ifndef TAKT_RT__FAULT_HPP_
#define TAKT_RT__FAULT_HPP_

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "takt_rt/refusal.hpp"

namespace takt_rt
{

/// The kinds that code must distinguish; people read the sentence.
enum class FaultKind
{
  general,
  refusal,          ///< the kernel refused a thread an attribute: see `refusal`
  process_threads,  ///< a rule for threads of the process outside the executor
  unmatched,        ///< a rule, or an id of a chain, matches no callback
  session_nice,     ///< nice levels have an effect only within the session
  fallback          ///< threads request their fallback
};

/// One fault (or warning) of a set-up operation.
///
/// Implicitly made from a sentence, so that `faults.push_back("what, where, what to do")` adds one
/// of the general kind. It does not convert back to a string: `to_string` prints it.
struct Fault
{
  Fault(std::string what) : text(std::move(what)) {}  // NOLINT: implicit by intent
  Fault(const char * what) : text(what) {}            // NOLINT: implicit by intent
  Fault(FaultKind which, std::string what) : kind(which), text(std::move(what)) {}
  Fault(Refusal what) : kind(FaultKind::refusal), refusal(std::move(what)) {}  // NOLINT: by intent

  FaultKind kind = FaultKind::general;
  std::string file{};   ///< the faulty file; may be empty
  int line = 0;         ///< from 1; 0: the whole file
  int column = 0;       ///< from 1
  std::string place{};  ///< the thread or object concerned, printed after the file; may be empty
  std::string text{};   ///< for printing only; after the refusal's sentence, if any
  std::optional<Refusal> refusal{};

  /// All members. The binding does not compile if one is missing.
  auto members() const
  {
    const auto & [kind_, file_, line_, column_, place_, text_, refusal_] = *this;
    return std::tie(kind_, file_, line_, column_, place_, text_, refusal_);
  }
  friend bool operator==(const Fault & left, const Fault & right)
  {
    return left.members() == right.members();
  }
  friend bool operator!=(const Fault & left, const Fault & right) { return !(left == right); }
};

/// All faults found by one operation.
using Faults = std::vector<Fault>;

/// "file:line:column: place: text", without absent parts; the refusal's sentence precedes the text.
std::string to_string(const Fault & fault);
/// Writes `to_string(fault)`.
std::ostream & operator<<(std::ostream & out, const Fault & fault);

/// `fault` with `outer` before its place: a part's fault, reported by the whole.
Fault within(std::string_view outer, Fault fault);

/// The sentences in the order of the faults.
std::vector<std::string> sentences(const Faults & faults);

}  // namespace takt_rt

#endif  // TAKT_RT__FAULT_HPP_
