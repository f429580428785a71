// A `set` request: one object of the process's executors, and its new value. Allocates; does not
// block.
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
  std::string name{};  ///< of the chain or thread; the callback's id
  /// of a thread; absent: every executor that has a thread of this name
  std::optional<std::string> executor{};
  Value value = Value::priority;
  /// priority or nice value; absent: the callback takes its chains' priority
  std::optional<int> number{};
  std::vector<std::string> threads{};
  bool check_only = false;
};

/// Accepts any bytes. Faults: why the bytes are not a request.
takt_rt::Result<SetRequest> read_set_request(const std::string & payload);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__SET_REQUEST_HPP_
