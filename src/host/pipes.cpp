#include "host/pipes.h"

#include <algorithm>

#include <fcntl.h>
#include <unistd.h>

#include "dissensus/digest.h"

#include "host/keeper.h"
#include "host/supervisor.h"

namespace dissensus::host {

namespace {

/// Of one program at one moment, before others are heard.
constexpr std::size_t kDrainedMax = 1u << 20;

void flush(int to, std::string& bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(to, bytes.data() + written, bytes.size() - written);
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  bytes.erase(0, written);
}

}  // namespace

std::array<Handle, 2> make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw OutsideError("no pipe is left");
  // A program may open what it has once more (/dev/stdout).
  if (geteuid() == 0 && fchown(ends[0], kNobody, kNobody) != 0) {
    throw OutsideError("a pipe cannot be given away");
  }
  return {Handle(ends[0]), Handle(ends[1])};
}

Pipes::Ends Pipes::open(ProgramId program) {
  std::array<Handle, 2> input = make_pipe();
  std::array<Handle, 2> output = make_pipe();
  fcntl(input[1].get(), F_SETFL, O_NONBLOCK);
  fcntl(output[0].get(), F_SETFL, O_NONBLOCK);
  Pair& pair = pairs_[program];
  pair.input = std::move(input[1]);
  pair.read_end = Handle(fcntl(input[0].get(), F_DUPFD_CLOEXEC, 0));
  pair.output = std::move(output[0]);
  return {std::move(input[0]), std::move(output[1])};
}

void Pipes::write(ProgramId program, std::string_view bytes) {
  const auto found = pairs_.find(program);
  if (found == pairs_.end()) return;
  Pair& pair = found->second;
  pair.rest += bytes;
  flush(pair.input.get(), pair.rest);
}

bool Pipes::drain(ProgramId program, Pair& pair) {
  if (!pair.rest.empty()) flush(pair.input.get(), pair.rest);
  std::string bytes;
  std::array<char, 65536> piece;
  while (bytes.size() < kDrainedMax) {
    const ssize_t got = ::read(pair.output.get(), piece.data(), piece.size());
    if (got <= 0) break;
    bytes.append(piece.data(), static_cast<std::size_t>(got));
  }
  if (bytes.empty()) return false;
  supervisor_.record_message(program, digest_of_text(bytes).low);
  supervisor_.listener().on_output(program, Stream::output, bytes);
  return true;
}

bool Pipes::drain() {
  bool any = false;
  for (auto& [program, pair] : pairs_) any = drain(program, pair) || any;
  return any;
}

void Pipes::close(ProgramId program) {
  const auto found = pairs_.find(program);
  if (found == pairs_.end()) return;
  drain(program, found->second);
  pairs_.erase(found);
}

}  // namespace dissensus::host
