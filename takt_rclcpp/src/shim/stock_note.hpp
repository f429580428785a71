// A note for the report of `takt exec`: the program called a function of rclcpp that takt leaves as
// it is.
#ifndef SHIM__STOCK_NOTE_HPP_
#define SHIM__STOCK_NOTE_HPP_

namespace takt_preload
{

/// Writes a file into the folder TAKT_REPORT_DIR, if it is set, once in a process for each
/// `function`. `reason`: why takt leaves this function as it is; empty: takt never runs it. Any
/// thread; the first call blocks for the file.
void note_stock(const char * function, const char * reason = "") noexcept;

/// The program added a node to `executor`, an object whose class derives from rclcpp::Executor. If
/// rclcpp does not define the class, notes the class's name as `note_stock` does, because takt may
/// not see the class's own spin.
void note_class(const void * executor) noexcept;

/// Notes that the process has rclcpp, but called no spin that takt replaces or knows.
void note_unseen() noexcept;

}  // namespace takt_preload

#endif  // SHIM__STOCK_NOTE_HPP_
