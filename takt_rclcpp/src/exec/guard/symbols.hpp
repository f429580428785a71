// Names for addresses of a program or library: functions by the file's symbols, and lines by
// addr2line if the machine has it.
#ifndef EXEC__GUARD__SYMBOLS_HPP_
#define EXEC__GUARD__SYMBOLS_HPP_

#include <cstdint>
#include <string>
#include <vector>

namespace takt_exec
{

/// The source place of an address. Empty members: unknown.
struct Place
{
  std::string function;  ///< demangled, with its parameters
  std::string file;
  int line = 0;
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

/// The function that the program's author wrote: of the function by which a std::function calls
/// another one, that other one, because a compiler that optimises puts its code there:
/// "main::{lambda()#1}::operator()" for
/// "std::_Function_handler<void (), main::{lambda()#1}>::_M_invoke(std::_Any_data const&)". Else
/// the function itself. May allocate.
std::string written_function(const std::string & demangled);

/// The places of `offsets` in the ELF file `path`. If addr2line is in the PATH, starts it for the
/// lines. Set-up only; may block for seconds on a large file with debug information.
std::vector<Place> places_in(const std::string & path, const std::vector<std::uint64_t> & offsets);

}  // namespace takt_exec

#endif  // EXEC__GUARD__SYMBOLS_HPP_
