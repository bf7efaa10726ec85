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

constexpr std::size_t kWaste = 8;  // one part in so many of a batch may be kept without need: less is not worth a copy

constexpr std::size_t kLongText = 2 * kBatchBytes;  // of a single text: there may be room for others after it

}  // namespace

void TextContents::add(Batch&& batch) {
  if (!signed_ && text_room_ == 0) return;  // there is no room for anything
  std::vector<std::size_t> new_rows;
  std::size_t new_bytes = 0;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const BatchRow& row = batch.rows[i];
    if (row.length == 0) {
      content_of_.push_back(kNothing);
    } else if (row.copy) {
      const std::uint32_t* const known = numbers_.find(row.content_digest);
      content_of_.push_back(known == nullptr ? kNothing : *known);
    } else {
      const auto next = static_cast<std::uint32_t>(numbers_.size());
      const auto [known, is_new] = numbers_.emplace(row.content_digest, next);
      content_of_.push_back(*known);
      if (!is_new) continue;
      new_rows.push_back(i);
      new_bytes += row.length;
    }
  }
  if (content_of_.size() >= kNothing) throw std::length_error("more than 4 billion texts at once");
  if (new_rows.empty()) return;
  if (new_bytes < batch.canonical.size() - batch.canonical.size() / kWaste) {
    batch = chosen_rows(batch, new_rows);
    std::iota(new_rows.begin(), new_rows.end(), std::size_t{0});
  }
  const bool has_room = batch.canonical.size() <= text_room_;
  if (has_room) text_room_ -= batch.canonical.size();
  if (!has_room && batch.canonical.size() <= kLongText) text_room_ = 0;
  if (!has_room) release(batch.canonical);
  const std::uint64_t features = batch.features.size() * sizeof(std::uint64_t);
  if (signed_ && features > feature_room_) drop_features();
  if (signed_) feature_room_ -= features;
  if (!signed_) release(batch.features, batch.weights);
  batches_.push_back(std::move(batch));
  const Batch& kept = batches_.back();
  std::uint64_t text = 0, feature = 0;
  for (std::size_t i = 0, next = 0; i < kept.rows.size(); ++i) {
    const BatchRow& row = kept.rows[i];
    const std::uint64_t count = kept.feature_ends[i] - feature;
    if (next < new_rows.size() && new_rows[next] == i) {
      ++next;
      Content& content = contents_.emplace_back(Content{row.content_digest, row.modulus, {}, {}, {}});
      if (has_room) content.text = std::string_view(kept.canonical).substr(text, row.length);
      if (signed_) content.features = std::span(kept.features).subspan(feature, count);
      if (!kept.weights.empty()) content.weights = std::span(kept.weights).subspan(feature, count);
    }
    text += held_bytes(row);
    feature = kept.feature_ends[i];
  }
  Batch& rest = batches_.back();  // only its texts and features are read from now on
  release(rest.rows, rest.text_ends, rest.property_ends, rest.json_ends, rest.feature_ends, rest.properties, rest.json);
}

void TextContents::drop_features() {
  signed_ = false;
  for (Batch& batch : batches_) release(batch.features, batch.weights);
  for (Content& content : contents_) content.features = {}, content.weights = {};
}

void TextContents::append(const Content& content) {
  texts_.push_back(content.text);
  moduli_.push_back(content.modulus);
  offsets_.push_back(offsets_.back() + content.features.size());
  starts_.push_back(content.features.data());
}

void TextContents::sort(bool weighted) {
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
  const auto less = [&](const Place& x, const Place& y) {
    if (x.begin != y.begin) return x.begin < y.begin;
    return contents_[x.number].digest < contents_[y.number].digest;
  };
  sort_by_feature(places.data(), places.size(), [](const Place& place) { return place.begin; }, less);
  std::vector<std::uint32_t> row(contents_.size());
  offsets_.push_back(0);
  for (const Place& place : places) {
    const Content& content = contents_[place.number];
    row[place.number] = static_cast<std::uint32_t>(texts_.size());
    append(content);
    if (weighted) weights_.insert(weights_.end(), content.weights.begin(), content.weights.end());
  }
  for (auto& content : content_of_)
    if (content != kNothing) content = row[content];
  release(contents_, numbers_);
}

bool TextContents::sort_like(std::span<const Digest> digests) {
  bool all = signed_;
  offsets_.push_back(0);
  for (const Digest& digest : digests) {
    const std::uint32_t* const known = numbers_.find(digest);
    const Content missing{digest, 1, {}, {}, {}};
    const Content& content = known == nullptr ? missing : contents_[*known];
    all = all && known != nullptr && content.weights.empty();
    append(content);
  }
  release(contents_, numbers_, content_of_);
  return all;
}

std::vector<std::span<const std::uint64_t>> TextContents::features_of(std::span<const std::int64_t> rows) {
  lent_ = true;
  std::vector<std::span<const std::uint64_t>> lists;
  lists.reserve(rows.size());
  for (const auto signed_row : rows) {
    const auto row = static_cast<std::size_t>(signed_row);
    lists.emplace_back(signed_row < 0 ? nullptr : starts_[row], signed_row < 0 ? 0 : offsets_[row + 1] - offsets_[row]);
  }
  return lists;
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

// Appends piece i, which is [ends[i-1], ends[i]), unless the pieces were taken.
template <class Values>
void append_piece(Values& to, const Values& from, const std::vector<std::uint64_t>& ends, std::size_t i) {
  if (from.empty()) return;
  const std::uint64_t start = i == 0 ? 0 : ends[i - 1];
  const auto at = [&](std::uint64_t place) { return from.begin() + static_cast<std::ptrdiff_t>(place); };
  to.insert(to.end(), at(start), at(ends[i]));
}

}  // namespace

Batch chosen_rows(const Batch& batch, std::span<const std::size_t> rows) {
  Batch result;
  std::size_t next = 0;
  std::uint64_t canonical = 0;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const std::uint64_t length = held_bytes(batch.rows[i]);
    if (next < rows.size() && rows[next] == i) {
      ++next;
      result.rows.push_back(batch.rows[i]);
      if (!batch.canonical.empty()) result.canonical.append(batch.canonical, canonical, length);
      append_piece(result.texts, batch.texts, batch.text_ends, i);
      append_piece(result.properties, batch.properties, batch.property_ends, i);
      append_piece(result.json, batch.json, batch.json_ends, i);
      append_piece(result.features, batch.features, batch.feature_ends, i);
      append_piece(result.weights, batch.weights, batch.feature_ends, i);
      result.text_ends.push_back(result.texts.size());
      result.property_ends.push_back(result.properties.size());
      if (!batch.json_ends.empty()) result.json_ends.push_back(result.json.size());
      result.feature_ends.push_back(result.features.size());
    }
    canonical += length;
  }
  return result;
}

}  // namespace nearkin
