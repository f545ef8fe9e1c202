// SPDX-License-Identifier: Apache-2.0
// mxe-worker SOCKET MEMORY: simulates an engine for its parent process. The arguments are file
// descriptors of a socket and of a memory file.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <systemc>

#include "sw/worker/channel.h"
#include "sw/worker/session.h"

int sc_main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("mxe-worker: the Python package mxe starts this program\n", stderr);
    return 2;
  }
  // The parent handles Ctrl-C and ends this process if necessary.
  std::signal(SIGINT, SIG_IGN);
  mxe::worker::Channel channel(std::atoi(argv[1]), std::atoi(argv[2]));
  try {
    mxe::worker::serve(channel);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mxe-worker: %s\n", error.what());
    return 1;
  }
  return 0;
}

int main(int argc, char** argv) { return sc_core::sc_elab_and_sim(argc, argv); }
