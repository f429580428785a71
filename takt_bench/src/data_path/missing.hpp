// Ways of messages that do not exist everywhere.
#ifndef TAKT_BENCH__SRC__DATA_PATH__MISSING_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__MISSING_HPP_

#include <optional>
#include <string>

#include "data_path/setting.hpp"

namespace takt_bench::data_path
{

/// Why this way does not exist here: with this build, or with this middleware. Set-up only.
std::optional<std::string> missing(const Setting & setting);

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__MISSING_HPP_
