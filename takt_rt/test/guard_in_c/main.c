/* A program in C that opens a library in C++, which throws within itself. Python and its extensions
 * are such a program. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char ** words)
{
  void * const library = count > 1 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*const catches)(void) = library == NULL ? NULL : (int (*)(void))dlsym(library, "catches");
  if (catches == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  return catches();
}
