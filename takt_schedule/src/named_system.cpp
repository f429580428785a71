#include "takt_schedule/named_system.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "file_text.hpp"
#include "findings.hpp"
#include "takt_schedule/quoted.hpp"
#include "yaml_tree.hpp"

namespace takt_schedule
{
namespace
{

namespace fs = std::filesystem;
using takt_core::Faults;
using takt_core::Result;

bool is_bare(const std::string & name)
{
  return name.find_first_of("/.") == std::string::npos;
}

}  // namespace

Result<std::string> named_system(
  const std::string & schedule_file, const std::vector<std::string> & shipped)
{
  const auto text =
    detail::file_text(schedule_file, "a schedule file", detail::kScheduleLimits.text);
  if (!text) {
    return text.faults();
  }
  detail::Findings findings(schedule_file);
  const detail::YamlPtr root = detail::parse_yaml(*text, findings, detail::kScheduleLimits);
  if (!findings.ok() || root == nullptr) {
    return findings.faults();
  }
  const auto entry = std::find_if(root->entries.begin(), root->entries.end(), [](const auto & one) {
    return one.key == "system" && one.value->is_scalar() && !one.value->text.empty();
  });
  if (entry == root->entries.end()) {
    return Faults{schedule_file + ": it names no system model (system); name it with --system"};
  }
  const std::string & name = entry->value->text;
  if (!is_bare(name)) {
    return (fs::path(schedule_file).parent_path() / name).string();
  }
  for (const std::string & folder : shipped) {
    std::error_code ignored;
    if (const fs::path file = fs::path(folder) / (name + ".yaml"); fs::exists(file, ignored)) {
      return file.string();
    }
  }
  return Faults{located(
    schedule_file, entry->value->at,
    "there is no shipped system model " + takt_schedule::quoted(name) +
      " (a file in this folder would be './" + name + "'); name the model with --system")};
}

std::string name_of_system(
  const std::string & system_file, const std::string & schedule_file,
  const std::vector<std::string> & shipped)
{
  std::error_code failed;
  const fs::path system = fs::absolute(system_file, failed);
  for (const std::string & folder : shipped) {
    const bool there = fs::equivalent(system.parent_path(), folder, failed);
    if (!failed && there && system.extension() == ".yaml" && is_bare(system.stem().string())) {
      return system.stem().string();
    }
  }
  // Without links in the way, or ".." would lead elsewhere.
  const fs::path folder = fs::weakly_canonical(
    fs::absolute(schedule_file.empty() ? "schedule" : schedule_file).parent_path(), failed);
  const fs::path file = fs::weakly_canonical(system.parent_path(), failed) / system.filename();
  const std::string name = file.lexically_relative(folder).string();
  if (failed || name.empty()) {
    return system.string();
  }
  return is_bare(name) ? "./" + name : name;
}

}  // namespace takt_schedule
