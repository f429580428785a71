/* Linked with a library that has the name of takt_rcl's, which nodes written for takt_rcl link.
 * With an argument it prints the flags with which the kernel runs it (personality(2)). */
#include <stdio.h>
#include <sys/personality.h>

extern int takt_inert;
int main(int argc, char ** argv)
{
  (void)argv;
  if (argc > 1) {
    printf("%d\n", personality(0xffffffff));
  }
  return takt_inert - 1;
}
