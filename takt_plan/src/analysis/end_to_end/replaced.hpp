// Chains whose messages others may always replace before they are read.
//
// A callback that reads takes the latest message of a topic. Where another message may come each time
// between the chain's message and the reader, perhaps no activation of the chain ever ends. A response
// bound then holds of the activations that end; no age follows from it.
//
// Two cases. Another callback publishes the topic, too. Or the publisher itself runs for others than the
// callback before it on the path, and publishes for them, too; that one may stand some callbacks before
// the reader. Runs of the callback with which a part begins by reading are none of these: whoever starts
// them, they read the latest message, and what they publish is made of data at least as new.
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
  Index publisher = kNone;  ///< of what is read: the callback before the reader on the path
  Index started =
    kNone;           ///< runs for others than the path's; none: another one publishes the topic
  Index by = kNone;  ///< the other one that starts it or publishes; none: messages from outside
};

/// The first place on a chain's path where that may happen.
std::optional<Replaced> replaced(const Model & model, const Chain & chain);

/// Why there is no age, naming callbacks as the chain does.
std::string why_no_age(const Model & model, const Chain & chain, const Replaced & place);
/// One sentence per chain for which the bound says nothing of activations that are replaced.
std::vector<std::string> replaced_warnings(const Model & model, const std::vector<Index> & chains);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__REPLACED_HPP_
