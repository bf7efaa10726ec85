// A parallel loop. Threads take blocks of work from a counter. The result of a block must not depend on the thread that
// does it, so that all results are the same for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace nearkin {

// Calls work(thread, begin, end) for blocks of [0, count). Rethrows the first exception once all threads have stopped.
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
  std::vector<std::jthread> workers;
  for (unsigned thread = 1; thread < threads; ++thread) workers.emplace_back(run, thread);
  run(0);
  workers.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace nearkin
