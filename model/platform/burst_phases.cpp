// SPDX-License-Identifier: Apache-2.0
#include "model/platform/burst_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/numerics/base/error.h"
#include "model/params/hardware.h"

namespace mxe::platform {

struct BurstPhases::Outstanding {
  Burst burst;
  uint8_t* data = nullptr;
  const uint8_t* enables = nullptr;  // null: all bytes
  unsigned pieces = 0;               // payloads without response
  uint64_t cycle = 0;                // first beat of a read, response to a write
  engine::BusResponse response = engine::BusResponse::okay;
};

struct BurstPhases::Transaction : tlm::tlm_generic_payload {
  BurstExtension beats;
  std::shared_ptr<Outstanding> burst;

  Transaction() { set_extension(&beats); }
  ~Transaction() override { clear_extension(&beats); }
};

/// Transactions return to the pool when the last module has released them.
class BurstPhases::Pool : public tlm::tlm_mm_interface {
 public:
  Transaction& take() {
    if (free_.empty()) {
      free_.push_back(all_.emplace_back(std::make_unique<Transaction>()).get());
      free_.back()->set_mm(this);
    }
    Transaction& transaction = *free_.back();
    free_.pop_back();
    transaction.acquire();
    return transaction;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    auto* transaction = static_cast<Transaction*>(payload);
    transaction->burst.reset();
    free_.push_back(transaction);
  }

 private:
  std::vector<std::unique_ptr<Transaction>> all_;
  std::vector<Transaction*> free_;
};

BurstPhases::BurstPhases(TlmMemoryPort::Socket& socket, const Clock& clock, unsigned beat_bytes,
                         unsigned payload_bytes, std::function<void()> responded)
    : socket_(socket),
      clock_(clock),
      beat_(beat_bytes),
      payload_bytes_(payload_bytes),
      responded_(std::move(responded)),
      no_data_(kPageBytes),
      no_enables_(kPageBytes, TLM_BYTE_DISABLED),
      pool_(std::make_unique<Pool>()) {
  if (payload_bytes % beat_bytes != 0) {
    throw Error(fmt::format("payload_bytes {}; allowed: 0 or a multiple of the beat of {} bytes",
                            payload_bytes, beat_bytes));
  }
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&send_event_);
  options.dont_initialize();
  sc_core::sc_spawn([this] { send(); }, sc_core::sc_gen_unique_name("send"), &options);
}

BurstPhases::~BurstPhases() = default;

void BurstPhases::request(Burst burst) {
  const auto outstanding = std::make_shared<Outstanding>();
  outstanding->burst = std::move(burst);
  const engine::MemoryRequest& request = outstanding->burst.request;
  outstanding->cycle = request.cycle + 1;
  outstanding->data = request.data ? request.data : no_data_.data();
  outstanding->enables = request.data || !request.write ? request.enables : no_enables_.data();
  bursts_++;
  split(outstanding, 0, request.bytes);
  if (outstanding->pieces == 0) return complete(*outstanding);
  send_event_.notify(sc_core::SC_ZERO_TIME);
}

/// Adds payloads for the bytes [begin, end) of a burst: at most payload_bytes_ each and, for a
/// memory without byte enables, without disabled bytes.
void BurstPhases::split(const std::shared_ptr<Outstanding>& burst, uint64_t begin, uint64_t end) {
  const engine::MemoryRequest& request = burst->burst.request;
  const uint8_t* enables = burst->enables;
  const bool cuts_enables = enables && !takes_enables_;
  while (begin < end) {
    uint64_t next = end;
    if (payload_bytes_ != 0) {
      const uint64_t over = (request.address + begin) % payload_bytes_;
      next = std::min(end, begin + payload_bytes_ - over);
    }
    if (cuts_enables) {
      const bool is_enabled = enables[begin] != 0;
      const auto differs = [&](uint8_t enable) { return (enable != 0) != is_enabled; };
      next =
          static_cast<uint64_t>(std::find_if(enables + begin, enables + next, differs) - enables);
      if (is_enabled) add(burst, begin, next);
    } else {
      add(burst, begin, next);
    }
    begin = next;
  }
}

