// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "model/platform/linux/console.h"
#include "model/platform/linux/kernel_process.h"
#include "model/platform/linux/session.h"
#include "model/platform/uml/machine.h"

namespace mxe::guest {

/// During its lifetime, a terminating signal (Ctrl-C, closed terminal, kill) first stops the
/// machine. If that takes more than 2 s, or at a second signal, it ends Linux and this process at
/// once.
class Interrupts {
 public:
  /// Objects to end and to clean up. `terminal` may be null.
  struct Owned {
    uml::Machine* machine;
    const KernelProcess* kernel;
    const Session* session;
    const RawTerminal* terminal;
  };

  explicit Interrupts(const Owned& owned);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  static int signal();
};

}  // namespace mxe::guest
