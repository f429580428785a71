// The functions of the stacks in the guard's accounts.
#ifndef EXEC__GUARD__STACKS_HPP_
#define EXEC__GUARD__STACKS_HPP_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "exec/guard/parts.hpp"
#include "exec/guard/symbols.hpp"
#include "takt_rt/guard/account.hpp"

namespace takt_exec
{

/// A function of a stack. Functions that are inlined at one address have one frame each.
struct Frame
{
  std::string object;  ///< see FileAddress
  std::uint64_t offset = 0;
  Place place{};
  Part part = Part::program;
  bool may_carry = false;  ///< code of the program may be inlined here, and nothing tells
};

/// The stack of a place, innermost first: one frame for each address, without names.
std::vector<Frame> stack_at(const takt_rt::GuardAccount & account, const takt_rt::GuardSite & site);

/// Finds the names of functions, and keeps them for the next stacks.
class Names
{
public:
  /// The function by the symbols of its file alone; empty: unknown. May block for seconds on a
  /// large file.
  std::string symbol(const Frame & frame);

  /// Gives the frames their places and parts. Adds frames for the functions of the program that the
  /// compiler inlined into other functions. Starts addr2line for each object with new addresses;
  /// see places_in.
  void add_to(const std::vector<std::vector<Frame> *> & stacks);

private:
  const Functions & functions_of(const std::string & object);

  std::map<std::string, Functions> functions_;  // by object
  std::map<std::string, std::map<std::uint64_t, std::vector<Place>>> places_;
};

}  // namespace takt_exec

#endif  // EXEC__GUARD__STACKS_HPP_
