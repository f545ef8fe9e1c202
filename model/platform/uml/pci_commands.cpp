// SPDX-License-Identifier: Apache-2.0
#include "model/platform/uml/pci_commands.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

namespace mxe::uml {
namespace {

bool is_read(PciOp op) { return op == PciOp::read_config || op == PciOp::read_bar; }
bool is_config(PciOp op) { return op == PciOp::read_config || op == PciOp::write_config; }

}  // namespace

std::size_t PciCommands::execute(const Buffer& buffer) {
  const std::vector<uint8_t> bytes = buffer.read(sizeof(PciRequest) + kMostBytes);
  PciRequest request;
  if (bytes.size() < sizeof request) {
    throw ProtocolError(fmt::format("an access to the function in {} bytes", bytes.size()));
  }
  std::memcpy(&request, bytes.data(), sizeof request);
  const auto op = static_cast<PciOp>(request.op);
  if (request.op < static_cast<uint8_t>(PciOp::read_config) || op > PciOp::set_bar) {
    throw ProtocolError(fmt::format("unknown access {} to the function", request.op));
  }
  if (request.size > kMostBytes) {
    throw ProtocolError(
        fmt::format("an access of {} bytes (allowed: {})", request.size, kMostBytes));
  }
  if (!is_config(op)) register_accesses_++;
  if (is_read(op)) return read(request, buffer);
  write(request, bytes.data() + sizeof request, bytes.size() - sizeof request);
  return 0;
}

std::size_t PciCommands::read(const PciRequest& request, const Buffer& buffer) {
  std::vector<uint8_t> data(request.size, 0xff);
  if (static_cast<PciOp>(request.op) == PciOp::read_config) {
    target_.read_config(request.address, data.size(), data.data());
  } else if (request.bar == 0) {
    target_.read_bar0(request.address, data.size(), data.data());
  }
  buffer.write(data.data(), data.size());
  return data.size();
}

void PciCommands::write(const PciRequest& request, const uint8_t* data, std::size_t bytes) {
  const auto op = static_cast<PciOp>(request.op);
  const bool one_byte = op == PciOp::set_bar;  // repeated for all bytes of the request
  if (bytes < (one_byte ? 1 : request.size)) {
    throw ProtocolError(fmt::format("a write of {} bytes with {}", request.size, bytes));
  }
  if (op == PciOp::write_config) {
    target_.write_config(request.address, request.size, data);
  } else if (request.bar == 0 && one_byte) {
    const std::vector<uint8_t> filled(request.size, data[0]);
    target_.write_bar0(request.address, filled.size(), filled.data());
  } else if (request.bar == 0) {
    target_.write_bar0(request.address, request.size, data);
  }
}

}  // namespace mxe::uml
