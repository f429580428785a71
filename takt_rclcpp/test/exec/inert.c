/* Stands for libtakt_preload.so where a test looks at takt_exec alone: does nothing. */
extern int takt_inert;
int takt_inert = 1;
