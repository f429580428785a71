// The corpus of the guard: what a callback may do, and what the guard must say of it.
#ifndef FAULTS_HPP_
#define FAULTS_HPP_

#include <array>
#include <cstddef>
#include <string_view>

namespace guarded
{

/// Where the code runs.
enum class Place
{
  timer,
  subscription,
  service
};

struct Case
{
  std::string_view name;
  Place place;
  void (*run)();  ///< null: a log line of the front end
  /// The kinds that the guard must name for the callback, divided by spaces, and no others; empty:
  /// a clean program.
  std::string_view kinds;
  /// Kinds that the front end may add.
  std::string_view also = "";
};

/// Makes what the cases use: files, a thread that holds locks. Before the first run.
void prepare();
/// After the memory of the process was locked: what the case of page faults touches.
void prepare_untouched_memory();
/// Ends it.
void clean_up();

// In a library of its own: library.cpp.
void allocate_in_library();
void lock_in_library();
void print_in_library();
void compute_in_library();

constexpr std::size_t kCaseCount = 67;
extern const std::array<Case, kCaseCount> kCases;

}  // namespace guarded

#endif  // FAULTS_HPP_
