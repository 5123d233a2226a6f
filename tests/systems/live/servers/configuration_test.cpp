#include "systems/live/servers/configuration.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "core/file.h"
#include "systems/live/servers/temporary_folder.h"

namespace dissensus::live {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of_call(const std::function<void()>& call) {
  try {
    call();
  } catch (const LiveError& error) {
    return error.what();
  }
  return "no error";
}

ServerConfiguration example(const std::string& folder) {
  ServerConfiguration configuration;
  configuration.folder = folder;
  configuration.address = "127.78.1.11";
  configuration.peer_port = 1111;
  configuration.websocket_port = 2222;
  configuration.fixed_peers = {"127.78.1.12", "127.78.1.13"};
  configuration.validation_seed = derived_seed(7, "validator 0");
  configuration.node_seed = derived_seed(7, "node 0");
  configuration.trusted = {node_keys(configuration.validation_seed).public_key};
  configuration.log_level = "debug";
  return configuration;
}

int mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return static_cast<int>(info.st_mode & 0777);
}

TEST(Configuration, NamesACertificateWhereThereIsOne) {
  ServerConfiguration configuration = example("/somewhere/node-0");
  EXPECT_THAT(configuration_text(configuration), Not(HasSubstr("ssl_key")));
  configuration.certificate = make_certificate(derived_seed(7, "certificate 0"));
  configuration.seen_folder = "/node";
  EXPECT_THAT(configuration_text(configuration),
              HasSubstr("protocol = peer\nssl_key = /node/peer-key.pem\n"
                        "ssl_cert = /node/peer-certificate.pem\n\n[port_ws]"));
}

// The same bytes on every start, or a start would not be repeatable.
TEST(Configuration, CertificatesFollowFromTheirSeed) {
  const Certificate one = make_certificate(derived_seed(7, "certificate 0"));
  const Certificate again = make_certificate(derived_seed(7, "certificate 0"));
  EXPECT_EQ(one.key, again.key);
  EXPECT_EQ(one.certificate, again.certificate);
  EXPECT_NE(one.certificate, make_certificate(derived_seed(8, "certificate 0")).certificate);
  EXPECT_THAT(one.key, HasSubstr("BEGIN PRIVATE KEY"));
  EXPECT_THAT(one.certificate, HasSubstr("BEGIN CERTIFICATE"));
}

// The file says what the interceptor needs: own address, fixed peers on a dead port, no
// compression.
TEST(Configuration, SaysWhatServersNeed) {
  const std::string text = configuration_text(example("/somewhere/node-0"));
  EXPECT_THAT(text, HasSubstr("[port_peer]\nip = 127.78.1.11\nport = 1111\nprotocol = peer\n"));
  EXPECT_THAT(text, HasSubstr("port = 2222\nprotocol = ws\nadmin = 127.0.0.1\n"));
  EXPECT_THAT(text, HasSubstr("[ips_fixed]\n127.78.1.12 1\n127.78.1.13 1\n"));
  EXPECT_THAT(text, HasSubstr("[peer_private]\n1\n"));
  EXPECT_THAT(text, HasSubstr("[compression]\n0\n"));
  EXPECT_THAT(text, HasSubstr("type = Memory\n"));
  EXPECT_THAT(text, HasSubstr("\"severity\": \"debug\""));
  EXPECT_THAT(text, Not(HasSubstr("sntp")));
}

// Files with seeds are for their owner only, also when an older file was open to all.
TEST(Configuration, SecretsArePrivate) {
  const TemporaryFolder folder;
  const ServerConfiguration configuration = example(folder.path() + "/node-0");
  write_configuration(configuration);
  std::filesystem::permissions(configuration.file(), std::filesystem::perms::all);
  write_configuration(configuration);
  EXPECT_EQ(mode_of(configuration.file()), 0600);
  EXPECT_EQ(read_file(configuration.file(), 10'000), configuration_text(configuration));
  EXPECT_THAT(read_file(configuration.folder + "/validators.txt", 10'000),
              HasSubstr(configuration.trusted.front().node_text()));
}

// A new start begins with an empty database and keeps the log of the one before.
TEST(Configuration, StartsAfresh) {
  const TemporaryFolder folder;
  const ServerConfiguration configuration = example(folder.path() + "/node-0");
  write_configuration(configuration);
  std::ofstream(configuration.folder + "/db/ledger.db") << "old";
  std::ofstream(configuration.log_file()) << "first life";
  write_configuration(configuration);
  EXPECT_TRUE(std::filesystem::is_empty(configuration.folder + "/db"));
  EXPECT_FALSE(std::filesystem::exists(configuration.log_file()));
  EXPECT_EQ(read_file(configuration.folder + "/debug.previous.log", 100), "first life");
}

// A folder that cannot be made or that servers would misread is named.
TEST(Configuration, UnusableFolderIsTold) {
  EXPECT_THAT(error_of_call([] { make_folder("/dev/null/servers"); }),
              HasSubstr("/dev/null/servers: folder cannot be made: Not a directory"));
  EXPECT_THAT(error_of_call([] { make_folder("/tmp/a#b"); }), HasSubstr("must not have '#'"));
}

// A full disk is said to be full, with the file that did not fit.
TEST(Configuration, FullDiskIsTold) {
  const TemporaryFolder folder;
  const std::string disk = folder.path() + "/disk";
  std::filesystem::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=16k") != 0) {
    GTEST_SKIP() << "needs the right to mount a small disk: " << std::strerror(errno);
  }
  std::ofstream(disk + "/filler") << std::string(100'000, 'x');
  const std::string error = error_of_call([&] { write_configuration(example(disk + "/node-0")); });
  ::umount(disk.c_str());
  EXPECT_THAT(error, HasSubstr("No space left on device"));
  EXPECT_THAT(error, HasSubstr(disk));
}

// Keys follow from the number alone, differ by purpose, and are not those of another number.
TEST(Configuration, SeedsAreDerived) {
  EXPECT_EQ(derived_seed(7, "node 0").bytes, derived_seed(7, "node 0").bytes);
  EXPECT_NE(derived_seed(7, "node 0").bytes, derived_seed(7, "node 1").bytes);
  EXPECT_NE(derived_seed(7, "node 0").bytes, derived_seed(8, "node 0").bytes);
}

// A mistyped log level is refused before anything starts.
TEST(Configuration, LogLevelIsChecked) {
  EXPECT_NO_THROW(check_log_level("trace"));
  EXPECT_THAT(error_of_call([] { check_log_level("waning"); }),
              HasSubstr("did you mean 'warning'"));
}

}  // namespace
}  // namespace dissensus::live
