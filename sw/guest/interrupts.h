// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "model/platform/uml/machine.h"
#include "sw/guest/console.h"
#include "sw/guest/kernel_process.h"
#include "sw/guest/session.h"

namespace mxe::guest {

/// While it lives, a signal that ends this process (Ctrl-C, a closed terminal, kill) first stops
/// the machine; if that takes long, or on the second signal, it ends Linux and this process at
/// once. Nothing is left behind either way.
class Interrupts {
 public:
  /// What there is to end and to tidy up. `terminal` may be null.
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

  /// The signal that came, or 0.
  static int signal();
};

}  // namespace mxe::guest
