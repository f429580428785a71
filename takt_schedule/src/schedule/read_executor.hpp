// Reads one entry of `executors:`.
#ifndef TAKT_SCHEDULE__SRC__READ_EXECUTOR_HPP_
#define TAKT_SCHEDULE__SRC__READ_EXECUTOR_HPP_

#include <optional>
#include <string_view>
#include <vector>

#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/reader/yaml_tree.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

/// Reads and checks every field by itself. `cores`: the cores that may be named; nullptr: any.
/// `epoch`: the file's, for an executor without its own.
ExecutorSchedule read_executor(
  const YamlNode::Entry & entry, Findings & findings, const std::vector<int> * cores,
  const EpochSchedule & epoch);

/// `epoch:` of `map`; unchanged if `map` has none (read_epoch.cpp).
void read_epoch(MapReader & map, Findings & findings, EpochSchedule & epoch);

/// `threads:` and `default:` (read_threads.cpp). `default` is read after the threads it names.
void read_threads(
  MapReader & map, Findings & findings, const std::vector<int> * cores,
  ExecutorSchedule & executor);

/// The keys of an isolated group's threads, and these threads; empty unless `map` has isolate: true
/// (read_threads.cpp).
std::vector<std::string> isolation_keys();
std::optional<Threads> read_isolation(
  MapReader & map, Findings & findings, const std::vector<int> * cores,
  const ExecutorSchedule & executor);

/// `callbacks:`, `groups:`, `process_threads:` (read_rules.cpp). Call after the threads are known.
void read_rules(
  MapReader & map, Findings & findings, const std::vector<int> * cores,
  ExecutorSchedule & executor);

/// `sequences:` (read_sequences.cpp).
void read_sequences(MapReader & map, Findings & findings, ExecutorSchedule & executor);
/// Checks sequences against the order and the rules: callbacks with other threads, or without a
/// trigger (check_sequences.cpp).
void check_sequences(const ExecutorSchedule & executor, Findings & findings);

/// The surroundings by which an executor is judged.
struct Surroundings
{
  bool autogroup = false;
  std::optional<bool> realtime;  ///< whether it is granted; absent: must be tried
  double deadline_cores = 0.0;   ///< cores that SCHED_DEADLINE threads may use; 0: no limit
  bool assumed_cores = false;    ///< AdmittedShare::assumed
};

/// Checks entries against each other: too many threads or thread sets, windows that share threads,
/// following pools, deadline threads that do not fit, threads without work, keys without effect
/// (check_executor.cpp).
void check_executor(
  const ExecutorSchedule & executor, Findings & findings, const Surroundings & surroundings);

/// Whether the executor uses callback priorities, own ones or those of chains.
bool uses_priorities(const ExecutorSchedule & executor);

/// Whether `name` is not empty and has only letters, digits, '_', '-' and the characters in `more`.
bool can_name(std::string_view name, std::string_view more = "");
/// Faults unless `name` can name an executor, a chain or threads: letters, digits, '_', '-' and
/// the characters of `more`.
void check_name(
  std::string_view name, std::string_view what, std::string_view more, const Source & at,
  Findings & findings);

/// The thread words under `key`, each a known one.
std::vector<std::string> read_thread_words(
  MapReader & map, Findings & findings, std::string_view key, const ExecutorSchedule & executor);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__READ_EXECUTOR_HPP_
