// Random systems in which callbacks read topics without being started, with chains through them.
#ifndef TAKT_PLAN__TEST__SUPPORT__READING_MODEL_HPP_
#define TAKT_PLAN__TEST__SUPPORT__READING_MODEL_HPP_

#include <cstdint>

#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// A random model (random_model.hpp) with reads between random tasks, sometimes of two publishers
/// of one topic, sometimes with messages under way. Some sources are messages from outside. Its
/// chains are paths that begin at a source and read at least once, if there are such paths.
Model reading_model(std::uint64_t seed);

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__SUPPORT__READING_MODEL_HPP_
