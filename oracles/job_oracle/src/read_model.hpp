// Models as lines of JSON; README.md has the format.
#ifndef JOB_ORACLE__READ_MODEL_HPP_
#define JOB_ORACLE__READ_MODEL_HPP_

#include <string>

#include "model.hpp"

namespace job_oracle
{

/// Throws std::runtime_error with a sentence if it is none.
Model read_model(const std::string & line);

}  // namespace job_oracle

#endif  // JOB_ORACLE__READ_MODEL_HPP_
