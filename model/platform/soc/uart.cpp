// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/uart.h"

#include <string>

#include "soc_map.h"

namespace mxe::soc {

bool Uart::read(uint32_t offset, uint32_t& value) {
  if (offset != SOC_UART_RX) return false;
  value = receive();
  return true;
}

bool Uart::write(uint32_t offset, uint32_t value) {
  if (offset != SOC_UART_TX) return false;
  const auto byte = static_cast<char>(value & SOC_UART_TX_DATA);
  out_.put(byte);
  if (byte == '\n') out_.flush();
  if (!out_) lost_();
  return true;
}

uint32_t Uart::receive() {
  out_.flush();  // show prompts before waiting for input
  const int byte = in_.get();
  return byte == std::char_traits<char>::eof() ? SOC_UART_RX_END : static_cast<uint32_t>(byte);
}

}  // namespace mxe::soc
