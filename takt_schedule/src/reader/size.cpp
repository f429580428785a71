#include "takt_schedule/size.hpp"

#include <array>

#include "reader/quantity.hpp"

namespace takt_schedule
{
namespace
{

constexpr std::array<detail::DecimalUnit, 4> kUnits{{
  {"GiB", 1LL << 30U},
  {"MiB", 1LL << 20U},
  {"KiB", 1LL << 10U},
  {"B", 1},
}};

}  // namespace

takt_rt::Result<std::size_t> parse_size(std::string_view text)
{
  const auto bytes = detail::parse_quantity(text, {kUnits, "B, KiB, MiB and GiB", "KiB", "1B"});
  if (!bytes) {
    return bytes.faults();
  }
  return static_cast<std::size_t>(bytes.value());
}

std::string print_size(std::size_t bytes)
{
  for (const auto & [name, factor] : kUnits) {
    const auto unit = static_cast<std::size_t>(factor);
    if (bytes >= unit && bytes % unit == 0) {
      return std::to_string(bytes / unit) + std::string(name);
    }
  }
  return "0B";
}

}  // namespace takt_schedule
