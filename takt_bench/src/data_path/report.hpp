// The result of a measurement as JSON: the document `data_path`.
#ifndef TAKT_BENCH__SRC__DATA_PATH__REPORT_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__REPORT_HPP_

#include <nlohmann/json.hpp>
#include <vector>

#include "data_path/ledger.hpp"
#include "data_path/setting.hpp"
#include "takt_rt/kernel_accounts.hpp"
#include "takt_trace/stall.hpp"

namespace takt_bench::data_path
{

/// The accounts of all threads of one child.
struct ProcessCounts
{
  Side side;
  std::vector<takt_rt::ThreadAccount> threads;
};

/// Everything that a measurement found.
struct Finding
{
  const Setting & setting;
  const Ledger & ledger;
  std::vector<ProcessCounts> before{};  ///< at the end of the warm-up
  std::vector<ProcessCounts> after{};   ///< after the last message
  std::vector<takt_trace::Stall> stalls{};
  bool blind = false;  ///< stalls could not be told apart from load
};

/// Set-up only: allocates.
nlohmann::ordered_json report(const Finding & finding);

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__REPORT_HPP_
