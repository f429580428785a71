#include "takt_schedule/deadline_share.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace takt_schedule
{
namespace
{

std::optional<double> number_in(const std::filesystem::path & path)
{
  std::ifstream file(path);
  double value = 0.0;
  return file >> value ? std::optional(value) : std::nullopt;
}

std::optional<double> share_in(
  const std::filesystem::path & runtime_file, const std::filesystem::path & period_file)
{
  const auto runtime = number_in(runtime_file);
  const auto period = number_in(period_file);
  return runtime && period && *period > 0.0 ? std::optional(*runtime / *period) : std::nullopt;
}

bool has_fair_server(const std::string & release_file)
{
  std::ifstream file(release_file);
  int major = 0;
  int minor = 0;
  char point = 0;
  return (file >> major >> point >> minor) && std::pair(major, minor) >= std::pair(6, 12);
}

AdmittedShare fair_server_share(const KernelFiles & files)
{
  // Each core has its own server. If their shares differ, the largest counts for all cores.
  std::optional<double> most;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(files.fair_server, error), end;
       !error && entry != end; entry.increment(error)) {
    if (const auto share = share_in(entry->path() / "runtime", entry->path() / "period")) {
      most = std::max(most.value_or(0.0), *share);
    }
  }
  constexpr double kUsual = 0.05;
  if (!most && has_fair_server(files.release)) {
    return {kUsual, true};
  }
  return {most.value_or(0.0), false};
}

}  // namespace

AdmittedShare deadline_share(const KernelFiles & files)
{
  constexpr double kNothing = 1e-9;  // 0 means no limit
  const std::filesystem::path sysctl = files.sysctl;
  const auto realtime = share_in(sysctl / "sched_rt_runtime_us", sysctl / "sched_rt_period_us");
  if (!realtime || *realtime < 0.0) {  // -1: no limit
    return {};
  }
  const AdmittedShare server = fair_server_share(files);
  return {std::max(*realtime - server.share, kNothing), server.assumed};
}

}  // namespace takt_schedule
