// Reads a decimal number with a unit exactly, for durations and sizes.
#ifndef TAKT_SCHEDULE__SRC__QUANTITY_HPP_
#define TAKT_SCHEDULE__SRC__QUANTITY_HPP_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "takt_rt/decimal.hpp"
#include "takt_rt/result.hpp"

namespace takt_schedule::detail
{

using takt_rt::DecimalUnit;

struct QuantityKind
{
  std::span<const DecimalUnit> units;
  std::string_view names;     ///< for faults: "ns, us, ms, s or min"
  std::string_view usual;     ///< the unit to suggest for a number without one
  std::string_view smallest;  ///< for faults: "1ns"
};

/// The value in the smallest unit, or one fault.
takt_rt::Result<std::int64_t> parse_quantity(std::string_view text, const QuantityKind & kind);

}  // namespace takt_schedule::detail

#endif  // TAKT_SCHEDULE__SRC__QUANTITY_HPP_
