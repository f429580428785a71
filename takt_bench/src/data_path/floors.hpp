// The physical limits beside the measurements: a call, a look at the clock, and copies of memory.
#ifndef TAKT_BENCH__SRC__DATA_PATH__FLOORS_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__FLOORS_HPP_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

namespace takt_bench::data_path
{

/// The document `data_path_floors`: medians, on the calling thread and its core. Takes half a
/// second and some more for large sizes. May block.
nlohmann::ordered_json floors(const std::vector<std::size_t> & sizes);

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__FLOORS_HPP_
