// Compiles only with TAKT_DOUBLES=1: three doubles have no atomic instruction.
#include "takt_rt/atomic_value.hpp"

struct Gains
{
  double values[TAKT_DOUBLES];
};

Gains read(const takt_rt::AtomicValue<Gains> & gains)
{
  return gains.get();
}
