#include "systems/process/real_cluster.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <poll.h>

#include "dissensus/machines.h"

#include "core/assert.h"
#include "systems/process/bystander.h"
#include "systems/process/plain_node.h"

namespace dissensus::process {

namespace {

using RealClock = std::chrono::steady_clock;

constexpr std::size_t kRealLogBytesMax = 4u << 20;
/// How long nobody looks whether the user wants to stop.
constexpr auto kPatience = std::chrono::milliseconds(200);

class RealCluster final : public Cluster, public Outside, public Programs, public Machines {
 public:
  RealCluster(const Book& book, std::function<bool()> is_interrupted)
      : book_(book), is_interrupted_(std::move(is_interrupted)), programs_(book.settings().nodes) {}

  std::unique_ptr<Node> make_node(NodeId id) override {
    if (id < programs_.size()) return std::make_unique<PlainNode>(*this, id);
    return make_bystander(book_, id, numbers_);
  }
  Outside* outside() override { return this; }
  const Book& book() const override { return book_; }
  std::string trouble() const override { return trouble_; }

  void begin() override {
    origin_ = RealClock::now();
    second_ends_ = origin_ + std::chrono::seconds(1);
  }

  Happening wait(Time until) override {
    // Once at least: whoever is late must not be deaf, too.
    do {
      if (is_interrupted_ && is_interrupted_()) trouble_ = kInterrupted;
      look(until);
    } while (news_.empty() && trouble_.empty() && run_time() < until);
    if (!news_.empty()) return {news_.front().time, news_.front().node};
    return {run_time(), kNoNode};
  }

  void crashed(NodeId node) override {
    if (node >= programs_.size()) return;
    end_program(node);
    std::erase_if(news_, [node](const ProgramNews& news) { return news.node == node; });
  }

  /// What it wrote before is read when it goes on.
  void paused(NodeId node, bool is_paused) override {
    if (node >= programs_.size()) return;
    Program& program = programs_[node];
    program.is_paused = is_paused;
    if (program.child) program.child->hold(is_paused);
  }
  void disk_slowed(NodeId, Duration) override {}  // refused when schedules are read

  std::vector<Attachment> attachments() override {
    std::vector<Attachment> files;
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      keep_log(static_cast<NodeId>(i));
      files.push_back({fmt::format("nodes/n{}.log", i), programs_[i].log});
    }
    return files;
  }

  // For the nodes.

  void start_program(NodeId node) override {
    Program& program = programs_[node];
    ++program.lives;
    program.is_paused = false;
    try {
      program.child = std::make_unique<Child>(book_.settings().launch);
      program.child->begin_answer(book_.settings().limits);
    } catch (const OutsideError& error) {
      throw InputError(error.what());
    }
  }
  void write(NodeId node, const std::string& line) override {
    Program& program = programs_[node];
    if (!program.child) return;
    program.child->queue(line);
    if (!program.is_paused) collect(node);
  }
  void end_program(NodeId node) override {
    keep_log(node);
    programs_[node].child.reset();
  }
  std::uint32_t lives(NodeId node) const override { return programs_[node].lives; }
  ProgramNews take_news(NodeId node) override {
    DISSENSUS_ASSERT(!news_.empty() && news_.front().node == node,
                     "RealCluster : news are told in order");
    ProgramNews news = std::move(news_.front());
    news_.pop_front();
    return news;
  }

 private:
  struct Program {
    std::unique_ptr<Child> child;
    std::uint32_t lives = 0;
    bool is_paused = false;
    std::string log;
  };

  Time run_time() const {
    return Time{} + std::chrono::duration_cast<Duration>(RealClock::now() - origin_);
  }

  /// Waits for programs, not longer than until this moment, and reads what they said.
  void look(Time until) {
    if (!news_.empty() || !trouble_.empty()) return;
    waits_.clear();
    for (const Program& program : programs_) {
      if (program.child && !program.is_paused) program.child->add_waits(waits_);
    }
    const Duration left = std::clamp(until - run_time(), Duration{}, Duration(kPatience));
    const timespec time{0, std::chrono::nanoseconds(left).count()};
    ::ppoll(waits_.data(), waits_.size(), &time, nullptr);
    renew_allowance();
    for (std::size_t node = 0; node < programs_.size(); ++node) {
      const Program& program = programs_[node];
      if (program.child && !program.is_paused) collect(static_cast<NodeId>(node));
    }
  }

  /// limits.output_mib is for every second.
  void renew_allowance() {
    if (RealClock::now() < second_ends_) return;
    second_ends_ = RealClock::now() + std::chrono::seconds(1);
    for (const Program& program : programs_) {
      if (program.child) program.child->begin_answer(book_.settings().limits);
    }
  }

  void collect(NodeId node) {
    Child& child = *programs_[node].child;
    if (child.trouble() != Trouble::none) return;  // was told
    const bool is_fine = child.pump();
    ProgramNews news;
    news.time = run_time();
    news.node = node;
    std::string_view line;
    while (child.take_line(line)) {
      news.line = line;
      news_.push_back(news);
    }
    if (is_fine) return;
    news.line.clear();
    news.trouble = child.trouble();
    news.status = child.status();
    news_.push_back(std::move(news));
  }

  void keep_log(NodeId node) {
    Program& program = programs_[node];
    if (!program.child) return;
    const std::string text = program.child->take_errors();
    program.log.append(text, 0, kRealLogBytesMax - std::min(kRealLogBytesMax, program.log.size()));
  }

  const Book& book_;
  std::function<bool()> is_interrupted_;
  std::vector<Program> programs_;
  std::vector<pollfd> waits_;
  std::deque<ProgramNews> news_;
  SharedNumbers numbers_;
  std::string trouble_;
  RealClock::time_point origin_{};
  RealClock::time_point second_ends_{};
};

}  // namespace

std::unique_ptr<Cluster> make_real_cluster(const Book& book, std::function<bool()> is_interrupted) {
  return std::make_unique<RealCluster>(book, std::move(is_interrupted));
}

}  // namespace dissensus::process
