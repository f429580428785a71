#include "reply.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

namespace takt_control
{
namespace
{

std::string dumped(const nlohmann::json & value)
{
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Reply result_reply(const nlohmann::json & document)
{
  return {MessageType::result, dumped(document)};
}

Reply error_reply(const std::vector<std::string> & faults)
{
  return {MessageType::error, dumped({{"faults", faults}})};
}

std::string frames_of(const Reply & reply)
{
  std::string_view rest = reply.payload;
  std::string bytes;
  while (rest.size() > kMostPayload) {
    bytes += encode(MessageType::part, rest.substr(0, kMostPayload));
    rest.remove_prefix(kMostPayload);
  }
  return bytes + encode(reply.type, rest);
}

}  // namespace takt_control
