// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "model/platform/soc/gdb_packets.h"

namespace mxe::soc {

/// Packets of gdb's remote protocol over a TCP connection to the local host only.
class GdbConnection {
 public:
  /// Listens on 127.0.0.1; port 0: any free port. Throws Error if the port is not available.
  explicit GdbConnection(uint16_t port);
  ~GdbConnection();
  GdbConnection(const GdbConnection&) = delete;
  GdbConnection& operator=(const GdbConnection&) = delete;

  uint16_t port() const { return port_; }
  void accept();
  bool connected() const { return connection_ >= 0; }

  /// Waits for a packet, which it acknowledges, or an interrupt. nullopt if the connection has
  /// ended.
  std::optional<GdbPackets::Item> receive();
  /// As receive(), without waiting: nullopt if no packet is complete.
  std::optional<GdbPackets::Item> poll();
  void send(const std::string& packet);
  void close();

 private:
  bool read_bytes(int flags);
  std::optional<GdbPackets::Item> next();
  void acknowledge(const GdbPackets::Item& item);
  bool send_bytes(const std::string& bytes, int flags);

  int listener_ = -1, connection_ = -1;
  uint16_t port_ = 0;
  GdbPackets packets_;
  std::deque<GdbPackets::Item> items_;
};

}  // namespace mxe::soc
