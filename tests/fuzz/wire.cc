// The messages that the keeper program reads. The first byte says which of them the others are: a
// plan, walls, orders about names, or texts to make a plan of.
#include <algorithm>
#include <cstring>
#include <memory>

#include "confine/steps.h"
#include "keeper/last_line.h"
#include "keeper/sound.h"
#include "run/plan.h"
#include "target.h"

namespace husk::fuzz {
namespace of_wire {
namespace {

using namespace husk::wire;

// As large as the message and no larger, so that a sanitizer sees whoever reads beyond it; and
// aligned, as the keeper's own memory is.
class Message {
public:
    explicit Message(std::string_view bytes)
        : begin_(static_cast<char*>(::operator new(std::max<size_t>(bytes.size(), 1)))),
          size_(bytes.size()) {
        if (!bytes.empty()) std::memcpy(begin_.get(), bytes.data(), bytes.size());
    }
    const char* data() const { return begin_.get(); }
    uint64_t size() const { return size_; }
    const char* end() const { return begin_.get() + size_; }
    // A text begins there, and ends in the message.
    bool holds_text(const char* at) const {
        return at >= data() && at < end() && end_of_text(at, end()) < end();
    }

private:
    struct Delete {
        void operator()(char* memory) const { ::operator delete(memory); }
    };
    std::unique_ptr<char, Delete> begin_;
    uint64_t size_;
};

const char* strings[max_strings + 2];

void check_last_lines(const Plan& plan, const Message& message) {
    using record::Reason;
    record::Record ended{};
    ended.limit = ~uint64_t{0};
    for (const Reason reason : {Reason::Itself, Reason::Deadline, Reason::Idle, Reason::Limit}) {
        for (const int status : {0, 255 << 8, 9, 64, 127}) {
            ended.reason = reason;
            ended.wait_status = status;
            const auto line = last_line::of(plan, message.end(), ended);
            demand(line.size == 0 || line.text[line.size - 1] == '\n', "the last line ends");
        }
    }
}

void check_plan(const Message& message) {
    if (!is_plan(message.data(), message.size())) return;
    const auto& plan = *reinterpret_cast<const Plan*>(message.data());
    demand(descriptors_of(plan) <= max_plan_descriptors, "the descriptors have room");
    PlanTexts texts{};
    if (!read_texts(message.data(), message.size(), strings, texts)) return;
    demand(message.holds_text(texts.program), "the program lies in the message");
    demand(texts.directory == nullptr || message.holds_text(texts.directory),
           "the directory lies in the message");
    demand((texts.directory != nullptr) == ((plan.flags & DirectoryByName) != 0),
           "there is a directory where it was announced");
    for (uint32_t i = 0; i < plan.argc; ++i)
        demand(message.holds_text(strings[i]), "an argument lies in the message");
    demand(strings[plan.argc] == nullptr, "the arguments have an end");
    for (uint32_t i = 0; i < plan.envc; ++i)
        demand(message.holds_text(strings[plan.argc + 1 + i]), "a variable lies in the message");
    demand(strings[plan.argc + 1 + plan.envc] == nullptr, "the variables have an end");
    demand(plan.limit_count <= max_limits, "the limits have room");
    check_last_lines(plan, message);
}

void check_walls(const Message& message) {
    if (message.size() < sizeof(Walls) || !is_sound(message.data(), message.size())) return;
    const auto& header = *reinterpret_cast<const Walls*>(message.data());
    for (uint32_t i = 0; i < header.steps; ++i) {
        const WallStep& step = step_of(message.data(), i);
        for (const uint32_t at : step.texts)
            demand(message.holds_text(message.data() + at), "a text lies in the message");
        if (step.op != WallOp::Filter) continue;
        demand(step.texts[0] + step.a * 8 <= message.size(), "a filter lies in the message");
        if (step.b != 0)
            demand(step.texts[1] + step.c <= message.size(), "its rows lie in the message");
    }
}

void check_names(const Message& message) {
    constexpr unsigned roots = 3;
    if (!are_sound(message.data(), message.size(), roots)) return;
    for (uint64_t at = 0; at < message.size();) {
        const char* const begin = message.data() + at;
        const auto& name = *reinterpret_cast<const NameOrder*>(begin);
        demand(name.root < roots, "a root is one of those that are held");
        for (const size_t offset : {sizeof name, size_t{name.relative}, size_t{name.target}})
            demand(offset == name.size ||
                       end_of_text(begin + offset, begin + name.size) < begin + name.size,
                   "the texts of a name end with it");
        at += name.size;
    }
}

std::vector<std::string> split(std::string_view bytes) {
    std::vector<std::string> texts;
    while (!bytes.empty()) {
        const size_t end = std::min(bytes.find('\0'), bytes.size());
        texts.emplace_back(bytes.substr(0, end));
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    return texts;
}

// A plan that was made of any texts holds them.
void check_own_plan(std::string_view bytes) {
    run::LaunchPlan plan;
    plan.program = "/bin/bash";
    for (std::string& text : split(bytes))
        (text.contains('=') ? plan.env : plan.argv).push_back(std::move(text));
    if (plan.argv.size() > 3) plan.directory = plan.argv.back();
    const auto encoded = run::encode(plan);
    if (!encoded) return;
    const Message message(*encoded);
    PlanTexts texts{};
    demand(is_plan(message.data(), message.size()), "an encoded plan is a plan");
    if (plan.argv.empty()) return;
    demand(read_texts(message.data(), message.size(), strings, texts), "its texts can be read");
    demand(texts.program == plan.program, "the program is the same");
    demand(plan.directory.empty() == (texts.directory == nullptr), "so is the directory");
    for (size_t i = 0; i < plan.argv.size(); ++i)
        demand(strings[i] == plan.argv[i], "so are the arguments");
    for (size_t i = 0; i < plan.env.size(); ++i)
        demand(strings[plan.argv.size() + 1 + i] == plan.env[i], "so are the variables");
}

std::string name_order(uint16_t root, std::string_view path, std::string_view target) {
    std::string texts(path);
    texts.append(1, '\0').append(target).append(1, '\0');
    while ((sizeof(NameOrder) + texts.size()) % 8 != 0) texts += '\0';
    NameOrder name{};
    name.root = root;
    name.relative = static_cast<uint16_t>(sizeof name + path.rfind('/') + 1);
    if (!target.empty()) name.target = static_cast<uint16_t>(sizeof name + path.size() + 1);
    name.flags = TakeAway | Watch;
    name.size = static_cast<uint16_t>(sizeof name + texts.size());
    return std::string(reinterpret_cast<const char*>(&name), sizeof name) + texts;
}

}  // namespace
}  // namespace of_wire

void wire(std::string_view bytes) {
    using namespace of_wire;
    if (bytes.empty()) return;
    const Message message(bytes.substr(1));
    switch (bytes[0]) {
        case 'p': return check_plan(message);
        case 'w': return check_walls(message);
        case 'n': return check_names(message);
        default: return check_own_plan(bytes.substr(1));
    }
}

std::vector<std::string> wire_seeds() {
    using namespace of_wire;
    run::LaunchPlan plan;
    plan.program = "/bin/bash";
    plan.argv = {"bash", "-c", "echo hi"};
    plan.env = {"HOME=/root", "PATH=/usr/bin"};
    const std::string simple = "p" + run::encode(plan).value();
    plan.directory = "/workspace";
    plan.background = true;
    plan.limits = {{.resource = 7, .soft = 1024, .hard = 4096}};
    const std::string by_name = "p" + run::encode(plan).value();
    confine::Steps steps;
    steps.make_directory("/tmp/x");
    steps.bind("/usr", "/tmp/x/usr");
    steps.add({WallOp::Filter, "filter", 2, 1, 8, {std::string(16, '\6'), std::string(8, '\1')}});
    const std::string names =
        "n" + name_order(0, "/w/.vscode", "") + name_order(2, "/w/.git/hooks", "../hooks");
    return {simple, by_name, "w" + steps.encode(), names,
            std::string("tbash\0-c\0echo $X\0X=1\0PATH=/bin", 30)};
}

}  // namespace husk::fuzz
