// Finds chains whose messages may be replaced each time before they are read.
//
// A callback that reads takes the latest message of a topic. If another message may come each time
// between the chain's message and the reader, it is possible that no activation of the chain ends.
// A response bound holds only for activations that end. No age follows from it.
//
// There are two cases. In the first, another callback also publishes the topic. In the second, the
// publisher (or a callback some steps before it) also runs for callbacks other than the one before
// it on the path, and publishes for them, too. Runs of the callback that reads at the beginning of
// a part do not count: they read the latest message, so the data in their messages is at least as
// new.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__REPLACED_HPP_
#define TAKT_PLAN__SRC__REPLACED_HPP_

#include <optional>
#include <string>
#include <vector>

#include "takt_plan/model.hpp"

namespace takt_plan
{

struct Replaced
{
  Index reader = kNone;
  Index publisher = kNone;  ///< the callback before the reader on the path
  Index started =
    kNone;           ///< runs for others than the path's; none: another one publishes the topic
  Index by = kNone;  ///< the other callback that starts it or publishes; kNone: messages from
                     ///< outside
};

/// The first such place on a chain's path; empty: there is none.
std::optional<Replaced> replaced(const Model & model, const Chain & chain);

/// The reason why the chain has no age. Names callbacks by their ids on the chain.
std::string why_no_age(const Model & model, const Chain & chain, const Replaced & place);
/// One sentence for each chain whose bound does not cover replaced activations.
std::vector<std::string> replaced_warnings(const Model & model, const std::vector<Index> & chains);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__REPLACED_HPP_
