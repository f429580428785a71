// A note for the report of `takt exec`: the program called a function of rclcpp that takt leaves as it is.
#ifndef SHIM__STOCK_NOTE_HPP_
#define SHIM__STOCK_NOTE_HPP_

namespace takt_preload
{

/// Writes a file into the folder TAKT_REPORT_DIR, if it is set: once for each `function` of a process. Any thread;
/// the first call blocks for the file.
void note_stock(const char * function) noexcept;

}  // namespace takt_preload

#endif  // SHIM__STOCK_NOTE_HPP_
