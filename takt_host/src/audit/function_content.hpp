// Looks into the memory of a user's function: the objects to which it refers, and the code that it
// calls.
#ifndef AUDIT__FUNCTION_CONTENT_HPP_
#define AUDIT__FUNCTION_CONTENT_HPP_

#include <string>
#include <vector>

#include "audit/process_memory.hpp"
#include "takt_host/audited_function.hpp"

namespace takt_host
{

/// An object to which a function refers.
struct Captured
{
  Word address = 0;  ///< of the whole object, if its type is known
  std::string type;  ///< demangled, of an object with virtual functions; empty: unknown
  friend bool operator==(const Captured &, const Captured &) = default;
};

/// The content of a function.
struct FunctionContent
{
  bool found = false;              ///< false: the memory holds no function that this code can read
  std::string type;                ///< demangled, of the function object; empty: unknown
  std::vector<Captured> captured;  ///< each object once
  std::vector<Word> code;          ///< where its code begins
};

/// Reads words of memory as libstdc++ lays out std::function, std::bind and lambdas on x86-64 and
/// AArch64. A word that happens to look like an address counts as one. Set-up only; allocates.
FunctionContent content_of(const FunctionMemory & memory, const ProcessMemory & process);

}  // namespace takt_host

#endif  // AUDIT__FUNCTION_CONTENT_HPP_
