// Writes down what callbacks refer to, and tells ThreadSanitizer which callback runs (`takt exec
// --audit`).
#ifndef AUDIT__AUDIT_OBSERVER_HPP_
#define AUDIT__AUDIT_OBSERVER_HPP_

#include <cstdint>
#include <memory>
#include <string>

#include "takt_core/number_table.hpp"
#include "takt_core/observer.hpp"

namespace takt_host
{

/// Writes lines into a file of the folder that TAKT_AUDIT_DIR names. A line is words with tabs
/// between them:
///
///     process   PROGRAM BASE                     BASE: see below; 0: without ThreadSanitizer
///     executor  NUMBER NAME SCHEDULED            SCHEDULED: 1 with a schedule
///     thread    EXECUTOR                         one line for each thread of the executor
///     callback  NUMBER EXECUTOR ID KIND GROUP REENTRANT BACKGROUND FOUND TYPE
///     object    CALLBACK ADDRESS TYPE MODULE OFFSET
///     code      CALLBACK MODULE OFFSET
///
/// In a program with ThreadSanitizer the frame BASE + 16 * NUMBER + 1 is in the stacks of each
/// callback, and the runs of a mutually exclusive group happen one after the other.
class AuditObserver : public takt_core::Observer
{
public:
  /// Null: TAKT_AUDIT_DIR is not set. Set-up only; may block.
  static std::shared_ptr<AuditObserver> make(const std::string & executor, bool scheduled);

  AuditObserver(const std::string & executor, bool scheduled);

  void on_added(const takt_core::Callback & callback) override;
  void on_removed(const takt_core::Callback & callback) override;
  void on_thread(std::uint32_t thread, const takt_rt::AttributeReport & report) override;
  void on_start(const takt_core::Run & run, takt_rt::Time start) noexcept override;
  void on_end(const takt_core::Run & run, takt_rt::Time end) noexcept override;

private:
  const std::uint32_t executor_;
  takt_core::NumberTable<const char> frames_;  // of the callbacks, with ThreadSanitizer
};

}  // namespace takt_host

#endif  // AUDIT__AUDIT_OBSERVER_HPP_
