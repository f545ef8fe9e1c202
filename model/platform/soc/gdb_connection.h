// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "model/platform/soc/gdb_packets.h"

namespace mxe::soc {

/// The packets of gdb's remote protocol over a TCP connection, of which this machine alone can be
/// the other end.
class GdbConnection {
 public:
  /// Listens on 127.0.0.1; port 0 chooses one. Throws mx::Error if the port cannot be had.
  explicit GdbConnection(uint16_t port);
  ~GdbConnection();
  GdbConnection(const GdbConnection&) = delete;
  GdbConnection& operator=(const GdbConnection&) = delete;

  uint16_t port() const { return port_; }
  /// Waits until gdb connects.
  void accept();
  bool connected() const { return connection_ >= 0; }

  /// Waits for a packet or an interrupt, and acknowledges it. Nothing if the connection has ended.
  std::optional<GdbPackets::Item> receive();
  /// The same without waiting: nothing if no packet is complete. One that is cut stays incomplete,
  /// however long its sender is silent.
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
  std::deque<GdbPackets::Item> items_;  // received, not returned
};

}  // namespace mxe::soc
