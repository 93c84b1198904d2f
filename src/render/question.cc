#include "render/question.h"

namespace husk::render {
namespace {

JudgedCommand told(const parse::Script& script, const decide::Judgement& judgement) {
    const parse::Command& command = script.commands.at(judgement.command);
    return {.text = command.text,
            .begin = command.range.begin,
            .end = command.range.end,
            .decision = decide::word(judgement.decision),
            .rule = judgement.rule,
            .where = judgement.where,
            .reason = judgement.reason,
            .instead = judgement.instead,
            .allow_with = judgement.allow_with,
            .change = judgement.change};
}

}  // namespace

Verdict reported(const decide::Verdict& verdict) {
    return {.decision = decide::word(verdict.decision),
            .rule = verdict.rule,
            .where = verdict.where,
            .reason = verdict.reason,
            .instead = verdict.instead,
            .allow_with = verdict.allow_with,
            .risk = decide::word(verdict.risk)};
}

Question question_of(const parse::Script& script, const decide::Verdict& verdict) {
    Question question{.command = script.source, .verdict = reported(verdict)};
    question.understood = verdict.understood;
    question.not_understood = script.not_understood;
    for (const decide::Judgement& judgement : verdict.commands)
        question.commands.push_back(told(script, judgement));
    for (const decide::FileUse& file : verdict.files)
        question.files.push_back({file.path, file.operation});
    question.always.why_not = verdict.only_once;
    return question;
}

}  // namespace husk::render
