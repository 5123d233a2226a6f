#include "host/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "host/host.h"

namespace dissensus::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Three steps; `changed` is the number of an entry with another hash.
Journal example(std::int64_t changed = -1) {
  Journal journal;
  for (std::int64_t i = 0; i < 30; ++i) {
    JournalEntry entry;
    entry.time_ns = i * 1'000'000'007;
    entry.program = static_cast<std::uint32_t>(i % 5);
    entry.process = static_cast<std::uint16_t>(i % 2);
    entry.thread = static_cast<std::uint16_t>(300 * i);
    entry.call = i % 7 == 0 ? kMessageEntry : SYS_futex;
    journal.add(entry, i == changed ? 99 : 7);
    if (i % 10 == 9) journal.end_step(entry.time_ns);
  }
  return journal;
}

TEST(JournalBytes, KeepWhatIsNeededToCompareRuns) {
  const std::string bytes = example().to_bytes();
  const auto read = Journal::from_bytes(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->count(), 30u);
  ASSERT_EQ(read->entries().size(), 30u);
  EXPECT_EQ(read->entries()[29].time_ns, 29 * 1'000'000'007LL);
  EXPECT_EQ(read->entries()[29].thread, 8700);
  EXPECT_EQ(read->entries()[28].call, kMessageEntry);
  ASSERT_EQ(read->steps().size(), 3u);
  EXPECT_EQ(read->steps()[1].entries, 20u);
  EXPECT_EQ(read->to_bytes(), bytes);
  EXPECT_EQ(first_difference(*read, *Journal::from_bytes(example().to_bytes())), std::nullopt);
}

TEST(JournalBytes, NameTheFirstStepAndCallThatDiffer) {
  const auto one = Journal::from_bytes(example().to_bytes());
  const auto other = Journal::from_bytes(example(13).to_bytes());
  const auto text = first_difference(*one, *other);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("step 1: program 3 process 1 thread 3900: futex at 13.000000091 s"));
}

TEST(JournalBytes, OtherBytesAreRefused) {
  const std::string bytes = example().to_bytes();
  EXPECT_FALSE(Journal::from_bytes("").has_value());
  EXPECT_FALSE(Journal::from_bytes("something else").has_value());
  EXPECT_FALSE(Journal::from_bytes(bytes + "x").has_value());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(Journal::from_bytes(bytes.substr(0, size)).has_value()) << size;
  }
}

TEST(ReportText, NamesDoubtsThatCanBeReadAgain) {
  Report report;
  EXPECT_THAT(doubts_in(to_text(report)), ElementsAre());
  report.doubts = {"a thread computed for 4.1 s", "call 555"};
  report.notes = {"a note"};
  EXPECT_THAT(doubts_in(to_text(report)), ElementsAre(report.doubts[0], report.doubts[1]));
  EXPECT_THAT(notes_in(to_text(report)), ElementsAre("a note"));
  report.notes.clear();
  EXPECT_THAT(notes_in(to_text(report)), ElementsAre());
}

}  // namespace
}  // namespace dissensus::host
