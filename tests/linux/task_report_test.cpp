// SPDX-License-Identifier: Apache-2.0
#include "model/platform/linux/task_report.h"

#include <gtest/gtest.h>

namespace mxe::guest {
namespace {

// Console output of Linux 6.12 for sysrq-t; the second task waits for a lost completion.
constexpr const char* kTasks =
    "[  120.000000] sysrq: Show State\r\n"
    "[  120.000000] task:mxe-linux-init  state:S stack:0     pid:1     tgid:1     ppid:0      "
    "flags:0x00000000\r\n"
    "[  120.000000] Stack:\r\n"
    "[  120.000000]  6082fbc0 60041c12 00000000 00000000\r\n"
    "[  120.000000] Call Trace:\r\n"
    "[  120.000000]  [<603d9b40>] ? __schedule+0x0/0x5c0\r\n"
    "[  120.000000]  [<603da117>] schedule+0x17/0x50\r\n"
    "[  120.000000]  [<60043a10>] do_wait+0x60/0x120\r\n"
    "[  120.000000] task:kworker/u4:1   state:I stack:0     pid:9     tgid:9     ppid:2      "
    "flags:0x00000000\r\n"
    "[  120.000000] Workqueue:  0x0 (events)\r\n"
    "[  120.000000] Call Trace:\r\n"
    "[  120.000000]  [<603da117>] schedule+0x17/0x50\r\n"
    "[  120.000000] task:irq/3-mxe       state:S stack:0     pid:22    tgid:22    ppid:2      "
    "flags:0x00000000\r\n"
    "[  120.000000] Call Trace:\r\n"
    "[  120.000000]  [<70814a22>] mxa_engine_thread+0x42/0x90 [mxe]\r\n"
    "[  120.000000] task:my job (2)      state:S stack:0     pid:23    tgid:23    ppid:1      "
    "flags:0x00000000\r\n"
    "[  120.000000] Call Trace:\r\n"
    "[  120.000000]  [<603da117>] schedule+0x17/0x50\r\n"
    "[  120.000000]  [<60280d13>] dma_fence_default_wait+0x143/0x210\r\n"
    "[  120.000000]  [<6028117a>] ? dma_fence_release+0x0/0x120\r\n"
    "[  120.000000]  [<70815d5e>] mxa_wait_ioctl+0x9e/0x170 [mxe]\r\n"
    "[  120.000000]  [<60221b07>] drm_ioctl_kernel+0xa7/0x100\r\n"
    "[  120.000000] Program: syscall 16 RIP 00000000401b2a7f EFLAGS 00000246\r\n"
    "[  120.000000] Program: RSP 0000007fbffffb08 RBP 0000000000000003 RAX ffffffffffffffda\r\n"
    "[  120.000000] task:sleep           state:S stack:0     pid:24    tgid:24    ppid:23     "
    "flags:0x00000000\r\n"
    "[  120.000000] Call Trace:\r\n"
    "[  120.000000]  [<60077c5b>] hrtimer_nanosleep+0xbb/0x130\r\n"
    "[  120.000000] Showing busy workqueues and worker pools:\r\n"
    "[  120.000000]  [<60077c5b>] of_no_task+0x1/0x2\r\n";

TEST(TaskReport, ReadsTasksWithTheirStacks) {
  const std::vector<Task> tasks = read_tasks(kTasks);
  ASSERT_EQ(5u, tasks.size());
  EXPECT_EQ("mxe-linux-init", tasks[0].name);
  EXPECT_EQ(1, tasks[0].pid);
  EXPECT_FALSE(tasks[0].kernel_thread);
  const std::vector<std::string> stack = {"schedule+0x17/0x50", "do_wait+0x60/0x120"};
  EXPECT_EQ(stack, tasks[0].stack);
  EXPECT_TRUE(tasks[1].kernel_thread);
  EXPECT_EQ('I', tasks[1].state);
  EXPECT_EQ("my job (2)", tasks[3].name);
  EXPECT_EQ(4u, tasks[3].stack.size());
  EXPECT_EQ(1u, tasks[4].stack.size());
  EXPECT_EQ(2u, tasks[3].registers.size());
  EXPECT_EQ("syscall 16 RIP 00000000401b2a7f EFLAGS 00000246", tasks[3].registers[0]);
  EXPECT_TRUE(tasks[4].registers.empty());
}

TEST(TaskReport, FindsTheTaskThatWaitsForTheEngine) {
  const std::vector<Task> tasks = read_tasks(kTasks);
  EXPECT_EQ("my job (2) (pid 23) waits in dma_fence_default_wait", find_stuck(tasks));
  EXPECT_EQ(std::nullopt, engine_function(tasks[0]));
  EXPECT_EQ(std::nullopt, engine_function(tasks[4]));
}

Task waiting_in(const char* frame) {
  Task task;
  task.name = "program";
  task.pid = 7;
  task.stack = {"schedule+0x17/0x50", frame, "do_syscall_64+0x20/0x80"};
  return task;
}

TEST(TaskReport, KnowsEveryWayToWaitForTheEngine) {
  EXPECT_EQ("mxa_file_close", engine_function(waiting_in("mxa_file_close+0x5c/0x90 [mxe]")));
  EXPECT_EQ("their_wait", engine_function(waiting_in("their_wait+0x1/0x2 [their_driver]")));
  EXPECT_EQ("drm_syncobj_array_wait_timeout",
            engine_function(waiting_in("drm_syncobj_array_wait_timeout+0x1/0x2")));
  EXPECT_EQ("dma_fence_wait_timeout",
            engine_function(waiting_in("dma_fence_wait_timeout+0x1/0x2")));
  EXPECT_EQ(std::nullopt, engine_function(waiting_in("futex_wait+0x1/0x2")));
  EXPECT_EQ(std::nullopt, engine_function(waiting_in("n_tty_read+0x1/0x2")));
  EXPECT_EQ(std::nullopt, engine_function(waiting_in("pipe_read+0x1/0x2")));
}

TEST(TaskReport, AKernelThreadIsNoProgram) {
  Task thread = waiting_in("mxa_engine_thread+0x42/0x90 [mxe]");
  thread.kernel_thread = true;
  EXPECT_EQ(std::nullopt, find_stuck({thread}));
}

TEST(TaskReport, ShowsProgramsAndThreadsOfTheDriver) {
  const std::string text = describe_tasks(read_tasks(kTasks));
  EXPECT_NE(std::string::npos,
            text.find("task my job (2), pid 23, state S:\n  schedule+0x17/0x50\n"));
  EXPECT_NE(std::string::npos, text.find("task sleep, pid 24"));
  EXPECT_NE(std::string::npos, text.find("thread irq/3-mxe, pid 22"));
  EXPECT_EQ(std::string::npos, text.find("mxe-linux-init"));
  EXPECT_EQ(std::string::npos, text.find("kworker"));
  EXPECT_EQ(std::string::npos, text.find("of_no_task"));
  EXPECT_NE(std::string::npos,
            text.find("  registers of the program:\n    syscall 16 RIP 00000000401b2a7f EFLAGS"));
}

TEST(TaskReport, ShowsTheFirstProgramIfThereIsNoOther) {
  const std::vector<Task> tasks = read_tasks(kTasks);
  EXPECT_NE(std::string::npos, describe_tasks({tasks[0]}).find("mxe-linux-init"));
}

TEST(TaskReport, ReadsNothingFromNonsense) {
  EXPECT_TRUE(read_tasks("").empty());
  EXPECT_TRUE(read_tasks("Program: RIP 0\n [<0>] f+0x1/0x2\n").empty());
  EXPECT_TRUE(
      read_tasks("task:\n [<0>] f+0x1/0x2\ntask:x state:S pid:y ppid:1 flags:0x\n").empty());
  EXPECT_TRUE(read_tasks("task:x state:S stack:0 pid:99999999999999999999 ppid:1 f\n").empty());
  EXPECT_TRUE(read_tasks("task:x state:S stack:0 pid:1 ppid:99999999999999999999 f\n").empty());
}

}  // namespace
}  // namespace mxe::guest
