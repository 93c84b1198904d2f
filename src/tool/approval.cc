#include "tool/approval.h"

#include <atomic>
#include <memory>

#include "render/verdict_text.h"
#include "tool/configuration_edit.h"

namespace husk::tool {

Question question_about(const Judged& judged, const std::filesystem::path& file) {
    Question question = render::question_of(judged.script, judged.verdict);
    question.working_dir = judged.working_dir;
    Question::Always& always = question.always;
    always.file = file;
    if (file.empty() && always.why_not.empty()) always.why_not = "there is no file to keep it in";
    if (always.why_not.empty())
        always.text = approval_text(judged.working_dir, judged.script.source);
    return question;
}

std::function<void(Answer)> first_only(std::function<void(Answer)> answer) {
    const auto given = std::make_shared<std::atomic_flag>();
    return [given, answer = std::move(answer)](Answer said) {
        if (!given->test_and_set()) answer(std::move(said));
    };
}

std::string why_refused(const Answer& answer, const decide::Verdict& verdict) {
    const std::string& reason = answer.reason;
    if (answer.kind == Answer::Unanswered)
        return reason.empty() ? render::refusal(verdict) : reason + ": " + verdict.reason;
    return "the user was asked and declined" + (reason.empty() ? "" : " (" + reason + ")") + ": " +
           verdict.reason;
}

}  // namespace husk::tool
