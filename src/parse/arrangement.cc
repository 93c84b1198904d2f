#include "parse/arrangement.h"

#include <algorithm>
#include <utility>

#include "parse/carriers.h"
#include "parse/languages.h"
#include "parse/shells.h"
#include "parse/variables.h"
#include "parse/written.h"

namespace husk::parse {
namespace {

constexpr size_t something_else = Command::none - 1;

bool is_plain_file(const Redirect& redirect) {
    const std::optional<std::string> path = redirect.target.value();
    return redirect.kind == Redirect::Kind::Read && path &&
           (path == "/dev/null" || !path->contains("/dev/")) && !path->contains("/proc/") &&
           !path->contains("/fd/");
}

// { x; } <<< y, exec <<< y: a text that commands read which have no redirect of their own.
bool is_for_a_group(const Command& command) {
    const bool is_group =
        command.words.empty() || (command.words.size() == 1 && command.words.front().is("exec"));
    return is_group && std::ranges::any_of(command.redirects, [](const Redirect& redirect) {
               return redirect.kind == Redirect::Kind::HereDocument ||
                      redirect.kind == Redirect::Kind::HereString;
           });
}

// Everything in a text that another command hands on stands where that text stands.
void move_to(const Range& range, Command& command) {
    command.range = range;
    for (Word& word : command.words) word.range = range;
    for (Assignment& assignment : command.assignments)
        assignment.range = assignment.value.range = range;
    for (Redirect& redirect : command.redirects) redirect.range = redirect.target.range = range;
}

}  // namespace

void Arrangement::not_understood(const std::string& reason) {
    auto& reasons = made_.not_understood;
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
}

void Arrangement::arrange() {
    made_.source = std::move(from_.source);
    made_.not_understood = std::move(from_.not_understood);
    made_.error = std::move(from_.error);
    std::vector<size_t> roots;
    for (size_t i = 0; i < from_.commands.size(); ++i) {
        const size_t carrier = from_.commands[i].carrier;
        (carrier == Command::none ? roots : places_[carrier].children).push_back(i);
    }
    find_feeders();
    feeds_a_group_ = std::ranges::any_of(
        from_.commands, [](const Command& command) { return is_for_a_group(command); });
    for (const Loop& loop : from_.loops) budget_.hidden.note_loop(loop);
    for (const size_t root : roots) emit(root, Command::none, 0);
    move_ranges();
    const Hidden& hidden = budget_.hidden;
    for (const std::string& reason : hidden.all_reasons()) not_understood(reason);
    if (hidden.aliases_made && (hidden.aliases_work || depth_ > 0))
        not_understood("aliases change what its words mean");
    from_ = std::move(made_);
}

size_t Arrangement::emit(size_t old, size_t carrier, size_t depth) {
    const size_t index = made_.commands.size();
    places_[old].begin = index;
    made_.commands.push_back(std::move(from_.commands[old]));
    made_.commands[index].carrier = carrier;
    made_.commands[index].depth = depth;
    for (const size_t child : places_[old].children) emit(child, index, depth + 1);
    feeder_ = places_[old].fed_by;
    emit_carried(index);
    places_[old].end = made_.commands.size();
    return index;
}

void Arrangement::emit_carried(size_t index) {
    budget_.hidden.note(made_.commands[index]);
    if (made_.commands.size() > limits_.commands || made_.commands[index].depth > limits_.depth)
        return not_understood("commands are handed on too often");
    for (const Carried& carried : carried_by(made_.commands[index])) {
        if (carried.unsure)
            made_.commands[index].opaque = "what it runs depends on words that are not understood";
        if (carried.kind == Carried::Kind::Words || carried.kind == Carried::Kind::Elsewhere)
            emit_words(index, carried);
        else
            run_string(index, carried);
    }
    if (is_shell(made_.commands[index].program()) &&
        shell_call(made_.commands[index].words).has_unknown_options)
        not_understood("the options of a shell are not understood");
    if (reads_code(made_.commands[index])) read_standard_input(index);
    if (is_interpreter_of_input(made_.commands[index])) interpret_standard_input(index);
    if (may_run_by_its_language(made_.commands[index]))
        made_.commands[index].opaque = "a text in its own language may run a command";
    if (may_run_more_than_it_shows(made_.commands[index]))
        made_.commands[index].opaque = "what it runs depends on words that are not known";
    if (runs_what_a_command_writes(made_.commands[index])) run_process(index);
    if (made_.commands[index].program() == "git" && git_hides_code(made_.commands[index].words))
        made_.commands[index].opaque = "it makes git run what stands elsewhere";
    if (runs_a_descriptor(made_.commands[index]))
        made_.commands[index].opaque = "it runs the file behind a descriptor";
    run_variables(index);
}

// GIT_PAGER=x git log, export EDITOR=x: some program runs the value.
void Arrangement::run_variables(size_t index) {
    std::vector<std::pair<std::string, Word>> set;
    const Command& command = made_.commands[index];
    // What a wrapper hands on has been looked at with the wrapper.
    if (command.via == Via::Wrapper && command.carrier != Command::none &&
        !made_.commands[command.carrier].assignments.empty())
        return;
    for (const Assignment& assignment : command.assignments)
        set.emplace_back(assignment.name, assignment.value);
    for (const SetVariable& variable : variables_set_by(command)) {
        if (variable.word == nullptr) continue;
        Word value = *variable.word;
        drop_start(value, value.known_start().find('=') + 1);
        set.emplace_back(variable.name, std::move(value));
    }
    for (const auto& [name, value] : set) run_variable(index, name, value);
}

void Arrangement::run_variable(size_t index, const std::string& name, const Word& value) {
    const std::string_view program = program_with_options_in(name);
    const bool is_read = is_command_variable(name) || !program.empty();
    if (git_is_told_elsewhere(name) || (is_read && !value.known()))
        made_.commands[index].opaque = name + " makes programs run what cannot be seen";
    else if (!is_read && may_hold_a_command(name, value))
        made_.commands[index].opaque = name + " may hold a command that another program runs";
    if (is_read && value.known() && !value.shown().empty())
        emit_code(index, std::string(program) + value.shown(), made_.commands[index].range,
                  Via::Code);
}

// bash <(echo x): the words of one echo can be seen.
void Arrangement::run_process(size_t index) {
    const auto is_process = [](const Word& word) {
        return word.pieces.size() == 1 && word.pieces[0].kind == Piece::Kind::Process;
    };
    const std::vector<Word>& words = made_.commands[index].words;
    const auto process = std::ranges::find_if(words, is_process);
    const bool alone = process != words.end() && index + 2 == made_.commands.size() &&
                       made_.commands.back().carrier == index &&
                       process->pieces[0].text == "<(" + made_.commands.back().text + ")" &&
                       writes_known_text(made_.commands.back());
    const Word text = alone ? text_written_by(made_.commands.back()) : Word();
    if (!alone || !text.known())
        made_.commands[index].opaque = "it runs what another command writes";
    if (alone) emit_code(index, text.shown(), made_.commands.back().range, Via::Code);
}

void Arrangement::emit_words(size_t index, const Carried& carried) {
    const Command& carrier = made_.commands[index];
    const size_t count = carried.last - carried.first;
    if (count > budget_.words) return not_understood("commands are handed on too often");
    budget_.words -= count;
    Command command;
    const auto at = [&](size_t i) {
        return carrier.words.begin() + static_cast<std::ptrdiff_t>(i);
    };
    command.words.assign(at(carried.first), at(carried.last));
    command.range = {command.words.front().range.begin, command.words.back().range.end};
    // Inside a derived text all ranges are that text's; there the words have to do.
    const Range& whole = carrier.range;
    const bool in_source = command.range.begin > whole.begin && command.range.end <= whole.end &&
                           carrier.via != Via::Code && carrier.via != Via::Remote;
    if (in_source && command.range.begin < command.range.end &&
        command.range.end <= made_.source.size()) {
        command.text =
            made_.source.substr(command.range.begin, command.range.end - command.range.begin);
    } else {
        command.range = whole;
        for (const Word& word : command.words)
            command.text += (command.text.empty() ? "" : " ") + word.shown();
    }
    if (carried.more_words) {
        Word rest;
        rest.range = command.words.back().range;
        rest.pieces.push_back({Piece::Kind::Substitution, "...", true, {}});
        command.words.push_back(std::move(rest));
    }
    command.redirects = carrier.redirects;  // its standard input, above all
    // One is enough to say that names mean little here.
    const auto deciding = std::ranges::find_if(
        carrier.assignments,
        [](const Assignment& assignment) { return decides_what_runs(assignment.name); });
    if (deciding != carrier.assignments.end()) command.assignments.push_back(*deciding);
    command.carrier = index;
    command.depth = carrier.depth + 1;
    command.background = carrier.background;
    const bool elsewhere = carrier.via == Via::Remote || carried.kind == Carried::Kind::Elsewhere;
    command.via = elsewhere ? Via::Remote : Via::Wrapper;
    made_.commands.push_back(std::move(command));
    emit_carried(made_.commands.size() - 1);
}

void Arrangement::run_string(size_t index, const Carried& carried) {
    std::string code(carried.prefix);
    bool known = !carried.more_words;
    const std::vector<Word>& words = made_.commands[index].words;
    const bool gets_more = words.back().shown() == "..." && !words.back().known();
    for (size_t i = carried.first; i < carried.last; ++i) {
        known = known && words[i].known();
        const std::string text = words[i].shown();
        const size_t skip = i == carried.first ? std::min(carried.skip, text.size()) : 0;
        code += (i == carried.first ? "" : " ") + text.substr(skip, carried.length);
    }
    // xargs and find put their input into the script itself.
    if (gets_more && code.find(placeholder_of(index)) != std::string::npos) known = false;
    const Range range{words[carried.first].range.begin, words[carried.last - 1].range.end};
    const bool remote =
        carried.kind == Carried::Kind::Remote || made_.commands[index].via == Via::Remote;
    const Via via = remote ? Via::Remote : Via::Code;
    if (!known && made_.commands[index].opaque.empty())
        made_.commands[index].opaque = "it runs a text that is not known before running";
    emit_code(index, code, range, via);
}

// A script in a string. What of it is known is looked at, whatever the rest may be. The range is
// a copy: that of a command in `made_` moves while commands are added.
void Arrangement::emit_code(size_t index, const std::string& code, Range range, Via via) {
    const size_t depth = made_.commands[index].depth + 1;
    if (depth_ + 1 >= limits_.depth / 4 || code.size() > budget_.code_bytes)
        return not_understood("scripts stand in strings in strings, too many of them");
    budget_.code_bytes -= code.size();
    Script inner = parse_nested(code, limits_, depth_ + 1, budget_);
    if (inner.error && made_.commands[index].opaque.empty())
        not_understood("a string that is run as a script is none: " + inner.error->message);
    for (const std::string& reason : inner.not_understood) not_understood(reason);
    const size_t base = made_.commands.size();
    for (Command& command : inner.commands) {
        command.carrier = command.carrier == Command::none ? index : command.carrier + base;
        command.depth += depth;
        move_to(range, command);
        if (command.via == Via::Script || via == Via::Remote) command.via = via;
        made_.commands.push_back(std::move(command));
    }
    for (Pipeline& pipeline : inner.pipelines) {
        for (Pipeline::Stage& stage : pipeline.stages) {
            stage.first += base;
            stage.last += base;
        }
        made_.pipelines.push_back(std::move(pipeline));
    }
    for (Function& function : inner.functions) {
        function.first += base;
        function.last += base;
        made_.functions.push_back(std::move(function));
    }
    for (Loop& loop : inner.loops) {
        loop.first += base;
        loop.last += base;
        for (Word& word : loop.words) word.range = range;
        made_.loops.push_back(std::move(loop));
    }
}

std::string Arrangement::placeholder_of(size_t index) const {
    for (size_t at = index; at != Command::none; at = made_.commands[at].carrier)
        if (made_.commands[at].program() == "xargs")
            return placeholder_of_xargs(made_.commands[at]);
    return "{}";
}

Arrangement::Input Arrangement::standard_input_of(size_t index) const {
    const Command& command = made_.commands[index];
    const Redirect* input = nullptr;
    for (const Redirect& redirect : command.redirects)
        if (redirect.descriptor <= 0) input = &redirect;
    if (input != nullptr &&
        (input->kind == Redirect::Kind::HereDocument || input->kind == Redirect::Kind::HereString))
        return {Input::Kind::Text, input->target, input->target.range};
    if (input != nullptr)
        return {is_plain_file(*input) ? Input::Kind::File : Input::Kind::Unknown, {}, {}};
    if (feeder_ < something_else) {
        const Command& feeder = made_.commands[places_[feeder_].begin];
        return {Input::Kind::Text, text_written_by(feeder), feeder.range};
    }
    const bool may_be_fed = feeder_ == something_else || feeds_a_group_;
    return {may_be_fed ? Input::Kind::Unknown : Input::Kind::Inherited, {}, {}};
}

// sqlite3 db <<< 'x': commands in the language of the program.
void Arrangement::interpret_standard_input(size_t index) {
    const Input input = standard_input_of(index);
    const bool is_text = input.kind == Input::Kind::Text;
    if (input.kind == Input::Kind::Inherited || input.kind == Input::Kind::File) return;
    if (is_text && input.text.known() &&
        is_harmless_input(made_.commands[index].program(), input.text.shown()))
        return;
    made_.commands[index].opaque = "its standard input may make it run a command";
}

// bash <<< 'x', bash <<E, echo x | bash. Whatever else its standard input may be, nobody can see
// what is in it.
void Arrangement::read_standard_input(size_t index) {
    const Via via = made_.commands[index].program() == "ssh" ? Via::Remote : Via::Code;
    const Input input = standard_input_of(index);
    if (input.kind == Input::Kind::File) return;  // as good as bash FILE
    if (input.kind != Input::Kind::Text) {
        made_.commands[index].opaque = "it runs what its standard input brings";
        return;
    }
    const Word& text = input.text;
    const Range range = input.range;
    if (!text.known())
        made_.commands[index].opaque = "it runs a text that is not known before running";
    const std::string program = made_.commands[index].program();
    if (is_shell(program) && shell_call(made_.commands[index].words).expands_history &&
        text.shown().contains('!'))
        not_understood("a shell replaces !x by an earlier command");
    const bool cron = program == "crontab";
    emit_code(index, cron ? commands_of_crontab(text.shown()) : text.shown(), range, via);
}

// Who writes into the pipe that a stage reads from. One command whose text can be seen, or
// something else.
void Arrangement::find_feeders() {
    for (const Pipeline& pipeline : from_.pipelines) {
        for (size_t stage = 1; stage < pipeline.stages.size(); ++stage) {
            const Pipeline::Stage& before = pipeline.stages[stage - 1];
            const Pipeline::Stage& now = pipeline.stages[stage];
            const bool plain = stage == 1 && before.last > before.first &&
                               writes_known_text(from_.commands[before.first]) &&
                               all_carried_by(before) && from_.functions.empty();
            for (size_t i = now.first; i < now.last && i < places_.size(); ++i)
                places_[i].fed_by = plain ? before.first : something_else;
        }
    }
}

bool Arrangement::all_carried_by(const Pipeline::Stage& stage) const {
    for (size_t i = stage.first + 1; i < stage.last; ++i)
        if (from_.commands[i].carrier == from_.commands[stage.first].carrier) return false;
    return true;
}

void Arrangement::move_ranges() {
    const auto moved = [&](size_t& first, size_t& last) {
        size_t begin = made_.commands.size();
        size_t end = 0;
        for (size_t i = first; i < last && i < places_.size(); ++i) {
            begin = std::min(begin, places_[i].begin);
            end = std::max(end, places_[i].end);
        }
        first = std::min(begin, end);
        last = end;
    };
    for (Pipeline& pipeline : from_.pipelines) {
        for (Pipeline::Stage& stage : pipeline.stages) moved(stage.first, stage.last);
        made_.pipelines.push_back(std::move(pipeline));
    }
    for (Function& function : from_.functions) {
        moved(function.first, function.last);
        made_.functions.push_back(std::move(function));
    }
    for (Loop& loop : from_.loops) {
        moved(loop.first, loop.last);
        made_.loops.push_back(std::move(loop));
    }
}

}  // namespace husk::parse
