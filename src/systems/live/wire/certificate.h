// The certificate that a server shows to its peers. Nobody checks it; a server that is given none
// makes an RSA key of its own, which takes it longer than all else that it does at its start.
#pragma once

#include <string>

#include "systems/live/wire/keys.h"

namespace dissensus::live {

struct Certificate {
  std::string key;          ///< PEM
  std::string certificate;  ///< PEM, signed by itself
};

/// Ed25519: key and signature follow from the seed, so every start has the same bytes. Throws
/// LiveError.
Certificate make_certificate(const Seed& seed);

}  // namespace dissensus::live
