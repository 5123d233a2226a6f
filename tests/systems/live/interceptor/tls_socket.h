// TLS over a plain socket, with OpenSSL and POSIX alone: the tests' own end of a connection, which
// shares no code with the sessions under test. Reading and writing may be two threads.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "systems/live/wire/bytes.h"

namespace dissensus::live::test {

inline sockaddr_in socket_address(const std::string& address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  if (inet_pton(AF_INET, address.c_str(), &result.sin_addr) != 1) {
    throw std::runtime_error("no address: " + address);
  }
  return result;
}

/// As an old server makes it at each start: RSA-2048, signed by itself with SHA-1.
struct Certificate {
  EVP_PKEY* key = EVP_RSA_gen(2048);
  X509* certificate = X509_new();

  Certificate() {
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -86400);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
    X509_set_pubkey(certificate, key);
    X509_sign(certificate, key, EVP_sha1());
  }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;
  ~Certificate() {
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
};

struct ContextDeleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, ContextDeleter>;

inline Context server_context() {
  static const Certificate certificate;
  Context context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_use_certificate(context.get(), certificate.certificate);
  SSL_CTX_use_PrivateKey(context.get(), certificate.key);
  return context;
}

inline Context client_context() {
  Context context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_security_level(context.get(), 0);
  return context;
}

class TlsSocket {
 public:
  TlsSocket(SSL_CTX* context, int descriptor) : ssl_(SSL_new(context)), descriptor_(descriptor) {
    const int on = 1;
    setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) | O_NONBLOCK);
    SSL_set_fd(ssl_, descriptor_);
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to connections that are gone, too
  }
  TlsSocket(const TlsSocket&) = delete;
  TlsSocket& operator=(const TlsSocket&) = delete;
  ~TlsSocket() {
    SSL_free(ssl_);
    ::close(descriptor_);
  }

  bool accept() {
    return drive([this] { return SSL_accept(ssl_); }) > 0;
  }
  bool connect() {
    return drive([this] { return SSL_connect(ssl_); }) > 0;
  }
  /// At most one record; 0 when the other end or abort() has closed the connection.
  std::size_t read(std::span<std::uint8_t> buffer) {
    return static_cast<std::size_t>(
        drive([&] { return SSL_read(ssl_, buffer.data(), static_cast<int>(buffer.size())); }));
  }
  /// One write, and one record if it fits.
  bool write(ByteView bytes) {
    const std::lock_guard alone(writing_);
    return drive([&] { return SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())); }) > 0;
  }
  bool write(const std::string& text) {
    return write(ByteView(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
  }
  /// Bytes that are no TLS at all.
  void write_raw(const std::string& bytes) {
    [[maybe_unused]] const auto sent =
        ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  void abort() {
    aborted_ = true;
    ::shutdown(descriptor_, SHUT_RDWR);
  }
  bool aborted() const { return aborted_; }

  void limit_version(int version) { SSL_set_max_proto_version(ssl_, version); }
  std::string version() const { return SSL_get_version(ssl_); }
  Bytes own_finished() const { return finished(&SSL_get_finished); }
  Bytes peer_finished() const { return finished(&SSL_get_peer_finished); }
  std::string remote_address() const {
    sockaddr_in address{};
    socklen_t bytes = sizeof address;
    getpeername(descriptor_, reinterpret_cast<sockaddr*>(&address), &bytes);
    char text[INET_ADDRSTRLEN] = {};
    inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    return text;
  }

 private:
  template <typename Operation>
  int drive(const Operation& operation) {
    while (!aborted_) {
      int result = 0;
      int error = 0;
      {
        const std::lock_guard alone(using_);
        ERR_clear_error();
        result = operation();
        error = SSL_get_error(ssl_, result);
      }
      if (result > 0) return result;
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return 0;
      pollfd wait{descriptor_, static_cast<short>(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT),
                  0};
      ::poll(&wait, 1, 50);
    }
    return 0;
  }

  Bytes finished(std::size_t (*read_finished)(const SSL*, void*, std::size_t)) const {
    Bytes result(64);
    result.resize(read_finished(ssl_, result.data(), result.size()));
    return result;
  }

  SSL* ssl_;
  const int descriptor_;
  std::mutex using_;    ///< the SSL object, one call at a time
  std::mutex writing_;  ///< one whole write at a time
  std::atomic<bool> aborted_ = false;
};

}  // namespace dissensus::live::test
