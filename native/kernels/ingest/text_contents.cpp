#include "ingest/text_contents.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/containers.hpp"
#include "base/sort.hpp"

namespace nearkin {
namespace {

constexpr std::size_t kWaste = 8;  // of a batch one part in so many may be kept without need: less is not worth a copy

constexpr std::size_t kLong = 2 * kBatchBytes;  // of one text alone: for others there may be room after it

}  // namespace

void TextContents::add(Batch&& batch) {
  if (!signed_ && for_texts_ == 0) return;  // there is no room for anything
  std::vector<std::size_t> fresh;
  std::size_t said = 0;  // bytes of what is new
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const Ingested& row = batch.rows[i];
    if (row.length == 0) {
      holding_.push_back(kNothing);
    } else if (row.copy) {
      const std::uint32_t* const known = numbers_.find(row.content_digest);
      holding_.push_back(known == nullptr ? kNothing : *known);
    } else {
      const auto next = static_cast<std::uint32_t>(numbers_.size());
      const auto [known, is_new] = numbers_.emplace(row.content_digest, next);
      holding_.push_back(*known);
      if (!is_new) continue;
      fresh.push_back(i);
      said += row.length;
    }
  }
  if (holding_.size() >= kNothing) throw std::length_error("more than 4 billion texts at once");
  if (fresh.empty()) return;
  if (said < batch.canonical.size() - batch.canonical.size() / kWaste) {
    batch = chosen_rows(batch, fresh);
    std::iota(fresh.begin(), fresh.end(), std::size_t{0});
  }
  const bool has_room = batch.canonical.size() <= for_texts_;
  if (has_room) for_texts_ -= batch.canonical.size();
  if (!has_room && batch.canonical.size() <= kLong) for_texts_ = 0;
  if (!has_room) release(batch.canonical);
  const std::uint64_t features = batch.features.size() * sizeof(std::uint64_t);
  if (signed_ && features > for_features_) forget_features();
  if (signed_) for_features_ -= features;
  if (!signed_) release(batch.features, batch.weights);
  batches_.push_back(std::move(batch));
  const Batch& kept = batches_.back();
  std::uint64_t text = 0, feature = 0;
  for (std::size_t i = 0, next = 0; i < kept.rows.size(); ++i) {
    const Ingested& row = kept.rows[i];
    const std::uint64_t count = kept.feature_ends[i] - feature;
    if (next < fresh.size() && fresh[next] == i) {
      ++next;
      Content& one = contents_.emplace_back(Content{row.content_digest, row.modulus, {}, {}, {}});
      if (has_room) one.text = std::string_view(kept.canonical).substr(text, row.length);
      if (signed_) one.features = std::span(kept.features).subspan(feature, count);
      if (!kept.weights.empty()) one.weights = std::span(kept.weights).subspan(feature, count);
    }
    text += held_bytes(row);
    feature = kept.feature_ends[i];
  }
  Batch& rest = batches_.back();  // of it only the texts and their features are read again
  release(rest.rows, rest.text_ends, rest.property_ends, rest.json_ends, rest.feature_ends, rest.properties, rest.json);
}

void TextContents::forget_features() {
  signed_ = false;
  for (Batch& batch : batches_) release(batch.features, batch.weights);
  for (Content& one : contents_) one.features = {}, one.weights = {};
}

void TextContents::append(const Content& one) {
  texts_.push_back(one.text);
  moduli_.push_back(one.modulus);
  offsets_.push_back(offsets_.back() + one.features.size());
  starts_.push_back(one.features.data());
}

void TextContents::put_in_order(bool weighted) {
  struct Place {
    std::uint64_t begin;  // of the digest
    std::uint32_t number;
  };
  std::vector<Place> places;
  for (std::uint32_t number = 0; number < contents_.size(); ++number) {
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < 8; ++i) begin = begin << 8 | contents_[number].digest[i];
    places.push_back({begin, number});
  }
  sort_by_feature(places.data(), places.size(), [](const Place& one) { return one.begin; },
                  [&](const Place& x, const Place& y) {
                    return x.begin != y.begin ? x.begin < y.begin : contents_[x.number].digest < contents_[y.number].digest;
                  });
  std::vector<std::uint32_t> row(contents_.size());
  offsets_.push_back(0);
  for (const Place& place : places) {
    const Content& one = contents_[place.number];
    row[place.number] = static_cast<std::uint32_t>(texts_.size());
    append(one);
    if (weighted) weights_.insert(weights_.end(), one.weights.begin(), one.weights.end());
  }
  for (auto& content : holding_)
    if (content != kNothing) content = row[content];
  release(contents_, numbers_);
}

bool TextContents::put_in_order_of(std::span<const Digest> digests) {
  bool all = signed_;
  offsets_.push_back(0);
  for (const Digest& digest : digests) {
    const std::uint32_t* const known = numbers_.find(digest);
    const Content nobody{digest, 1, {}, {}, {}};
    const Content& one = known == nullptr ? nobody : contents_[*known];
    all = all && known != nullptr && one.weights.empty();
    append(one);
  }
  release(contents_, numbers_, holding_);
  return all;
}

std::vector<std::span<const std::uint64_t>> TextContents::features_of(std::span<const std::int64_t> rows) {
  lent_ = true;
  std::vector<std::span<const std::uint64_t>> some;
  some.reserve(rows.size());
  for (const auto signed_row : rows) {
    const auto row = static_cast<std::size_t>(signed_row);
    some.emplace_back(signed_row < 0 ? nullptr : starts_[row], signed_row < 0 ? 0 : offsets_[row + 1] - offsets_[row]);
  }
  return some;
}

std::span<const std::uint64_t> TextContents::features() {
  if (features_.empty() && !starts_.empty()) {
    features_.resize(offsets_.back());
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      std::copy_n(starts_[i], offsets_[i + 1] - offsets_[i], features_.data() + offsets_[i]);
      starts_[i] = features_.data() + offsets_[i];
    }
    for (Batch& batch : batches_)
      if (!lent_) release(batch.features, batch.weights);
  }
  return features_;
}

namespace {

// Piece i is [ends[i-1], ends[i]). Nothing where the pieces are gone.
template <class Values>
void append_piece(Values& to, const Values& from, const std::vector<std::uint64_t>& ends, std::size_t i) {
  if (from.empty()) return;
  const std::uint64_t start = i == 0 ? 0 : ends[i - 1];
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(start), from.begin() + static_cast<std::ptrdiff_t>(ends[i]));
}

}  // namespace

Batch chosen_rows(const Batch& batch, std::span<const std::size_t> rows) {
  Batch some;
  std::size_t next = 0;
  std::uint64_t canonical = 0;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const std::uint64_t length = held_bytes(batch.rows[i]);
    if (next < rows.size() && rows[next] == i) {
      ++next;
      some.rows.push_back(batch.rows[i]);
      if (!batch.canonical.empty()) some.canonical.append(batch.canonical, canonical, length);
      append_piece(some.texts, batch.texts, batch.text_ends, i);
      append_piece(some.properties, batch.properties, batch.property_ends, i);
      append_piece(some.json, batch.json, batch.json_ends, i);
      append_piece(some.features, batch.features, batch.feature_ends, i);
      append_piece(some.weights, batch.weights, batch.feature_ends, i);
      some.text_ends.push_back(some.texts.size());
      some.property_ends.push_back(some.properties.size());
      if (!batch.json_ends.empty()) some.json_ends.push_back(some.json.size());
      some.feature_ends.push_back(some.features.size());
    }
    canonical += length;
  }
  return some;
}

}  // namespace nearkin
