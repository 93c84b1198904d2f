#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <array>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "request/document_builder.h"

namespace husk {
namespace {

struct Enough {};  // thrown through the parser, which cannot be told to stop

size_t line_of(const YAML::Mark& mark) { return static_cast<size_t>(mark.line) + 1; }

class Events : public YAML::EventHandler {
public:
    void OnDocumentStart(const YAML::Mark& mark) override {
        if (documents_++ > 0) {
            builder_.fail(line_of(mark),
                          "a second document begins here; is the indentation of this line right?");
            throw Enough();
        }
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        check(mark, "?", anchor);
        go_on(builder_.nothing(line_of(mark)));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_alias(mark); }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        check(mark, tag, anchor);
        go_on(builder_.text(value, line_of(mark)));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        check(mark, tag, anchor);
        go_on(builder_.begin(DocumentNode::Kind::List, line_of(mark)));
    }
    void OnSequenceEnd() override { go_on(builder_.end()); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        check(mark, tag, anchor);
        go_on(builder_.begin(DocumentNode::Kind::Map, line_of(mark)));
    }
    void OnMapEnd() override { go_on(builder_.end()); }

    void refuse_merge(const YAML::Mark& mark) {
        builder_.fail(line_of(mark), "merges (<<) are not used here");
        throw Enough();
    }

    DocumentBuilder& builder() { return builder_; }

private:
    static void go_on(bool possible) {
        if (!possible) throw Enough();
    }
    void refuse_alias(const YAML::Mark& mark) {
        builder_.fail(line_of(mark), "aliases (*name) are not used here; put a star in quotes");
        throw Enough();
    }
    void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        const bool tagged = tag != "?" && tag != "!" && !tag.empty();
        if (tagged) builder_.fail(line_of(mark), "tags (!name) are not used here");
        if (anchor != YAML::NullAnchor)
            builder_.fail(line_of(mark), "anchors (&name) are not used here");
        if (builder_.error()) throw Enough();
    }

    DocumentBuilder builder_{DocumentBuilder::Twice::IsAnError};
    int documents_ = 0;
};

// Passes on the events of one key of the top-level map. A merge or an alias as a key is an error,
// because it could add that key.
class EventsOfKey : public YAML::EventHandler {
public:
    explicit EventsOfKey(std::string_view key) : key_(key) {}

    void OnDocumentStart(const YAML::Mark& mark) override { all_.OnDocumentStart(mark); }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        if (passes("")) all_.OnNull(mark, anchor);
        step();
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        if (is_key() || passes("")) all_.OnAlias(mark, anchor);
        step();
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        if (is_key() && value == "<<") all_.refuse_merge(mark);
        if (passes(value)) all_.OnScalar(mark, tag, anchor, value);
        step();
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override {
        if (begin(mark)) all_.OnSequenceStart(mark, tag, anchor, style);
    }
    void OnSequenceEnd() override {
        if (end()) all_.OnSequenceEnd();
    }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override {
        if (open_.empty()) is_map_ = true;
        if (begin(mark)) all_.OnMapStart(mark, tag, anchor, style);
    }
    void OnMapEnd() override {
        if (end()) all_.OnMapEnd();
    }

    DocumentBuilder& builder() { return all_.builder(); }

private:
    bool is_in_top_map() const { return is_map_ && open_.size() == 1; }
    bool is_key() const { return is_in_top_map() && at_key_; }
    bool passes(std::string_view text) {
        if (is_key()) is_wanted_ = text == key_;
        return open_.empty() || !is_map_ || is_wanted_;
    }
    // A key or a value of the top map is over.
    void step() {
        if (is_in_top_map()) at_key_ = !at_key_;
    }
    // The parser is recursive, so the depth is limited.
    bool begin(const YAML::Mark& mark) {
        constexpr size_t deepest = 200;
        if (open_.size() == deepest) {
            all_.builder().fail(line_of(mark), "lists and maps are nested more than " +
                                                   std::to_string(deepest) + " deep here");
            throw Enough();
        }
        const bool passed = passes("");
        open_.push_back(passed);
        return passed;
    }
    bool end() {
        const bool passed = open_.back();
        open_.pop_back();
        step();
        return passed;
    }

    std::string key_;
    Events all_;
    std::vector<bool> open_;  // lists and maps, and whether they are passed on
    bool is_map_ = false;     // at the top
    bool at_key_ = true;
    bool is_wanted_ = false;  // the key that was last
};

bool is_indented_with_tab(std::string_view line) {
    const size_t first = line.find_first_not_of(" \t");
    return line.substr(0, first).contains('\t');
}

// The parser's own words are for those who know how it works inside.
std::string plain_words(std::string_view said) {
    using Pair = std::pair<std::string_view, std::string_view>;
    static constexpr std::array<Pair, 9> known = {{
        {"end of sequence flow not found", "a [ is never closed"},
        {"end of map flow not found", "a { is never closed"},
        {"illegal EOF in scalar", "a quote is never closed"},
        {"illegal map value", "there is a colon too many, or the indentation is wrong"},
        {"illegal block entry", "a \"- \" does not fit here; is the indentation right?"},
        {"the referenced anchor is not defined", "a star must be in quotes"},
        {"alias not found after *", "a star must be in quotes"},
        {"anchor not found after &", "an & must be in quotes"},
        {"unknown token", "this character must be in quotes"},
    }};
    for (const auto& [theirs, ours] : known)
        if (said == theirs) return std::string(ours);
    return std::string(said);
}

// The parser takes the end of the text for the end of a quote, but only behind a newline.
std::string_view without_last_newlines(std::string_view text) {
    return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

DocumentError explained(const YAML::Exception& error, std::string_view text) {
    const size_t line = error.mark.is_null() ? 0 : line_of(error.mark);
    const auto lines = text::split_lines(text);
    if (line > 0 && line <= lines.size() && is_indented_with_tab(lines[line - 1]))
        return {line, "there is a tab in the indentation; YAML wants spaces"};
    return {line, "this is not YAML: " + plain_words(error.msg)};
}

template <class Handler>
std::expected<DocumentNode, DocumentError> read_with(Handler events, std::string_view text) {
    if (auto reason = unreadable(text)) return std::unexpected(*std::move(reason));
    try {
        std::istringstream stream{std::string(without_last_newlines(text))};
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(events)) {
        }
    } catch (const Enough&) {
        return std::unexpected(*events.builder().error());
    } catch (const YAML::Exception& error) {
        return std::unexpected(explained(error, text));
    }
    return events.builder().take();
}

}  // namespace

std::expected<DocumentNode, DocumentError> read_yaml(std::string_view text) {
    return read_with(Events(), text);
}

std::expected<DocumentNode, DocumentError> read_yaml_key(std::string_view text,
                                                         std::string_view key) {
    return read_with(EventsOfKey(key), text);
}

}  // namespace husk
