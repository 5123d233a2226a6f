// A database whose disk is full: one clear line, nothing that was committed is lost, and the hunt
// goes on when there is room again.
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dissensus/random.h"

#include "core/file.h"
#include "hunt/fleet.h"
#include "hunt/store_care.h"

namespace dissensus::hunt {
namespace {

/// A small disk, gone at the end.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& path, const std::string& size = "16m") : path_(path) {
    mkdir(path.c_str(), 0755);
    const std::string options = "size=" + size + ",uid=65534,mode=0700";
    is_there_ = mount("tmpfs", path.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  ~SmallDisk() {
    if (is_there_) umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool is_there() const { return is_there_; }
  bool grow() const { return mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT, "size=64m") == 0; }

 private:
  std::string path_;
  bool is_there_ = false;
};

/// Large, and of bytes that nobody can compress.
ItemRecord large_item(std::uint64_t number) {
  Random random(number);
  ItemRecord item;
  item.number = number;
  item.schedule.resize(100'000);
  for (char& byte : item.schedule) byte = static_cast<char>(random.below(256));
  return item;
}

class FullDiskTest : public FleetTest {};

TEST_F(FullDiskTest, IsSaidAndNothingIsLost) {
  auto& server = test::PrivatePostgres::instance();
  const SmallDisk disk(server.folder() / "small");
  if (!disk.is_there()) GTEST_SKIP() << "no right to mount a small disk: " << std::strerror(errno);
  {
    const auto connection = sql::open(server.url("postgres"), sql::Access::create);
    connection->execute("CREATE TABLESPACE small LOCATION '" +
                        (server.folder() / "small").string() + "'");
    connection->execute("CREATE DATABASE on_small_disk TABLESPACE small");
  }
  const std::string url = server.url("on_small_disk");
  const HuntRecord record{0, "name", "", "{}", ""};
  std::string trouble;
  std::uint64_t added = 0;
  {
    Store store(url, &patience_);
    store.begin(record);
    try {
      for (; added < 1000; ++added) {
        store.add(large_item(added));
        store.flush();
      }
    } catch (const EnvironmentError& error) {
      trouble = error.what();
    }
  }
  EXPECT_THAT(trouble, testing::HasSubstr("cannot be written: the disk is full"));
  EXPECT_EQ(trouble.find('\n'), std::string::npos);
  EXPECT_EQ(StoreReader(url).item_count(1), added) << "what was committed is there";
  ASSERT_TRUE(disk.grow());
  {
    Store store(url, &patience_);
    store.resume(record);
    EXPECT_EQ(store.known_count(), added);
    for (std::uint64_t i = 0; i < 20; ++i) store.add(large_item(added + i));
  }
  const std::vector<ItemRecord> items = items_of(url);
  ASSERT_EQ(items.size(), added + 20);
  for (const ItemRecord& item : items) {
    EXPECT_EQ(item.schedule, large_item(item.number).schedule) << item.number;
  }
  EXPECT_THAT(check_store(url), testing::IsEmpty());
  // The server must not miss its disk later.
  const auto connection = sql::open(server.url("postgres"), sql::Access::create);
  connection->execute("DROP DATABASE on_small_disk");
  connection->execute("DROP TABLESPACE small");
}

/// Runs of a few hundred bytes, until there is no room for more; how many were told to be kept.
std::uint64_t fill(const std::string& path, std::string& trouble) {
  std::uint64_t added = 0;
  try {
    Store store(path);
    store.begin({0, "name", "", "{}", ""});
    for (; added < 100'000; ++added) {
      ItemRecord item;
      item.number = added;
      item.schedule.resize(500, 'x');
      store.add(item);
      store.flush();
    }
  } catch (const EnvironmentError& error) {
    trouble = error.what();
  }
  return added;
}

class FullDiskFileTest : public StoreTest {};

// However small the disk is: what was completed can be read, or there is no file at all.
TEST_F(FullDiskFileTest, LeavesAStoreOrNothing) {
  bool left_nothing = false;
  bool left_runs = false;
  for (const char* const size : {"8k", "40k", "100k", "132k", "164k", "200k", "300k", "600k"}) {
    SCOPED_TRACE(size);
    const SmallDisk disk(file(size), size);
    if (!disk.is_there()) GTEST_SKIP() << "no right to mount a small disk: " << strerror(errno);
    const std::string store = file(size) + "/store.sqlite";
    std::string trouble;
    const std::uint64_t added = fill(store, trouble);
    EXPECT_THAT(trouble, testing::HasSubstr("cannot be written: the disk is full"));
    if (std::filesystem::exists(store)) {
      EXPECT_THAT(check_store(store), testing::IsEmpty());
      EXPECT_EQ(StoreReader(store).hunts().empty() ? 0 : items_of(store).size(), added);
      left_runs |= added > 0;
    } else {
      EXPECT_EQ(added, 0u);
      EXPECT_TRUE(std::filesystem::is_empty(file(size)));
      left_nothing = true;
    }
  }
  EXPECT_TRUE(left_nothing);
  EXPECT_TRUE(left_runs);
}

}  // namespace
}  // namespace dissensus::hunt
