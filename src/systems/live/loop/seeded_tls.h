// The client side of TLS, with randomness that can be told what to be.
#pragma once

#include <cstdint>
#include <memory>

#include <boost/asio/ssl/context.hpp>

namespace dissensus::live {

class TlsClientContext {
 public:
  /// Everything that TLS draws follows from the seed, so that ciphertext repeats as well: for
  /// servers that nobody but us can reach. Throws LiveError.
  explicit TlsClientContext(std::uint64_t seed);
  ~TlsClientContext();
  TlsClientContext(const TlsClientContext&) = delete;
  TlsClientContext& operator=(const TlsClientContext&) = delete;

  boost::asio::ssl::context& context();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dissensus::live
