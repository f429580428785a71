/* A program without ROS: its thread `lidar` takes its attributes from the schedule, says on
 * standard output what the kernel says that it has, and then waits for the end. The tests of
 * takt_cli put it under a schedule with others.
 *
 *     lidar POLICY PRIORITY NICE CORES        as the kernel's numbers, e.g. "lidar 1 45 0 2,3"
 *
 * Exit code 1, with a sentence: the thread was refused something. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <takt_control/takt_thread.h>
#include <unistd.h>

static void * lidar(void * failed)
{
  if (takt_thread_register("lidar") != TAKT_THREAD_OK) {
    fprintf(stderr, "lidar: %s\n", takt_thread_error());
    *(int *)failed = 1;
    return NULL;
  }
  struct sched_param param = {0};
  cpu_set_t cores;
  sched_getparam(0, &param);
  sched_getaffinity(0, sizeof cores, &cores);
  printf(
    "lidar %d %d %d ", sched_getscheduler(0), param.sched_priority, getpriority(PRIO_PROCESS, 0));
  const char * comma = "";
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores)) {
      printf("%s%d", comma, core);
      comma = ",";
    }
  }
  printf("\n");
  fflush(stdout);
  for (;;) {
    pause();
  }
}

int main(void)
{
  int failed = 0;
  pthread_t thread;
  if (pthread_create(&thread, NULL, lidar, &failed) != 0) {
    return 1;
  }
  pthread_join(thread, NULL);
  return failed;
}
