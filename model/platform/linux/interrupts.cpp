// SPDX-License-Identifier: Apache-2.0
#include "model/platform/linux/interrupts.h"

#include <unistd.h>

#include <csignal>

namespace mxe::guest {
namespace {

constexpr unsigned kPatienceSeconds = 2;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};

// A signal handler can only access static data.
Interrupts::Owned owned_now;
volatile std::sig_atomic_t first_signal = 0;

void handle(int signal) {
  if (first_signal == 0 && signal != SIGALRM) {
    first_signal = signal;
    owned_now.machine->stop();
    alarm(kPatienceSeconds);
    return;
  }
  owned_now.kernel->kill();
  owned_now.session->remove();
  if (owned_now.terminal) owned_now.terminal->restore();
  const int wanted = first_signal;
  std::signal(wanted, SIG_DFL);
  raise(wanted);
}

}  // namespace

Interrupts::Interrupts(const Owned& owned) {
  owned_now = owned;
  first_signal = 0;
  std::signal(SIGPIPE, SIG_IGN);
  for (const int signal : kSignals) {
    struct sigaction action {};
    action.sa_handler = handle;  // without SA_RESTART: blocking calls return
    sigaction(signal, &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  alarm(0);
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

int Interrupts::signal() { return first_signal; }

}  // namespace mxe::guest
