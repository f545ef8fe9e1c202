// SPDX-License-Identifier: Apache-2.0
// The first program of a Linux started by mxe linux. It mounts an overlay on the host's files,
// inserts the driver, runs one program, records how it ended, and powers off. The kernel passes the
// path of a folder in the environment variable mxe_session; the file "session" in it contains
// zero-terminated fields KEY=VALUE (model/platform/linux/session.h).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define STAGE "/tmp"  // hidden by mounts; the host's /tmp stays visible below ROOT
#define SESSION STAGE "/session"
#define ROOT STAGE "/root"

struct session {
  char *directory, *module, *input;
  bool interactive;
  unsigned rows, columns;
  char **arguments, **variables;
};

static int session_folder = -1;

// Writes the end status and powers off. Does not return.
static void end(const char* format, ...) {
  const int file = openat(session_folder, "status", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  va_list values;
  va_start(values, format);
  if (file >= 0) {
    vdprintf(file, format, values);
    close(file);
  }
  va_end(values);
  sync();
  reboot(RB_POWER_OFF);
  _exit(1);
}

static void mount_or_end(const char* what, const char* where, const char* type, unsigned long flags,
                         const char* options) {
  mkdir(where, 0755);
  if (mount(what, where, type, flags, options) != 0)
    end("failed cannot mount %s on %s: %s", type, where, strerror(errno));
}

static void append(char*** list, size_t* count, char* word) {
  *list = realloc(*list, (*count + 2) * sizeof **list);
  if (!*list) end("failed no memory");
  (*list)[(*count)++] = word;
  (*list)[*count] = NULL;
}

static char* read_session_file(size_t* bytes) {
  const int file = openat(session_folder, "session", O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0)
    end("failed cannot read the session: %s", strerror(errno));
  char* text = malloc((size_t)status.st_size + 1);
  *bytes = 0;
  for (ssize_t part;
       text && (part = read(file, text + *bytes, (size_t)status.st_size - *bytes)) > 0;)
    *bytes += (size_t)part;
  close(file);
  if (!text || *bytes != (size_t)status.st_size) end("failed cannot read the session");
  text[*bytes] = 0;
  return text;
}

static struct session read_session(void) {
  struct session session = {0};
  size_t bytes = 0, arguments = 0, variables = 0;
  char* text = read_session_file(&bytes);
  for (char* field = text; field < text + bytes; field += strlen(field) + 1) {
    char* value = strchr(field, '=');
    if (!value) end("failed the session has a field '%s'", field);
    const size_t key = (size_t)(value++ - field);
    const char* keys[] = {"directory", "module",  "input",    "interactive",
                          "rows",      "columns", "argument", "variable"};
    size_t which = 0;
    while (which < sizeof keys / sizeof *keys &&
           (strlen(keys[which]) != key || strncmp(keys[which], field, key) != 0))
      which++;
    switch (which) {
      case 0:
        session.directory = value;
        break;
      case 1:
        session.module = value;
        break;
      case 2:
        session.input = value;
        break;
      case 3:
        session.interactive = *value == '1';
        break;
      case 4:
        session.rows = (unsigned)atoi(value);
        break;
      case 5:
        session.columns = (unsigned)atoi(value);
        break;
      case 6:
        append(&session.arguments, &arguments, value);
        break;
      case 7:
        append(&session.variables, &variables, value);
        break;
      default:
        end("failed the session has a field '%s'", field);
    }
    field = value;
  }
  if (!session.arguments || !session.variables) end("failed the session has no program");
  return session;
}

// Mounts the host's files with an overlay in memory, which is discarded at the end.
static void mount_files(const char* host_session) {
  mount_or_end("tmpfs", STAGE, "tmpfs", 0, "mode=755");
  mount_or_end("none", SESSION, "hostfs", 0, host_session);
  session_folder = open(SESSION, O_RDONLY | O_DIRECTORY);
  mkdir(STAGE "/upper", 0755);
  mkdir(STAGE "/work", 0755);
  mount_or_end("overlay", ROOT, "overlay", 0,
               "lowerdir=/,upperdir=" STAGE "/upper,workdir=" STAGE "/work");
  mount_or_end("proc", ROOT "/proc", "proc", 0, NULL);
  mount_or_end("sysfs", ROOT "/sys", "sysfs", 0, NULL);
  mount_or_end("devtmpfs", ROOT "/dev", "devtmpfs", 0, NULL);
  mount_or_end("devpts", ROOT "/dev/pts", "devpts", 0, "ptmxmode=666");
  mount_or_end("tmpfs", ROOT "/dev/shm", "tmpfs", 0, NULL);
  mount("debugfs", ROOT "/sys/kernel/debug", "debugfs", 0,
        NULL);  // only with the debug kernel
}

static void enter_root(void) {
  if (chdir(ROOT) != 0 || chroot(".") != 0 || chdir("/") != 0)
    end("failed cannot enter the files: %s", strerror(errno));
}

static void insert_module(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) end("failed cannot read the module %s: %s", path, strerror(errno));
  if (syscall(SYS_finit_module, file, "", 0) != 0)
    end("failed cannot insert the module %s: %s", path, strerror(errno));
  close(file);
}

