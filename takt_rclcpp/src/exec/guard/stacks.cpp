#include "exec/guard/stacks.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "exec/guard/account_file.hpp"

namespace takt_exec
{
namespace
{

// True if the function has a frame of its own further in: the compiler did not inline it.
bool has_frame(const std::string & function, const std::vector<Frame> & frames)
{
  return std::any_of(frames.begin(), frames.end(), [&](const Frame & frame) {
    return frame.place.function.rfind(function, 0) == 0;
  });
}

// The frames of one address: of the functions that are inlined there those of the program, and the
// function that has the code.
void add_frames(
  const Frame & address, const std::vector<Place> & places, std::vector<Frame> & frames)
{
  const auto add = [&](Place place, Part part, bool may_carry = false) {
    frames.push_back({address.object, address.offset, std::move(place), part, may_carry});
  };
  const auto is_programs = [&](const Place & place) {
    return place.inlined && part_of(address.object, place) == Part::program;
  };
  const Place & last = places.back();
  const auto carried = carried_function(last.function);
  bool may_carry = false;
  if (
    carried && !has_frame(carried->function, frames) &&
    std::none_of(places.begin(), places.end(), is_programs)) {
    // A trace point is the library's own. Without line numbers only the name tells of the program's
    // function. With them the function made the last call of its code: that leaves no frame.
    const bool traces =
      !frames.empty() && base_name(frames.back().object).rfind("libtracetools", 0) == 0;
    if (carried->alone && !traces) {
      add({carried->function, "", 0, true}, Part::program);
    } else {
      may_carry = places.front().file.empty();
    }
  }
  for (Place place : places) {
    if (is_programs(place)) {
      if (carried && place.function == "operator()") {
        place.function = carried->function;
      }
      add(std::move(place), Part::program);
    }
  }
  add(last, part_of(address.object, last), may_carry);
}

}  // namespace

std::vector<Frame> stack_at(const takt_rt::GuardAccount & account, const takt_rt::GuardSite & site)
{
  std::vector<Frame> stack;
  for (FileAddress & address : frames_of(account, site)) {
    stack.push_back({std::move(address.object), address.offset});
  }
  return stack;
}

const Functions & Names::functions_of(const std::string & object)
{
  return functions_.try_emplace(object, object).first->second;
}

std::string Names::symbol(const Frame & frame)
{
  return frame.object.empty() ? "" : functions_of(frame.object).at(frame.offset);
}

void Names::add_to(const std::vector<std::vector<Frame> *> & stacks)
{
  std::map<std::string, std::vector<std::uint64_t>> unknown;  // by object
  for (const auto * const stack : stacks) {
    for (const Frame & frame : *stack) {
      if (!frame.object.empty() && places_[frame.object].try_emplace(frame.offset).second) {
        unknown[frame.object].push_back(frame.offset);
      }
    }
  }
  for (const auto & [object, offsets] : unknown) {
    auto found = places_in(object, functions_of(object), offsets);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      places_[object][offsets[i]] = std::move(found[i]);
    }
  }
  const std::vector<Place> nowhere(1);
  for (auto * const stack : stacks) {
    std::vector<Frame> all;
    for (const Frame & frame : *stack) {
      add_frames(frame, frame.object.empty() ? nowhere : places_[frame.object][frame.offset], all);
    }
    *stack = std::move(all);
  }
}

}  // namespace takt_exec
