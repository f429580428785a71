// Numbers for callbacks and for their ids, the same in all executors of a process. An activation
// names its root by callback number, and a chain names its root by id. An executor may have to
// compare the two although it does not have that callback.
//
// Private to the core. A destroyed callback's number is reused after kNumbersKept other callbacks
// were destroyed: until then messages in transit find their root, and tables by number stay as
// small as the number of live callbacks. (A message kept longer, in a join slot, counts for the
// number's new owner.) An id keeps its number as long as a callback or a chain holds it; ids'
// numbers are not reused.
#ifndef TAKT_CORE__SRC__CALLBACK_NUMBERS_HPP_
#define TAKT_CORE__SRC__CALLBACK_NUMBERS_HPP_

#include <cstdint>
#include <memory>
#include <string>

namespace takt_core::detail
{

using IdNumber = std::shared_ptr<const std::uint32_t>;

/// The number of `id`, at least 1. Any thread; set-up only: may block and allocate.
IdNumber id_number(const std::string & id);

/// The number of destroyed callbacks whose numbers are not used again yet.
inline constexpr std::uint32_t kNumbersKept = 1U << 16U;

/// A number for a new callback, at least 1. Any thread; set-up only: may block.
std::uint32_t take_number();

/// Notes that callback number `callback` has id number `id_number`. Any thread; set-up only: may
/// allocate.
void note_callback(std::uint32_t callback, std::uint32_t id_number);

/// Gives a destroyed callback's number back. Any thread; set-up only.
void give_back_number(std::uint32_t callback) noexcept;

/// The id number of callback number `callback`, also after the callback's destruction. 0: there was
/// no such callback, or 67 million callbacks lived at its creation. Real-time safe: two loads.
std::uint32_t id_number_of(std::uint32_t callback) noexcept;

}  // namespace takt_core::detail

#endif  // TAKT_CORE__SRC__CALLBACK_NUMBERS_HPP_
