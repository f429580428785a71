/* Linked with a library that has the name of takt_rcl's, which nodes written for takt_rcl link. */
extern int takt_inert;
int main(void)
{
  return takt_inert - 1;
}
