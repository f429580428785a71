// A text about each process of a run, as the guard and the audit print it.
#ifndef EXEC__TEXT__PROCESSES_TEXT_HPP_
#define EXEC__TEXT__PROCESSES_TEXT_HPP_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace takt_exec
{

/// The texts of all processes, or that there are none. `whose`: the word before the sentence, such
/// as "guard"; `text`: gives that of one process. Set-up only: allocates, does not block.
inline std::string processes_text(
  std::string_view whose, const nlohmann::ordered_json & processes,
  std::string (*text)(const nlohmann::ordered_json & process))
{
  if (processes.empty()) {
    return std::string(whose) +
           ": takt saw no executor of takt, and none that it could take over, so it knows of no "
           "callback\n";
  }
  std::string all;
  for (const auto & process : processes) {
    all += text(process);
  }
  return all;
}

}  // namespace takt_exec

#endif  // EXEC__TEXT__PROCESSES_TEXT_HPP_
