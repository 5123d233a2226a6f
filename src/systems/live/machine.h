// What the machine bears.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dissensus::live {

/// How many networks run well side by side on so many cores and so much free memory; at least one.
/// 40 servers of version 1.7.2 on two cores kept their pace, 100 did not; a server of version 2.4.0
/// needs some 500 MB.
std::size_t networks_borne(std::size_t cores, std::uint64_t free_bytes, std::size_t nodes);

/// The same for this machine, now.
std::size_t networks_borne_here(std::size_t nodes);

}  // namespace dissensus::live
