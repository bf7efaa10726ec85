#include "filing.hpp"

#include <stdexcept>

namespace nearkin {

bool is_plain(const Ingested& row, bool raw) {
  return row.error == 0 && row.suspect == Suspect::no && (raw || row.kind != Kind::other);
}

std::vector<std::size_t> rows_apart(const Batch& batch, bool raw) {
  std::vector<std::size_t> apart;
  for (std::size_t i = 0; i < batch.rows.size(); ++i)
    if (!is_plain(batch.rows[i], raw)) apart.push_back(i);
  return apart;
}

Filed file_away(const Batch& batch, bool raw, std::span<const std::uint32_t> extractors, ContentIds& contents, TextIds& texts,
                std::int64_t next_content, std::int64_t next_text) {
  Filed filed;
  filed.content_of.resize(batch.rows.size());
  filed.text_of.resize(batch.rows.size());
  for (std::uint32_t i = 0; i < batch.rows.size(); ++i) {
    const Ingested& row = batch.rows[i];
    if (!is_plain(row, raw)) continue;
    filed.documents.push_back(i);
    if (row.content_digest == Digest{}) continue;  // bytes without a text
    const auto [content, has_new_content] = contents.emplace(row.content_digest, next_content);
    if (has_new_content) {
      filed.contents.push_back(i);
      ++next_content;
    }
    const TextIds::Key key{row.digest, extractors[static_cast<std::size_t>(row.kind)], *content};
    const auto [text, has_new_text] = texts.ids.emplace(key, next_text);
    if (has_new_text) {
      if (row.copy) throw std::logic_error("a copy is stored after what it is a copy of");
      filed.texts.push_back(i);
      ++next_text;
    }
    filed.content_of[i] = *content;
    filed.text_of[i] = *text;
  }
  return filed;
}

}  // namespace nearkin
