// HTML to visible text, with a tokeniser and without a tree (docs/decisions/002-html-without-a-tree.md).
//
// The tokeniser follows the WHATWG standard §13.2.5. What is shown does not need a tree: a few elements hide their
// content (script, style, template, iframe, noembed), blocks break lines, cells and controls separate words,
// the rest is inline. The state is a handful of counters, so nesting costs nothing and time is linear in the input.
//
// Decisions:
// - White space collapses to one space, lines are trimmed and never empty, except within pre, textarea, xmp, listing
//   and plaintext, where it is kept. No-break spaces are text.
// - Control characters (NUL included) vanish, as html.unescape lets references to them vanish.
// - <![CDATA[…]]> is text anywhere (XHTML); in foreign content and in documents that begin with <?xml, <script/> and
//   its like are complete elements. Of XHTML that begins otherwise whoever asks for its text must say so.
// - At the end of the input: an open comment, script, style or tag is dropped, as the standard has it; an open title,
//   textarea or CDATA section is text.
// - Alt texts of img, area and input type=image stand where the picture does; one that only repeats the name of the
//   picture's file is none. Browsers show them in its place, and readers of screens read them.
// - Values of inputs are text, or else their placeholders; not those of hidden ones and passwords. So are labels of
//   optgroup, the page in an iframe's srcdoc, and templates that are shadow roots, where they stand.
// - noscript, noframes, framesets, hidden attributes and fallbacks (object, canvas, video) are shown: better text too much than
//   text lost.
#pragma once

#include <string>
#include <string_view>

namespace nearkin {

// Replaces `out`, whose capacity is reused. What the page says of itself is added to `properties`: title, author, created
// or modified, NUL, the value, NUL, and so on, in the page's order. Titles as they are shown, other values as they are
// written, references and all: hardly any page has them.
void visible_text(std::string_view utf8, std::string& out, std::string* properties = nullptr,
                  bool xml = false);

}  // namespace nearkin
