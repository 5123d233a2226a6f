// A range of independent items over several threads. What a slice computes must not depend on how
// the range was cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace dissensus::isolate {

/// Calls work(job, begin, end) once per slice of [0, count), at most `jobs` at a time. The first
/// slice's exception, if any, reaches the caller.
template <class Work>
void for_each_slice(std::size_t count, std::size_t jobs, const Work& work) {
  jobs = std::max<std::size_t>(1, std::min(jobs, count));
  if (jobs == 1) {
    work(std::size_t{0}, std::size_t{0}, count);
    return;
  }
  std::vector<std::exception_ptr> errors(jobs);
  {
    std::vector<std::jthread> threads;
    for (std::size_t job = 0; job < jobs; ++job) {
      threads.emplace_back([&, job] {
        try {
          work(job, count * job / jobs, count * (job + 1) / jobs);
        } catch (...) {
          errors[job] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace dissensus::isolate
