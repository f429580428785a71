// Reads the parts of a callback's id (takt_core/adapter/callback_ids.hpp). Pure functions.
#ifndef TAKT_TRACE__SRC__CALLBACK_IDS_HPP_
#define TAKT_TRACE__SRC__CALLBACK_IDS_HPP_

#include <string_view>

#include "takt_core/adapter/callback_ids.hpp"

namespace takt_trace::detail
{

/// The node; the whole text if it is not an id, as for callbacks without a node.
inline std::string_view node_in(std::string_view id)
{
  const std::string_view node = takt_core::adapter::node_of(id);
  return node.empty() ? id : node;
}

/// The topic of a subscription; empty if the user gave it a name.
inline std::string_view topic_in(std::string_view id)
{
  const std::string_view what = takt_core::adapter::bracketed(id);
  const bool is_topic = what.starts_with('/') && takt_core::adapter::kind_word(id) == "sub";
  return is_topic ? what : std::string_view();
}

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CALLBACK_IDS_HPP_
