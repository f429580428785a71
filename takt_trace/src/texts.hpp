// Stores texts by number, so that each is stored, checked and written once.
#ifndef TAKT_TRACE__SRC__TEXTS_HPP_
#define TAKT_TRACE__SRC__TEXTS_HPP_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace takt_trace::detail
{

struct Text
{
  std::uint32_t number = 0;
};

/// `text` with U+FFFD in place of bytes that are not UTF-8. Allocates.
std::string valid_utf8(const std::string & text);

/// Allocates.
class Texts
{
public:
  /// Returns the same number for the same text; numbers count from 0.
  Text add(const std::string & text);
  /// Valid UTF-8, by number.
  const std::vector<std::string> & all() const noexcept { return texts_; }

private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, Text> numbers_;  // by the text before its check
};

/// The name with this `index`; without one `what` and the index.
inline std::string name_at(
  const std::vector<std::string> & names, std::uint32_t index, std::string_view what)
{
  return index < names.size() ? names[index] : std::string(what) + " " + std::to_string(index);
}

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__TEXTS_HPP_
