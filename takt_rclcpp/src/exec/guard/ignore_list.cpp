#include "exec/guard/ignore_list.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "takt_schedule/reader/text.hpp"

namespace takt_exec
{
namespace
{

std::optional<takt_rt::GuardKind> kind_named(const std::string & word)
{
  for (std::size_t i = 0; i < takt_rt::kGuardKinds; ++i) {
    if (word == takt_rt::guard_kind_name(static_cast<takt_rt::GuardKind>(i))) {
      return static_cast<takt_rt::GuardKind>(i);
    }
  }
  return std::nullopt;
}

std::vector<std::string> kinds()
{
  std::vector<std::string> names;
  for (std::size_t i = 0; i < takt_rt::kGuardKinds; ++i) {
    names.emplace_back(takt_rt::guard_kind_name(static_cast<takt_rt::GuardKind>(i)));
  }
  return names;
}

// The kind that the user meant by the line's first words: "alocation", "page fault". Empty: none.
// `void` and other types of results, with which patterns may begin, are not near to a kind.
std::string nearly_a_kind(const std::string & line)
{
  const std::size_t first = line.find_first_of(" \t");
  if (std::string meant = takt_schedule::closest(line.substr(0, first), kinds()); !meant.empty()) {
    return meant;
  }
  std::string words;  // of two words one
  for (const char letter : line.substr(0, line.find_first_of(" \t", first + 1))) {
    words += letter == ' ' || letter == '\t' || letter == '-' ? '_' : letter;
  }
  const std::string meant = takt_schedule::closest(words, kinds());
  return meant.find('_') == std::string::npos ? "" : meant;
}

std::string trimmed(const std::string & text)
{
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos
           ? ""
           : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Cuts the name before its parameters. Parentheses inside of template arguments stay.
std::string without_parameters(const std::string & function)
{
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    depth += function[i] == '<' ? 1 : function[i] == '>' ? -1 : 0;
    if (depth == 0 && function[i] == '(' && i > 0 && function.compare(i, 11, "(anonymous ") != 0) {
      return function.substr(0, i);
    }
  }
  return function;
}

// Escapes square brackets and question marks, which a pattern means literally.
std::string as_glob(const std::string & pattern)
{
  std::string glob;
  for (const char one : pattern) {
    if (one == '[' || one == '?' || one == '\\') {
      glob += '\\';
    }
    glob += one;
  }
  return glob;
}

}  // namespace

takt_rt::Result<IgnoreList> IgnoreList::read(const std::string & path)
{
  takt_rt::Fault fault("");
  fault.file = path;
  std::ifstream in(path);
  if (!in) {
    fault.text = std::string("cannot be read: ") + std::strerror(errno);
    return takt_rt::Faults{fault};
  }
  IgnoreList list;
  takt_rt::Faults faults;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const std::size_t space = std::min(line.find_first_of(" \t"), line.size());
    const auto kind = kind_named(line.substr(0, space));
    const std::string pattern = kind ? trimmed(line.substr(space)) : line;
    const bool two_words = space < line.size();
    if (const std::string meant = kind || !two_words ? "" : nearly_a_kind(line); !meant.empty()) {
      fault.line = number;
      fault.column = 1;
      fault.text = "'" + line + "' begins with no kind, but nearly with '" + meant +
                   "'; the kinds are " + fmt::format("{}", fmt::join(kinds(), ", ")) +
                   ". If it is the type of a function's result, begin the pattern with * instead";
      faults.push_back(fault);
      continue;
    }
    if (pattern.empty()) {
      fault.line = number;
      fault.column = 1;
      fault.text = "'" + line + "' names a kind and no function; write `" + line +
                   " *` to ignore the kind everywhere";
      faults.push_back(fault);
      continue;
    }
    list.lines_.push_back({kind, as_glob(pattern), number, line});
  }
  if (!faults.empty()) {
    return faults;
  }
  return list;
}

bool IgnoreList::Line::ignores(
  takt_rt::GuardKind of, const std::string & function, const std::string & name) const
{
  return (!kind || *kind == of) && (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0 ||
                                    ::fnmatch(pattern.c_str(), function.c_str(), 0) == 0);
}

bool IgnoreList::ignores(takt_rt::GuardKind kind, const std::string & function) const
{
  if (lines_.empty()) {
    return false;
  }
  const std::string name = without_parameters(function);
  return std::any_of(lines_.begin(), lines_.end(), [&](const Line & line) {
    return line.ignores(kind, function, name);
  });
}

bool IgnoreList::note(
  takt_rt::GuardKind kind, const std::string & function, std::vector<bool> & used) const
{
  bool ignored = false;
  const std::string name = without_parameters(function);
  used.resize(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].ignores(kind, function, name)) {
      used[i] = true;
      ignored = true;
    }
  }
  return ignored;
}

std::vector<std::string> IgnoreList::unused(const std::vector<bool> & used) const
{
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (i >= used.size() || !used[i]) {
      lines.push_back(std::to_string(lines_[i].number) + ": " + lines_[i].text);
    }
  }
  return lines;
}

}  // namespace takt_exec