static int open_raw(const char* console, int flags) {
  const int file = open(console, flags | O_NOCTTY);
  if (file < 0) end("failed cannot open %s: %s", console, strerror(errno));
  struct termios settings;
  if (tcgetattr(file, &settings) == 0) {
    cfmakeraw(&settings);
    tcsetattr(file, TCSANOW, &settings);
  }
  return file;
}

// Signals the host that Linux accepts input.
static void say_ready(void) {
  const int file = open_raw("/dev/tty4", O_WRONLY);
  if (write(file, "", 1) != 1) end("failed cannot write to /dev/tty4: %s", strerror(errno));
  close(file);
}

static int open_input(const char* input) {
  if (strcmp(input, "console") == 0) {
    const int file = open_raw("/dev/tty0", O_RDONLY);
    say_ready();
    return file;
  }
  // "OFFSET:PATH" of a host file
  char* path = NULL;
  const long long offset = strtoll(input, &path, 10);
  const int file = open(*path == ':' ? path + 1 : "/dev/null", O_RDONLY);
  if (file < 0) end("failed cannot read %s: %s", path, strerror(errno));
  if (offset > 0) lseek(file, offset, SEEK_SET);
  return file;
}

static void connect_terminal(const struct session* session) {
  setsid();
  const int terminal = open("/dev/tty0", O_RDWR);
  if (terminal < 0) end("failed cannot open /dev/tty0: %s", strerror(errno));
  ioctl(terminal, TIOCSCTTY, 0);
  const struct winsize size = {.ws_row = (unsigned short)session->rows,
                               .ws_col = (unsigned short)session->columns};
  if (size.ws_row && size.ws_col) ioctl(terminal, TIOCSWINSZ, &size);
  for (int i = 0; i < 3; i++) dup2(terminal, i);
  if (terminal > 2) close(terminal);
  say_ready();
}

static void connect_pipes(const struct session* session) {
  setsid();
  const int files[] = {open_input(session->input), open_raw("/dev/tty1", O_WRONLY),
                       open_raw("/dev/tty2", O_WRONLY)};
  for (int i = 0; i < 3; i++) {
    if (dup2(files[i], i) < 0) _exit(126);
  }
  for (int i = 0; i < 3; i++) {
    if (files[i] > 2) close(files[i]);
  }
}

static void become_program(const struct session* session) {
  if (session->interactive) {
    connect_terminal(session);
  } else {
    connect_pipes(session);
  }
  if (chdir(session->directory) != 0)
    dprintf(2, "mxe linux: cannot enter %s: %s\n", session->directory, strerror(errno));
  environ = session->variables;
  execvp(session->arguments[0], session->arguments);
  const int code = errno == ENOENT ? 127 : 126;  // as a shell
  dprintf(2, "mxe linux: cannot run %s: %s\n", session->arguments[0], strerror(errno));
  _exit(code);
}

// Waits for the program and reaps orphaned processes.
static int await(pid_t program) {
  for (;;) {
    int status = 0;
    const pid_t child = wait(&status);
    if (child == program) return status;
    if (child < 0 && errno != EINTR) end("failed cannot wait for the program: %s", strerror(errno));
  }
}

int main(void) {
  const char* host_session = getenv("mxe_session");
  if (!host_session) {
    reboot(RB_POWER_OFF);
    return 1;
  }
  mount_files(host_session);
  const struct session session = read_session();
  enter_root();
  const char* level = getenv("mxe_console_level");  // show later kernel messages
  if (level) klogctl(8, NULL, atoi(level));

  // Opens files 0 to 2, so that no other file gets these numbers.
  for (int file = open("/dev/null", O_RDWR); file >= 0 && file < 2;) file = dup(file);
  if (session.module && *session.module) insert_module(session.module);
  const pid_t program = fork();
  if (program < 0) end("failed cannot fork: %s", strerror(errno));
  if (program == 0) become_program(&session);
  const int status = await(program);
  if (WIFSIGNALED(status)) end("signal %d", WTERMSIG(status));
  end("exit %d", WEXITSTATUS(status));
}
