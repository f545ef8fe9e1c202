// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

  /// Waits for a packet and acknowledges it. Nothing if the connection has ended. An interrupt is
  /// the packet "\x03".
  std::optional<std::string> receive();
  void send(const std::string& packet);
  /// Whether gdb has sent something. Returns at once.
  bool has_input() const;
  void close();

 private:
  int get_byte();
  bool send_bytes(const std::string& bytes);

  int listener_ = -1, connection_ = -1;
  uint16_t port_ = 0;
};

}  // namespace mxe::soc
