// Names for addresses of a program or library: functions by the file's symbols, and lines by
// addr2line if the machine has it.
#ifndef EXEC__GUARD__SYMBOLS_HPP_
#define EXEC__GUARD__SYMBOLS_HPP_

#include <cstdint>
#include <string>
#include <vector>

namespace takt_exec
{

/// A function whose code an address belongs to. Empty members: unknown.
struct Place
{
  /// Demangled, with its parameters. Of an inlined function perhaps only the last part of its name.
  std::string function;
  std::string file;
  int line = 0;
  bool inlined = false;  ///< the compiler put the function's code into that of another one
};

/// The functions in the symbol tables of an ELF file.
class Functions
{
public:
  /// Reads the file. Has no functions if it cannot be read. Set-up only; may block.
  explicit Functions(const std::string & path);

  /// The function that contains the address, demangled, with its parameters; empty: unknown. May
  /// allocate.
  std::string at(std::uint64_t offset) const;

private:
  struct Function
  {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::string name;
  };
  std::vector<Function> all_;
};

/// The functions at each of `offsets` in the ELF file `path`, innermost first: those that are
/// inlined there, and last the one that has the code. If addr2line is in the PATH, starts it for
/// the lines and the inlined functions; without it there is one function for each offset. Set-up
/// only; may block for seconds on a large file with debug information.
std::vector<std::vector<Place>> places_in(
  const std::string & path, const Functions & functions,
  const std::vector<std::uint64_t> & offsets);

}  // namespace takt_exec

#endif  // EXEC__GUARD__SYMBOLS_HPP_
