// A `set` request: which one thing of the process's executors is to change, and to what. Allocates; does not block.
#ifndef TAKT_CONTROL__SRC__SET_REQUEST_HPP_
#define TAKT_CONTROL__SRC__SET_REQUEST_HPP_

#include <optional>
#include <string>
#include <vector>

#include "takt_rt/result.hpp"

namespace takt_control
{

struct SetRequest
{
  enum class Object
  {
    chain,
    callback,
    thread
  };
  enum class Value
  {
    priority,
    threads,  ///< of a callback
    nice      ///< of a thread
  };
  Object object = Object::chain;
  std::string name{};                     ///< the chain's, the callback's id, the thread's
  std::optional<std::string> executor{};  ///< of a thread; absent: all that have one of that name
  Value value = Value::priority;
  std::optional<int> number{};  ///< priority or nice; absent: the callback's is that of its chains
  std::vector<std::string> threads{};
  bool check_only = false;
};

/// Any bytes are safe. Faults: what is wrong with them.
takt_rt::Result<SetRequest> read_set_request(const std::string & payload);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__SET_REQUEST_HPP_
