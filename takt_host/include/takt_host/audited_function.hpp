// The place of a callback's user function, for `takt exec --audit`, which looks at the objects that
// the function refers to.
#ifndef TAKT_HOST__AUDITED_FUNCTION_HPP_
#define TAKT_HOST__AUDITED_FUNCTION_HPP_

#include <cstddef>
#include <memory>

namespace takt_host
{

/// Memory that holds a user's function.
struct FunctionMemory
{
  const void * begin = nullptr;  ///< null: unknown
  std::size_t bytes = 0;         ///< may reach beyond the function
  /// True: among other things the memory holds objects of std::function, and only these are the
  /// user's. False: the memory is the function object itself, perhaps behind a pointer to its
  /// virtual functions.
  bool holds_functions = false;
  /// Object with virtual functions that call the function; null: none.
  const void * caller = nullptr;
  std::shared_ptr<const void> owner{};  ///< keeps the memory
};

/// The bytes that the program may use from `begin` on, if a block of memory begins there. 0: none
/// does, or the allocator is neither glibc's nor a sanitizer's. Set-up only: allocates, and reads
/// files.
std::size_t block_bytes(const void * begin);

/// A function object in `block`, which an allocation begins with. `caller`: see FunctionMemory.
inline FunctionMemory function_in_block(const void * block, const void * caller)
{
  return {block, block_bytes(block), false, caller};
}

/// A callback of an executor that tells where its user's function is. A `takt_core::Callback` that
/// derives from this class, too, is audited.
class AuditedFunction
{
public:
  virtual ~AuditedFunction() = default;
  /// Set-up only: when the callback is added to its executor. May allocate; does not block. Empty:
  /// the user's object is gone.
  virtual FunctionMemory function_memory() const = 0;
};

}  // namespace takt_host

#endif  // TAKT_HOST__AUDITED_FUNCTION_HPP_
