// Texts in memory as a store would hold them: each distinct canonical text once, in the order of digests. They are
// those of a caller, or what a scan has just read and need not read back from its store.
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

  // Room in bytes: for canonical texts, of which none is kept from the batch on that has no room, and for features, of
  // which then none are.
  explicit TextContents(std::uint64_t for_texts = kAny, std::uint64_t for_features = kAny)
      : for_texts_(for_texts), for_features_(for_features) {}

  // The next texts. Of them hardly more is kept than canonical texts and signatures, and those once. A copy comes
  // without either: they came before.
  void add(Batch&& batch);

  // Once, after the last. Signatures without weights where these are not asked for.
  void put_in_order(bool weighted);

  // Likewise, but in the order of others. Says whether each of them is known with its signature, without weights; the
  // text of one that is not known is empty.
  bool put_in_order_of(std::span<const Digest> digests);

  std::span<const std::uint32_t> holding() const { return holding_; }  // by text: its content; kNothing: it says nothing
  // By content.
  std::span<const std::string_view> texts() const { return texts_; }
  std::span<const std::uint64_t> moduli() const { return moduli_; }
  std::span<const std::uint64_t> offsets() const { return offsets_; }  // one more than there are contents
  std::span<const std::uint32_t> weights() const { return weights_; }
  // Features where they are, or end to end: these are put together when they are asked for.
  std::span<const std::uint64_t* const> starts() const { return starts_; }
  std::span<const std::uint64_t> features();
  // Those of some contents, where they are. From now on they stay there.
  std::vector<std::span<const std::uint64_t>> features_of(std::span<const std::int64_t> rows);

 private:
  struct Content {
    Digest digest;
    std::uint64_t modulus;
    std::string_view text;
    std::span<const std::uint64_t> features;
    std::span<const std::uint32_t> weights;
  };

  void forget_features();
  void append(const Content& one);  // to what is in order

  std::uint64_t for_texts_, for_features_;
  bool signed_ = true, lent_ = false;
  std::deque<Batch> batches_;      // their bytes stay where they are
  std::vector<Content> contents_;  // as they were met
  FlatMap<Digest, std::uint32_t, ByDigest> numbers_;
  std::vector<std::uint32_t> holding_;
  std::vector<std::string_view> texts_;
  std::vector<std::uint64_t> offsets_, moduli_;
  std::vector<const std::uint64_t*> starts_;
  UninitVector<std::uint64_t> features_;
  UninitVector<std::uint32_t> weights_;
};

// Some rows of a batch as a batch of their own.

// In their order. What was taken from the batch already, texts for one, its rows do not have here either.
Batch chosen_rows(const Batch& batch, std::span<const std::size_t> rows);

// Bytes of canonical text that its batch holds.
inline std::uint64_t held_bytes(const Ingested& row) { return row.copy ? 0 : row.length; }

}  // namespace nearkin
