// Contents in memory as a store would hold them: each distinct canonical text once, in the order of digests. They come
// from a caller's texts, or from what a scan has just read and need not read back from its store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers.hpp"
#include "ingest/ingest.hpp"

namespace nearkin {

class TextContents {
 public:
  static constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

  // The room is in bytes. When a batch does not fit, no canonical text is kept from there on, or no features at all.
  explicit TextContents(std::uint64_t text_room = kAny, std::uint64_t feature_room = kAny)
      : text_room_(text_room), feature_room_(feature_room) {}

  // Adds the next texts. Hardly more is kept of them than distinct canonical texts and signatures. A copy comes without
  // either: they came before.
  void add(Batch&& batch);

  // Sorts contents by digest, once, after the last text. Signatures have weights only if these are wanted.
  void sort(bool weighted);

  // Sorts contents into the order of these digests instead. Returns whether each is known with its signature, without
  // weights; the text of an unknown one is empty.
  bool sort_like(std::span<const Digest> digests);

  std::span<const std::uint32_t> content_of() const { return content_of_; }  // by text; kNothing: it is empty
  // By content.
  std::span<const std::string_view> texts() const { return texts_; }
  std::span<const std::uint64_t> moduli() const { return moduli_; }
  std::span<const std::uint64_t> offsets() const { return offsets_; }  // one more than there are contents
  std::span<const std::uint32_t> weights() const { return weights_; }
  // Features where they are, or end to end: they are joined when they are first needed so.
  std::span<const std::uint64_t* const> starts() const { return starts_; }
  std::span<const std::uint64_t> features();
  // Features of some contents, where they are. From now on they stay there.
  std::vector<std::span<const std::uint64_t>> features_of(std::span<const std::int64_t> rows);

 private:
  struct Content {
    Digest digest;
    std::uint64_t modulus;
    std::string_view text;
    std::span<const std::uint64_t> features;
    std::span<const std::uint32_t> weights;
  };

  void drop_features();
  void append(const Content& content);  // to the sorted ones

  std::uint64_t text_room_, feature_room_;
  bool signed_ = true, lent_ = false;
  std::deque<Batch> batches_;      // their bytes stay where they are
  std::vector<Content> contents_;  // in the order of adding
  FlatMap<Digest, std::uint32_t, ByDigest> numbers_;
  std::vector<std::uint32_t> content_of_;
  std::vector<std::string_view> texts_;
  std::vector<std::uint64_t> offsets_, moduli_;
  std::vector<const std::uint64_t*> starts_;
  UninitVector<std::uint64_t> features_;
  UninitVector<std::uint32_t> weights_;
};

// Returns some rows of a batch as a batch of their own, in their order. What was already taken from the batch, such as
// texts, these rows lack too.
Batch chosen_rows(const Batch& batch, std::span<const std::size_t> rows);

// Returns the bytes of canonical text that a row's batch holds for it.
inline std::uint64_t held_bytes(const BatchRow& row) { return row.copy ? 0 : row.length; }

}  // namespace nearkin
