#include "takt_schedule/named_system.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "takt_schedule/parse.hpp"
#include "takt_schedule/quoted.hpp"
#include "takt_schedule/reader/file_text.hpp"
#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/yaml_tree.hpp"

namespace takt_schedule
{
namespace
{

namespace fs = std::filesystem;
using takt_rt::Faults;
using takt_rt::Result;

bool is_bare(const std::string & name)
{
  return name.find_first_of("/.") == std::string::npos;
}

bool is_file(const std::string & path)
{
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The folder of the file itself, not of a link to it.
fs::path folder_of(const std::string & file)
{
  std::error_code ignored;
  return fs::is_symlink(file, ignored) ? fs::weakly_canonical(file, ignored).parent_path()
                                       : fs::path(file).parent_path();
}

/// The model of that bare name; empty if unknown.
std::string shipped_file(const std::string & name, const std::vector<std::string> & shipped)
{
  for (const std::string & folder : shipped) {
    if (std::string file = (fs::path(folder) / (name + ".yaml")).string(); is_file(file)) {
      return file;
    }
  }
  return {};
}

}  // namespace

Result<std::string> named_system(
  const std::string & schedule_file, const std::vector<std::string> & shipped)
{
  std::error_code ignored;
  if (fs::exists(schedule_file, ignored) && !is_file(schedule_file)) {
    return Faults{schedule_file + " is not a regular file; name its model with --system"};
  }
  const auto text = file_text(schedule_file, "a schedule file", kScheduleLimits.text);
  if (!text) {
    return text.faults();
  }
  Findings findings(schedule_file);
  const YamlPtr root = parse_yaml(*text, findings, kScheduleLimits);
  if (!findings.ok() || root == nullptr) {
    return findings.faults();
  }
  const YamlNode::Entry * const entry = root->entry("system");
  const auto has = [&](const char * key) { return root->entry(key) != nullptr; };
  if (!has("executors") && (has("callbacks") || has("nodes"))) {
    return parse_schedule(*text, schedule_file).faults();  // the parser says which kind of file it
                                                           // is
  }
  if (entry == nullptr) {
    return Faults{schedule_file + ": it names no system model (system); name it with --system"};
  }
  const auto fault = [&](const std::string & what) {
    return Faults{
      located(schedule_file, entry->value->at, what + "; name the model with --system")};
  };
  const std::string & name = entry->value->text;
  if (!entry->value->is_scalar() || name.empty()) {
    return fault("system must be the path of the model it was made for");
  }
  if (is_bare(name)) {
    std::string file = shipped_file(name, shipped);
    if (file.empty()) {
      return fault(
        "there is no shipped system model " + takt_schedule::quoted(name) +
        " (a file in this folder would be './" + name + "')");
    }
    return file;
  }
  std::string file = (folder_of(schedule_file) / name).string();
  if (!fs::exists(file, ignored)) {
    return fault("the model it was made for is not there: " + takt_schedule::quoted(file));
  }
  // Reading reports a directory; opening a pipe would wait.
  if (!fs::is_directory(file, ignored) && !is_file(file)) {
    return fault("the model it was made for is not a regular file: " + takt_schedule::quoted(file));
  }
  return file;
}

std::string name_of_system(
  const std::string & system_file, const std::string & schedule_file,
  const std::vector<std::string> & shipped)
{
  if (!is_file(system_file)) {
    return {};
  }
  std::error_code failed;
  const fs::path system = fs::absolute(system_file, failed);
  const std::string stem = system.stem().string();
  if (const std::string file = shipped_file(stem, shipped);
      is_bare(stem) && !file.empty() && fs::equivalent(system, file, failed)) {
    return stem;
  }
  const bool is_stream = fs::exists(schedule_file, failed) && !is_file(schedule_file);
  const std::string at = schedule_file.empty() || is_stream ? "schedule" : schedule_file;
  // Resolve links first, because ".." would otherwise lead elsewhere.
  const fs::path folder = fs::weakly_canonical(fs::absolute(at), failed).parent_path();
  const fs::path file = fs::weakly_canonical(system.parent_path(), failed) / system.filename();
  const std::string name = file.lexically_relative(folder).string();
  if (failed || name.empty()) {
    return system.string();
  }
  return is_bare(name) ? "./" + name : name;
}

}  // namespace takt_schedule
