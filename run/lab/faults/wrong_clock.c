// SPDX-License-Identifier: MIT
// Preloaded into one rank by run/lab/fault-table: its monotonic clock counts WRONG_CLOCK_RATE seconds for
// each, its time of day is WRONG_CLOCK_OFFSET seconds ahead.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec* now) {
  static int (*real)(clockid_t, struct timespec*);
  static double rate = 1, begin;
  static long offset;
  if (!real) {
    const char* const asked = getenv("WRONG_CLOCK_RATE");
    const char* const ahead = getenv("WRONG_CLOCK_OFFSET");
    if (asked) rate = atof(asked);
    if (ahead) offset = atol(ahead);
    real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
    struct timespec first;
    real(CLOCK_MONOTONIC, &first);
    begin = (double)first.tv_sec;
  }
  const int status = real(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += offset;
  if (clock == CLOCK_MONOTONIC && rate != 1) {
    const double seconds = begin + rate * ((double)now->tv_sec - begin + 1e-9 * (double)now->tv_nsec);
    now->tv_sec = (time_t)seconds;
    now->tv_nsec = (long)(1e9 * (seconds - (double)now->tv_sec));
  }
  return status;
}
