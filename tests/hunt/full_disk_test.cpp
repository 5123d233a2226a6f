// A database whose disk is full: one clear line, nothing that was committed is lost, and the hunt
// goes on when there is room again.
#include <cerrno>
#include <cstring>

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

/// A disk of a few megabytes, gone at the end.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& path) : path_(path) {
    mkdir(path.c_str(), 0755);
    is_there_ = mount("tmpfs", path.c_str(), "tmpfs", 0, "size=16m,uid=65534,mode=0700") == 0;
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

}  // namespace
}  // namespace dissensus::hunt
