/* For LD_PRELOAD: files cannot be locked, as on a file system without locks. Needs no header files. */
extern void *dlsym(void *library, const char *name);
extern int *__errno_location(void);

enum { GETLK = 5, SETLKW = 7, OFD_GETLK = 36, OFD_SETLKW = 38, NO_LOCKS_AVAILABLE = 37 };

static int control(const char *name, int file, int command, void *argument) {
  int (*next)(int, int, ...) = dlsym((void *)-1l, name);
  int locks = (command >= GETLK && command <= SETLKW) || (command >= OFD_GETLK && command <= OFD_SETLKW);
  if (!locks) return next(file, command, argument);
  *__errno_location() = NO_LOCKS_AVAILABLE;
  return -1;
}

int fcntl(int file, int command, void *argument) { return control("fcntl", file, command, argument); }
int fcntl64(int file, int command, void *argument) { return control("fcntl64", file, command, argument); }
