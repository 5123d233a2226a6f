// Addresses of sockets in the memory of programs.
#pragma once

#include <cstdint>
#include <optional>

#include "host/model.h"

namespace dissensus::host {

/// IPv4, or IPv6 that stands for it. Nothing: neither.
std::optional<Endpoint> read_address(const Thread& thread, std::uint64_t address,
                                     std::uint64_t length);
/// The same of one that this socket sends to: the machine itself, where none is named.
std::optional<Endpoint> read_target(const Thread& thread, const InternetSocket& socket,
                                    std::uint64_t address, std::uint64_t length);
/// The family of an address; 0 where it cannot be read.
int address_family(const Thread& thread, std::uint64_t address, std::uint64_t length);
/// What an address is for: only datagram sockets of IPv6 take addresses of IPv4, too.
enum class Use : std::uint8_t { bind, connect, send };
/// The error that Linux answers to an address that is too short or of another family; or 0.
int address_error(const Thread& thread, const InternetSocket& socket, std::uint64_t address,
                  std::uint64_t length, Use use);
/// At `length` there is room's size before and the address's size after.
void write_address(const Thread& thread, const Endpoint& endpoint, int family,
                   std::uint64_t address, std::uint64_t length);

}  // namespace dissensus::host
