#include "systems/live/loop/seeded_tls.h"

#include <cstring>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include "dissensus/random.h"

#include "systems/live/wire/error.h"

namespace dissensus::live {

namespace {

// ---- a generator of OpenSSL (provider-rand(7)) whose numbers follow from a seed

constexpr const char* kSeed = "dissensus-seed";

struct SeededGenerator {
  Random random{};
  int state = EVP_RAND_STATE_UNINITIALISED;
};

constexpr std::size_t kRequestMax = 1u << 16;

void* new_generator(void*, void*, const OSSL_DISPATCH*) {
  return new SeededGenerator{};
}
void free_generator(void* generator) {
  delete static_cast<SeededGenerator*>(generator);
}
int instantiate(void* generator, unsigned, int, const unsigned char*, std::size_t,
                const OSSL_PARAM*) {
  static_cast<SeededGenerator*>(generator)->state = EVP_RAND_STATE_READY;
  return 1;
}
int uninstantiate(void* generator) {
  static_cast<SeededGenerator*>(generator)->state = EVP_RAND_STATE_UNINITIALISED;
  return 1;
}
int generate(void* generator, unsigned char* out, std::size_t bytes, unsigned, int,
             const unsigned char*, std::size_t) {
  Random& random = static_cast<SeededGenerator*>(generator)->random;
  while (bytes > 0) {
    const std::uint64_t number = random.next();
    const std::size_t part = bytes < sizeof number ? bytes : sizeof number;
    std::memcpy(out, &number, part);
    out += part;
    bytes -= part;
  }
  return 1;
}
int reseed(void*, int, const unsigned char*, std::size_t, const unsigned char*, std::size_t) {
  return 1;
}
int enable_locking(void*) {
  return 1;  // one thread uses a library context
}
int lock_generator(void*) {
  return 1;
}
void unlock_generator(void*) {}
int get_parameters(void* generator, OSSL_PARAM parameters[]) {
  OSSL_PARAM* one = OSSL_PARAM_locate(parameters, OSSL_RAND_PARAM_STATE);
  if (one != nullptr &&
      OSSL_PARAM_set_int(one, static_cast<SeededGenerator*>(generator)->state) == 0) {
    return 0;
  }
  one = OSSL_PARAM_locate(parameters, OSSL_RAND_PARAM_STRENGTH);
  if (one != nullptr && OSSL_PARAM_set_uint(one, 256) == 0) return 0;
  one = OSSL_PARAM_locate(parameters, OSSL_RAND_PARAM_MAX_REQUEST);
  return one == nullptr || OSSL_PARAM_set_size_t(one, kRequestMax) != 0 ? 1 : 0;
}
const OSSL_PARAM* gettable_parameters(void*, void*) {
  static const OSSL_PARAM kKnown[] = {OSSL_PARAM_int(OSSL_RAND_PARAM_STATE, nullptr),
                                      OSSL_PARAM_uint(OSSL_RAND_PARAM_STRENGTH, nullptr),
                                      OSSL_PARAM_size_t(OSSL_RAND_PARAM_MAX_REQUEST, nullptr),
                                      OSSL_PARAM_END};
  return kKnown;
}

int set_parameters(void* generator, const OSSL_PARAM parameters[]) {
  const OSSL_PARAM* const one = OSSL_PARAM_locate_const(parameters, kSeed);
  std::uint64_t seed = 0;
  if (one == nullptr) return 1;  // what other generators are told
  if (OSSL_PARAM_get_uint64(one, &seed) == 0) return 0;
  static_cast<SeededGenerator*>(generator)->random = Random(seed);
  return 1;
}
const OSSL_PARAM* settable_parameters(void*, void*) {
  static const OSSL_PARAM kKnown[] = {OSSL_PARAM_uint64(kSeed, nullptr), OSSL_PARAM_END};
  return kKnown;
}

template <class Function>
OSSL_DISPATCH entry(int id, Function* function) {
  return {id, reinterpret_cast<void (*)()>(function)};
}

const OSSL_ALGORITHM* query(void*, int operation, int* is_volatile) {
  static const OSSL_DISPATCH kFunctions[] = {
      entry(OSSL_FUNC_RAND_NEWCTX, new_generator),
      entry(OSSL_FUNC_RAND_FREECTX, free_generator),
      entry(OSSL_FUNC_RAND_INSTANTIATE, instantiate),
      entry(OSSL_FUNC_RAND_UNINSTANTIATE, uninstantiate),
      entry(OSSL_FUNC_RAND_GENERATE, generate),
      entry(OSSL_FUNC_RAND_RESEED, reseed),
      entry(OSSL_FUNC_RAND_ENABLE_LOCKING, enable_locking),
      entry(OSSL_FUNC_RAND_LOCK, lock_generator),
      entry(OSSL_FUNC_RAND_UNLOCK, unlock_generator),
      entry(OSSL_FUNC_RAND_GET_CTX_PARAMS, get_parameters),
      entry(OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS, gettable_parameters),
      entry(OSSL_FUNC_RAND_SET_CTX_PARAMS, set_parameters),
      entry(OSSL_FUNC_RAND_SETTABLE_CTX_PARAMS, settable_parameters),
      {0, nullptr}};
  static const OSSL_ALGORITHM kGenerators[] = {
      {"SEEDED", "provider=seeded", kFunctions, "numbers that follow from a seed"},
      {nullptr, nullptr, nullptr, nullptr}};
  *is_volatile = 0;
  return operation == OSSL_OP_RAND ? kGenerators : nullptr;
}

int start_provider(const OSSL_CORE_HANDLE*, const OSSL_DISPATCH*, const OSSL_DISPATCH** out,
                   void** context) {
  static const OSSL_DISPATCH kProvider[] = {entry(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query),
                                            {0, nullptr}};
  *out = kProvider;
  *context = nullptr;
  return 1;
}

void seed_generator(EVP_RAND_CTX* generator, std::uint64_t seed) {
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_uint64(kSeed, &seed), OSSL_PARAM_END};
  if (generator == nullptr || EVP_RAND_CTX_set_params(generator, parameters) == 0) {
    throw LiveError("TLS: the random numbers of OpenSSL cannot be replaced");
  }
}

void set_up(SSL_CTX* native) {
  SSL_CTX_set_verify(native, SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  // Old servers sign their certificates with SHA-1.
  SSL_CTX_set_security_level(native, 0);
  SSL_CTX_set_options(
      native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
}

}  // namespace

struct TlsClientContext::State {
  ~State() {
    context.reset();
    OSSL_PROVIDER_unload(seeded);
    OSSL_PROVIDER_unload(standard);
    OSSL_LIB_CTX_free(library);
  }

  OSSL_LIB_CTX* library = nullptr;  ///< null: the process's
  OSSL_PROVIDER* standard = nullptr;
  OSSL_PROVIDER* seeded = nullptr;
  std::optional<boost::asio::ssl::context> context;

  void make_library(std::uint64_t seed) {
    library = OSSL_LIB_CTX_new();
    if (library == nullptr || OSSL_PROVIDER_add_builtin(library, "seeded", start_provider) == 0) {
      throw LiveError("TLS: no context of OpenSSL");
    }
    standard = OSSL_PROVIDER_load(library, "default");
    seeded = OSSL_PROVIDER_load(library, "seeded");
    if (standard == nullptr || seeded == nullptr ||
        RAND_set_DRBG_type(library, "SEEDED", nullptr, nullptr, nullptr) == 0) {
      throw LiveError("TLS: no seeded random numbers");
    }
    seed_generator(RAND_get0_public(library), derive_seed(seed, "tls public"));
    seed_generator(RAND_get0_private(library), derive_seed(seed, "tls private"));
  }
};

TlsClientContext::TlsClientContext(std::uint64_t seed) : state_(std::make_unique<State>()) {
  state_->make_library(seed);
  SSL_CTX* const native = SSL_CTX_new_ex(state_->library, nullptr, TLS_client_method());
  if (native == nullptr) throw LiveError("TLS: no context of OpenSSL");
  state_->context.emplace(native);
  set_up(native);
}

TlsClientContext::~TlsClientContext() = default;

boost::asio::ssl::context& TlsClientContext::context() {
  return *state_->context;
}

}  // namespace dissensus::live
