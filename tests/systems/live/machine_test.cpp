// How many networks are started where nobody says how many.
#include "systems/live/machine.h"

#include <gtest/gtest.h>

namespace dissensus::live {
namespace {

constexpr std::uint64_t kGigabyte = 1'000'000'000;

TEST(Machine, BearsAsManyNetworksAsItsCoresAndItsMemory) {
  // Tried: 8 networks of five servers on two cores were fine, 20 were not.
  EXPECT_EQ(networks_borne(2, 64 * kGigabyte, 5), 8u);
  EXPECT_EQ(networks_borne(4, 64 * kGigabyte, 5), 16u);
  EXPECT_EQ(networks_borne(2, 64 * kGigabyte, 10), 4u);
  // 2.5 GB for each network, a quarter of the memory for others.
  EXPECT_EQ(networks_borne(2, 8 * kGigabyte, 5), 2u);
}

TEST(Machine, BearsOneNetworkWhateverItIs) {
  EXPECT_EQ(networks_borne(0, 0, 5), 1u);
  EXPECT_EQ(networks_borne(1, kGigabyte, 40), 1u);
  EXPECT_GE(networks_borne_here(5), 1u);
}

}  // namespace
}  // namespace dissensus::live
