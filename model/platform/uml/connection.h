// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/platform/uml/file_descriptor.h"

namespace mxe::uml {

class Listener {
 public:
  explicit Listener(const std::string& path);
  ~Listener();

  int get() const { return socket_.get(); }
  FileDescriptor accept();

 private:
  std::string path_;
  FileDescriptor socket_;
};

inline constexpr std::size_t kMostFiles = 8;

/// Receives exactly `bytes` bytes. Files sent with them go to `files` or are closed. False if the
/// peer has closed the connection. Throws ProtocolError above kMostFiles files.
bool receive(int socket, void* data, std::size_t bytes,
             std::vector<FileDescriptor>* files = nullptr);

/// Sends all data and files. Returns false if the peer has closed the connection.
bool send(int socket, const void* data, std::size_t bytes, const std::vector<int>& files = {});

}  // namespace mxe::uml
