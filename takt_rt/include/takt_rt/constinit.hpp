// C++20's constinit for headers of C++17: the variable is initialised before the program runs.
//
// Without it a compiler reaches a thread-local variable of another file through a function that may
// initialise it.
#ifndef TAKT_RT__CONSTINIT_HPP_
#define TAKT_RT__CONSTINIT_HPP_

#if defined(__cpp_constinit)
#define TAKT_RT_CONSTINIT constinit
#elif defined(__clang__)
#define TAKT_RT_CONSTINIT [[clang::require_constant_initialization]]
#else
#define TAKT_RT_CONSTINIT __constinit
#endif

#endif  // TAKT_RT__CONSTINIT_HPP_
