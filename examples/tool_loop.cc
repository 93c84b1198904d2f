// An agent's loop with the tools of a contract: the model is told which tools there are, calls them
// and gets their results, and a person is asked where a rule says so.
//
//     tool_loop DIRECTORY
#include <husk/tools.h>

#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct Message {
    std::string role;  // system, assistant, tool
    std::string content;
};

struct ToolCall {
    std::string name;
    std::string arguments;  // JSON
};

// A script in place of a model, so that the example runs without one. A real model gets `tools` and
// `messages`, and answers with its next call, or with none at the end.
std::optional<ToolCall> next_call(const std::string& tools, const std::vector<Message>& messages) {
    if (tools.find("\"bash\"") == std::string::npos) return std::nullopt;
    const std::string& last = messages.back().content;
    const bool failed = last.find("\"isError\":true") != std::string::npos;
    switch (messages.size()) {
        case 1: return ToolCall{"bash", R"({"command": "cat notes"})"};
        case 3:
            return ToolCall{"bash", failed ? R"({"command": "echo first > notes; cat notes"})"
                                           : R"({"command": "wc -l notes"})"};
        case 5: return ToolCall{"bash", R"({"command": "git push origin main"})"};
        default: return std::nullopt;
    }
}

// Reads the person's answer, for as long as that takes.
void read_answer(const husk::Question& question, const std::function<void(husk::Answer)>& answer) {
    std::cout << "May it run \"" << question.command << "\" in " << question.working_dir.string()
              << "? yes, or why not: " << std::flush;
    std::string line;
    if (!std::getline(std::cin, line)) return answer({husk::Answer::Unanswered});
    if (line == "yes") return answer({husk::Answer::AllowOnce});
    answer({husk::Answer::Deny, line});
}

// Asks the person. The thread that asks must not be kept, so a thread of its own waits for the
// answer. It is detached because a cancelled call does not wait for it. A graphical program would
// show the whole question in a window and return.
void ask_on_terminal(const husk::Question& question, std::function<void(husk::Answer)> answer) {
    std::thread([question, answer = std::move(answer)] { read_answer(question, answer); }).detach();
}

// The text for the model, which can act on an error too.
std::string text_of(const std::variant<std::string, husk::Error>& result) {
    if (const auto* error = std::get_if<husk::Error>(&result)) return error->text();
    return std::get<std::string>(result);
}

}  // namespace

int main(int argc, char** argv) {
    husk::ToolSettings settings{.contract = "phoenix"};
    settings.overrides = "permissions:\n  ask: [\"Bash(git push:*)\"]\n";
    husk::Tools tools(settings);  // one for all conversations

    husk::ToolContext conversation;
    conversation.working_dir = argc > 1 ? argv[1] : ".";
    conversation.approver = ask_on_terminal;
    conversation.on_output = [](const husk::OutputPiece& piece) { std::cout << piece.bytes; };

    const auto listed = tools.list(conversation);
    std::cout << text_of(listed) << "\n";
    if (std::holds_alternative<husk::Error>(listed)) return 1;

    std::vector<Message> messages = {{"system", "Keep notes in this directory, and publish them."}};
    while (const auto call = next_call(std::get<std::string>(listed), messages)) {
        std::cout << "call " << call->name << " " << call->arguments << "\n";
        messages.push_back({"assistant", call->arguments});
        messages.push_back(
            {"tool", text_of(tools.call(call->name, call->arguments, conversation))});
        std::cout << "result " << messages.back().content << "\n";
    }
    return 0;
}
