// A loop on threads. Work is handed out in blocks from a counter; what each block does must not depend on which
// thread does it, so results are the same for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace nearkin {

// Calls work(thread, begin, end) over [0, count) in blocks; the first exception is rethrown when all have stopped.
template <class Work>
void parallel_blocks(std::size_t count, std::size_t block, unsigned threads, Work&& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto run = [&](unsigned thread) {
    try {
      for (;;) {
        const std::size_t begin = next.fetch_add(block);
        if (begin >= count) return;
        work(thread, begin, std::min(begin + block, count));
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::jthread> others;
  for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  run(0);
  others.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace nearkin
