// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/platform/uml/file_descriptor.h"

namespace mxe::uml {

/// A Unix socket that one other process connects to.
class Listener {
 public:
  /// Throws mx::Error if there can be no socket of that name.
  explicit Listener(const std::string& path);
  ~Listener();

  int get() const { return socket_.get(); }
  FileDescriptor accept();

 private:
  std::string path_;
  FileDescriptor socket_;
};

/// Most files that come with one message.
inline constexpr std::size_t kMostFiles = 8;

/// Receives exactly `bytes` bytes, and the files that come with them if somebody wants them. Waits
/// for them. Returns false if the other end has gone. Throws ProtocolError if there are more files
/// than anybody may send.
bool receive(int socket, void* data, std::size_t bytes,
             std::vector<FileDescriptor>* files = nullptr);

/// Sends everything, with files. Returns false if the other end has gone.
bool send(int socket, const void* data, std::size_t bytes, const std::vector<int>& files = {});

}  // namespace mxe::uml
