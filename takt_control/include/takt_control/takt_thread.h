/*
 * For programs without ROS: gives the calling thread the attributes that a schedule has for it.
 *
 *     #include <takt_control/takt_thread.h>
 *
 *     static void * lidar(void * argument)
 *     {
 *       if (takt_thread_register("lidar") != TAKT_THREAD_OK) {
 *         fprintf(stderr, "%s\n", takt_thread_error());
 *       }
 *       ...
 *     }
 *
 * Link with -ltakt_control. The schedule is the file that TAKT_SCHEDULE names; it is read once. The
 * rules are those of `process_threads` of all its executors. C99 and C++.
 */
#ifndef TAKT_CONTROL__TAKT_THREAD_H_
#define TAKT_CONTROL__TAKT_THREAD_H_

#ifdef __cplusplus
extern "C" {
#endif

enum takt_thread_result
{
  TAKT_THREAD_OK = 0, /* the thread has what its rule says, read back from the kernel */
  TAKT_THREAD_NO_RULE =
    1, /* no schedule, or no rule for this name: nothing has changed but the name */
  TAKT_THREAD_REFUSED = 2, /* the kernel or the configurator refused something */
  TAKT_THREAD_BAD_FILE = 3 /* the schedule cannot be read, or two rules fit equally */
};

/* Names the calling thread (the kernel keeps 15 characters) and applies the rule that matches
 * `name`, by this process's own rights and, if there is one, through the configurator daemon
 * (docs/configurator.md). When it returns, the attributes are in force, and `takt status` knows the
 * thread (unless TAKT_CONTROL=none). Any thread; allocates; may block, up to some seconds for a
 * daemon that does not answer. */
int takt_thread_register(const char * name);

/* The error of this thread's last call; "" if it had none. Valid until the thread's next call. */
const char * takt_thread_error(void);

#ifdef __cplusplus
}
#endif

#endif /* TAKT_CONTROL__TAKT_THREAD_H_ */
