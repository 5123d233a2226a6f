// A run of programs says which files it is about, and a replay which of them differ.
#include "hosted/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "hosted/kept.h"

namespace dissensus::cli_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// SHA-256 of "abc": FIPS 180-4, appendix.
TEST(Files, AreNamedByTheirDigests) {
  const WorkFolder folder;
  folder.write("abc", "abc");
  const std::string path = folder.file("abc").string();
  const auto files = hosted::used_files({path, "/no/such/file"});
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(files[0].bytes, 3u);
  EXPECT_EQ(hosted::files_in(hosted::to_text(files) + "nonsense\n\n"), files);
  EXPECT_EQ(hosted::first_changed(files), "");
  folder.write("abc", "abcd");
  EXPECT_THAT(hosted::first_changed(files),
              AllOf(StartsWith(path + ": another file"), HasSubstr("was ba7816bf")));
  fs::remove(path);
  EXPECT_THAT(hosted::first_changed(files), StartsWith(path + ": not here"));
}

TEST(Files, OfNodesAreKeptByNameOrPath) {
  const WorkFolder folder;
  fs::create_directories(folder.file("data/deep"));
  folder.write("a.log", "a");
  folder.write("data/b.log", "b");
  folder.write("data/deep/c.json", "c");
  fs::create_symlink("/etc/passwd", folder.file("data/out.log"));
  const auto names = [&](const std::vector<std::string>& patterns) {
    std::vector<std::string> result;
    for (const auto& file : hosted::kept_files(2, folder.file("").string(), patterns)) {
      result.push_back(file.name + "=" + file.text);
    }
    return result;
  };
  EXPECT_THAT(names({}), testing::IsEmpty());
  EXPECT_THAT(names({"*.log"}), testing::ElementsAre("kept/2/a.log=a", "kept/2/data/b.log=b"));
  EXPECT_THAT(names({"data/*/*.json"}), testing::ElementsAre("kept/2/data/deep/c.json=c"));
}

class RunOfFiles : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_.file("programs"));
    folder_.write(
        "programs/tick.sh",
        "#!/bin/sh\ncat " + data() + "\nwhile true; do echo tick >> ticks.log; sleep 1; done\n");
    fs::permissions(folder_.file("programs/tick.sh"), fs::perms::all);
    folder_.write("data", "one\n");
    folder_.write("files.toml", R"(format = "dissensus-scenario/1"
name = "files"

[system]
kind = "server"
nodes = 1
contents = "programs"
command = ["/node/tick.sh"]
keep = ["*.log"]
visible = [")" + data() + R"("]

[limits]
virtual_time = "5s"
)");
    const CommandResult result = folder_.run({"run", "files.toml"});
    ASSERT_THAT(result.exit_code, testing::AnyOf(0, 3)) << result.out << result.err;
  }
  std::string data() const { return folder_.file("data").string(); }

  WorkFolder folder_;
};

TEST_F(RunOfFiles, AreListedWithThoseThatWereKept) {
  const auto files = hosted::files_in(read_text(folder_.file("runs/latest/host.files")));
  const auto has = [&](const testing::Matcher<const std::string&>& path) {
    return testing::Value(files, Contains(Field(&hosted::UsedFile::path, path)));
  };
  EXPECT_TRUE(has(HasSubstr("/libc.so")));
  EXPECT_TRUE(has(HasSubstr("/ld-linux-x86-64.so")));
  EXPECT_TRUE(has(testing::EndsWith("/cat")));
  EXPECT_TRUE(has(data()));
  EXPECT_TRUE(has(std::string("n0:/node/tick.sh")));
  EXPECT_FALSE(has(HasSubstr("ld.so.cache")));
  EXPECT_FALSE(has(HasSubstr("/etc/passwd")));
  EXPECT_THAT(read_text(folder_.file("runs/latest/kept/0/ticks.log")), StartsWith("tick\ntick\n"));
}

TEST_F(RunOfFiles, AReplayNamesTheFirstFileThatDiffers) {
  const CommandResult same = folder_.run({"replay", "runs/latest"});
  EXPECT_THAT(same.out, HasSubstr("repeatable: every system call and every byte"));
  EXPECT_EQ(same.err, "");

  folder_.write("data", "two\n");
  const CommandResult other = folder_.run({"replay", "runs/latest"});
  EXPECT_THAT(other.err, StartsWith("dissensus: " + data() + ": another file"));
  EXPECT_THAT(other.out, Not(HasSubstr("every system call and every byte")));
  folder_.write("data", "one\n");

  const std::string script = read_text(folder_.file("programs/tick.sh"));
  folder_.write("programs/tick.sh", replaced(script, "sleep 1", "sleep 2"));
  const CommandResult changed = folder_.run({"replay", "runs/latest"});
  EXPECT_THAT(changed.out, HasSubstr("n0:/node/tick.sh: another file"));
}

}  // namespace
}  // namespace dissensus::cli_test
