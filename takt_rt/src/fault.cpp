#include "takt_rt/fault.hpp"

#include <ostream>

namespace takt_rt
{

std::string to_string(const Fault & fault)
{
  std::string said = fault.file;
  if (!said.empty()) {
    said += fault.line == 0
              ? ": "
              : ":" + std::to_string(fault.line) + ":" + std::to_string(fault.column) + ": ";
  }
  said += fault.place.empty() ? "" : fault.place + ": ";
  if (fault.refusal) {
    said += to_string(*fault.refusal) + (fault.text.empty() ? "" : "; ");
  }
  return said + fault.text;
}

std::ostream & operator<<(std::ostream & out, const Fault & fault)
{
  return out << to_string(fault);
}

Fault within(std::string_view outer, Fault fault)
{
  fault.place = std::string(outer) + (fault.place.empty() ? "" : ": ") + fault.place;
  return fault;
}

std::vector<std::string> sentences(const Faults & faults)
{
  std::vector<std::string> all;
  all.reserve(faults.size());
  for (const Fault & fault : faults) {
    all.push_back(to_string(fault));
  }
  return all;
}

}  // namespace takt_rt
