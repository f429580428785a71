// Numbers for callback ids, the same in all executors of a process: an activation names its root by
// callback number, a chain by id, and the two may meet in an executor that has no such callback.
//
// Private to the core. An id keeps its number as long as a callback or a chain holds it; numbers
// are not used again. Of each callback ever made four bytes are kept.
#ifndef TAKT_CORE__SRC__CALLBACK_IDS_HPP_
#define TAKT_CORE__SRC__CALLBACK_IDS_HPP_

#include <cstdint>
#include <memory>
#include <string>

namespace takt_core::detail
{

using IdNumber = std::shared_ptr<const std::uint32_t>;

/// The number of `id`, at least 1. Any thread; set-up only: may block and allocate.
IdNumber id_number(const std::string & id);

/// Notes that the callback with this number has the id with that number. Any thread; set-up only.
void note_callback(std::uint32_t callback, std::uint32_t id_number);

/// The number of that callback's id; 0 if it is not known: there was no such callback, or more than
/// 67 million before it. Real-time safe: two loads.
std::uint32_t id_number_of(std::uint32_t callback) noexcept;

}  // namespace takt_core::detail

#endif  // TAKT_CORE__SRC__CALLBACK_IDS_HPP_
