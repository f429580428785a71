// Writes text of takt's files: scalars that read back unchanged, flow maps, and lines of blocks.
// Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__SRC__YAML_WRITER_HPP_
#define TAKT_SCHEDULE__SRC__YAML_WRITER_HPP_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "takt_schedule/schedule.hpp"

namespace takt_schedule::detail
{

/// `text` in double quotes, which YAML reads as that text and never as a number or another word.
std::string double_quoted(std::string_view text);
/// A scalar that is read back as `text`.
std::string scalar(std::string_view text);
/// A single word as a scalar, several as a list.
std::string scalar_or_list(const std::vector<std::string> & words);
std::string list_of(const std::vector<int> & numbers);

/// Keys and values in their written form.
using Pairs = std::vector<std::pair<std::string, std::string>>;
std::string flow(const Pairs & pairs);

class Writer
{
public:
  std::string take() { return std::move(text_); }

  void blank() { text_ += '\n'; }
  void comment(int depth, std::string_view text);
  /// "key: value"; an empty value opens a block. `item`: the first key of a list entry.
  void line(int depth, std::string_view key, std::string_view value, std::string_view remark = {});
  void item() { item_ = true; }
  /// A list entry, unchanged.
  void entry(int depth, std::string_view value);

private:
  std::string text_;
  bool item_ = false;
};

/// One entry of `chains:`, with its comment.
void write_chain(Writer & out, const ChainSchedule & entry);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__YAML_WRITER_HPP_