void BurstPhases::add(const std::shared_ptr<Outstanding>& burst, uint64_t begin, uint64_t end) {
  const engine::MemoryRequest& request = burst->burst.request;
  const bool has_enables = burst->enables && takes_enables_;
  const auto length = static_cast<unsigned>(end - begin);
  Transaction& transaction = pool_->take();
  transaction.burst = burst;
  transaction.set_command(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  transaction.set_address(request.address + begin);
  transaction.set_data_ptr(burst->data + begin);
  transaction.set_data_length(length);
  transaction.set_streaming_width(length);
  transaction.set_byte_enable_ptr(has_enables ? const_cast<uint8_t*>(burst->enables + begin)
                                              : nullptr);
  transaction.set_byte_enable_length(has_enables ? length : 0);
  transaction.set_dmi_allowed(false);
  transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  transaction.beats.beat_bytes = beat_.bytes();
  transaction.beats.clock = clock_;
  transaction.beats.issued = request.cycle;
  transaction.beats.timing_only = !request.data;
  burst->pieces++;
  waiting_.push_back(&transaction);
}

void BurstPhases::send() {
  while (!requesting_ && !waiting_.empty()) {
    const sc_core::sc_time present = sc_core::sc_time_stamp();
    const sc_core::sc_time begin =
        std::max(clock_.to_time(waiting_.front()->beats.issued), request_free_time_);
    if (begin > present) return send_event_.notify(begin - present);
    Transaction& transaction = *waiting_.front();
    waiting_.pop_front();
    send(transaction);
  }
}

void BurstPhases::send(Transaction& transaction) {
  requesting_ = &transaction;
  sent_.insert(static_cast<tlm::tlm_generic_payload*>(&transaction));
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  const tlm::tlm_sync_enum answer = socket_->nb_transport_fw(transaction, phase, delay);
  if (answer == tlm::TLM_COMPLETED) return end_response(transaction, delay);
  if (answer == tlm::TLM_ACCEPTED) return;
  if (phase != tlm::BEGIN_RESP) return end_request(transaction, delay);
  // A response on the return path of BEGIN_REQ is ended by a call.
  const sc_core::sc_time response_delay = delay;
  phase = tlm::END_RESP;
  socket_->nb_transport_fw(transaction, phase, delay);
  end_response(transaction, response_delay);
}

tlm::tlm_sync_enum BurstPhases::respond(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ) {
    end_request(outstanding(payload), delay);
  } else if (phase == tlm::BEGIN_RESP) {
    end_response(outstanding(payload), delay);
    return tlm::TLM_COMPLETED;
  }
  return tlm::TLM_ACCEPTED;  // other phases are ignorable
}

BurstPhases::Transaction& BurstPhases::outstanding(tlm::tlm_generic_payload& payload) {
  if (sent_.count(&payload) == 0) {
    throw Error(fmt::format("the memory responds to a payload at {:#x} without outstanding request",
                            payload.get_address()));
  }
  return static_cast<Transaction&>(payload);
}

void BurstPhases::end_request(const Transaction& transaction, const sc_core::sc_time& delay) {
  if (requesting_ != &transaction) {
    throw Error(fmt::format("the memory ends the request at {:#x} twice, or another one",
                            transaction.get_address()));
  }
  requesting_ = nullptr;
  request_free_time_ = sc_core::sc_time_stamp() + delay;
  if (!waiting_.empty()) send_event_.notify(delay);
}

/// BEGIN_RESP, which implies END_REQ.
void BurstPhases::end_response(Transaction& transaction, const sc_core::sc_time& delay) {
  if (requesting_ == &transaction) end_request(transaction, delay);
  sent_.erase(static_cast<tlm::tlm_generic_payload*>(&transaction));
  finish(transaction, delay);
  transaction.release();
}

void BurstPhases::finish(Transaction& transaction, const sc_core::sc_time& delay) {
  const std::shared_ptr<Outstanding> burst = transaction.burst;
  const engine::MemoryRequest& request = burst->burst.request;
  const auto status = transaction.get_response_status();
  burst->pieces--;
  if (status == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE && transaction.get_byte_enable_ptr()) {
    takes_enables_ = false;
    const uint64_t begin = transaction.get_address() - request.address;
    split(burst, begin, begin + transaction.get_data_length());
    if (!waiting_.empty()) send_event_.notify(sc_core::SC_ZERO_TIME);
  } else {
    if (burst->response == engine::BusResponse::okay) {
      burst->response = bus_response(status);
    }
    burst->cycle = std::max(burst->cycle, clock_.to_cycles_up(sc_core::sc_time_stamp() + delay));
  }
  if (burst->pieces == 0) complete(*burst);
}

void BurstPhases::complete(const Outstanding& burst) {
  constexpr unsigned kFraction = engine::BeatTimes::kFraction;
  const engine::MemoryRequest& request = burst.burst.request;
  const uint64_t before = request.write ? beat_.whole(request.bytes) - 1 : 0;
  const uint64_t first = burst.cycle - std::min(burst.cycle, before);
  burst.burst.ticket->complete({first << kFraction, uint64_t{1} << kFraction}, burst.response);
  bursts_--;
  if (responded_) responded_();
}

}  // namespace mxe::platform
