#include "systems/live/wire/certificate.h"

#include <memory>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "systems/live/wire/error.h"

namespace dissensus::live {

namespace {

template <auto Free>
struct FreedBy {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using KeyHandle = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Paper = std::unique_ptr<X509, FreedBy<X509_free>>;
using Text = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;

void demand(bool is_done) {
  if (!is_done) throw LiveError("a certificate for servers cannot be made with this OpenSSL");
}

std::string pem_text(BIO* bio) {
  char* begin = nullptr;
  const long size = BIO_get_mem_data(bio, &begin);
  return std::string(begin, static_cast<std::size_t>(size));
}

KeyHandle key_of(const Seed& seed) {
  const Hash256 secret = sha512_half(ByteView(seed.bytes.data(), seed.bytes.size()));
  KeyHandle key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, secret.data(), secret.size()));
  demand(key != nullptr);
  return key;
}

}  // namespace

Certificate make_certificate(const Seed& seed) {
  const KeyHandle key = key_of(seed);
  const Paper paper(X509_new());
  demand(paper != nullptr && X509_set_version(paper.get(), 2) == 1 &&
         ASN1_INTEGER_set(X509_get_serialNumber(paper.get()), 1) == 1);
  // Virtual calendars begin in 2027; real ones may not.
  demand(ASN1_TIME_set_string(X509_getm_notBefore(paper.get()), "20200101000000Z") == 1 &&
         ASN1_TIME_set_string(X509_getm_notAfter(paper.get()), "20991231235959Z") == 1);
  X509_NAME* const name = X509_get_subject_name(paper.get());
  demand(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>("server"), -1, -1,
                                    0) == 1 &&
         X509_set_issuer_name(paper.get(), name) == 1 &&
         X509_set_pubkey(paper.get(), key.get()) == 1);
  demand(X509_sign(paper.get(), key.get(), nullptr) > 0);
  const Text key_text(BIO_new(BIO_s_mem()));
  const Text paper_text(BIO_new(BIO_s_mem()));
  demand(key_text != nullptr && paper_text != nullptr &&
         PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                  nullptr) == 1 &&
         PEM_write_bio_X509(paper_text.get(), paper.get()) == 1);
  return {pem_text(key_text.get()), pem_text(paper_text.get())};
}

}  // namespace dissensus::live
