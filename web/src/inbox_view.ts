// Approvals: what waits for an answer, oldest first, and what was answered.

import { api } from "./api";
import type { Approval } from "./api_types";
import { arrange, foreign, h, set_text } from "./dom";
import { clock, duration, way } from "./format";
import { icon } from "./icons";
import type { Notices } from "./notices";
import { address_of } from "./route";
import { script_view } from "./script_view";
import type { Store } from "./store";

const key_patience_ms = 400;

type Step = "choose" | "always" | "deny";

class Question {
    readonly element: HTMLElement;
    private choices: HTMLElement;
    private always_box: HTMLElement;
    private deny_box: HTMLElement;
    private always_button: HTMLButtonElement;
    private confirm_always: HTMLButtonElement;
    private reason = h("textarea", { rows: "2", maxlength: "2000", "aria-label": "Reason",
                                     placeholder: "Why not? The model reads it. (may be empty)" });
    private left = h("span", { class: "left" });
    private progress = h("progress", { max: "1", "aria-label": "Time left" });
    private is_sent = false;
    private focused_since = 0;

    constructor(readonly approval: Approval, private readonly store: Store, private readonly notices: Notices) {
        const { always } = approval;
        const button = (kind: string, label: string, key: string, press: () => void) =>
            h("button", { type: "button", class: `button ${kind}`, onclick: press }, label, h("kbd", {}, key));
        this.always_button = button("", "Allow always…", "A", () => this.show("always"));
        this.always_button.disabled = always.why_not !== null;
        this.choices = h("div", { class: "actions" }, button("primary", "Allow once", "a", () => void this.send("allow")),
            this.always_button, button("danger", "Deny…", "d", () => this.show("deny")),
            always.why_not !== null && h("span", { class: "quiet" }, foreign(`Not always: ${always.why_not}`)));
        this.confirm_always = h("button", { type: "button", class: "button primary",
                                            onclick: () => void this.send("allow_always") }, "Write it down and allow");
        const back = () => h("button", { type: "button", class: "button", onclick: () => this.show("choose") }, "Back");
        this.always_box = h("div", { class: "step", hidden: true },
            h("p", {}, "This goes into ", h("code", {}, foreign(always.file)), always.text.startsWith("permissions:")
                ? ": exactly this, in this directory, is not asked about again" : ": all later calls, in every workspace, may do this"),
            h("pre", { class: "rule" }, foreign(always.text)),
            h("div", { class: "actions" }, this.confirm_always, back()));
        this.deny_box = h("div", { class: "step", hidden: true }, this.reason,
            h("div", { class: "actions" },
                h("button", { type: "button", class: "button danger", onclick: () => void this.send("deny") },
                    "Deny", h("kbd", {}, "Enter")), back()));
        this.element = this.make();
        this.listen();
    }

    // By key. One that has just got the focus, because the one before it was answered, is not meant.
    allow_by_key(): void {
        if (performance.now() - this.focused_since > key_patience_ms) void this.send("allow");
    }

    show(step: Step): void {
        if (step === "always" && this.always_button.disabled) return;
        this.choices.hidden = step !== "choose";
        this.always_box.hidden = step !== "always";
        this.deny_box.hidden = step !== "deny";
        for (const box of [this.always_box, this.deny_box]) if (!box.hidden) box.scrollIntoView({ block: "nearest" });
        if (step === "deny") this.reason.focus();
        else if (step === "always") this.confirm_always.focus();
        else this.element.focus();
    }

    update(now: number): void {
        const { asked, expires } = this.approval;
        this.progress.value = Math.max(0, Math.min(1, (expires - now) / (expires - asked)));
        set_text(this.left, `denied in ${duration(Math.max(0, expires - now))} unless answered`);
    }

    private make(): HTMLElement {
        const { approval } = this;
        return h("section", { class: "question", tabindex: "-1", "aria-label": "A command asks",
                              "data-approval": approval.approval_id },
            h("div", { class: "question-head" }, h("span", { class: "badge asking" }, icon("asking"), "asks"),
                h("a", { href: address_of(`call/${approval.call_id}`) }, approval.call_id),
                h("span", { class: "quiet" }, `over ${way(approval.via)}, ${clock(approval.asked)}`), this.left),
            this.progress,
            h("pre", { class: "question-command" }, foreign(approval.command)),
            h("p", { class: "quiet" }, "in ", h("code", {}, foreign(approval.cwd))),
            script_view(approval.command, approval.verdict),
            this.choices, this.always_box, this.deny_box);
    }

    private listen(): void {
        this.reason.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
                event.preventDefault();
                void this.send("deny");
            }
        });
        this.element.addEventListener("focusin", (event) => {
            if (!this.element.contains(event.relatedTarget as Node | null)) this.focused_since = performance.now();
        });
        this.element.addEventListener("keydown", (event) => {
            if (event.key !== "Escape" || !this.choices.hidden) return;
            event.stopPropagation();
            this.show("choose");
        });
    }

    private async send(decision: "allow" | "allow_always" | "deny"): Promise<void> {
        if (this.is_sent) return;
        this.is_sent = true;
        const reason = decision === "deny" ? this.reason.value.trim() : "";
        const answered = await this.notices.attempt("It was not answered",
            () => api.answer(this.approval.approval_id, decision, reason));
        // One that is answered stays so, though it is shown until the next frame.
        this.is_sent = answered !== null;
        if (!answered) return;
        this.notices.say(answered.note ?? (answered.state === "allowed" ? "Allowed." : "Denied."));
        this.store.put_approval(answered);
        this.store.tell("lists");
    }
}

const words: Record<Approval["state"], string> = {
    pending: "pending", allowed: "allowed", denied: "denied", timed_out: "nobody answered", withdrawn: "withdrawn",
};
const looks = { pending: "asking", allowed: "good", denied: "denied", timed_out: "stopped", withdrawn: "unknown" } as const;

function answered_row(approval: Approval): HTMLElement {
    const always = approval.decision === "allow_always" ? ", always" : "";
    return h("li", {}, h("span", { class: `badge ${looks[approval.state]}` }, icon(looks[approval.state]),
        words[approval.state] + always),
        h("a", { href: address_of(`call/${approval.call_id}`) }, h("code", {}, foreign(approval.command.slice(0, 300)))),
        h("span", { class: "quiet" }, foreign([approval.reason, approval.note].filter(Boolean).join(" · "))),
        approval.answered !== null && h("time", { class: "quiet" }, clock(approval.answered)));
}

export class InboxView {
    private questions = new Map<string, Question>();
    private list = h("div", { class: "questions" });
    private empty = h("p", { class: "empty" }, "Nothing waits for an answer.");
    private answered = h("ul", { class: "answered" });
    private answered_head = h("h2", {}, "Answered");
    private shown_answers = "";
    readonly element: HTMLElement;

    constructor(private readonly store: Store, private readonly notices: Notices) {
        this.element = h("article", { class: "inbox" },
            h("div", { class: "detail-bar" },
                h("a", { class: "back", href: "#/", "aria-label": "Back to the list" }, icon("back"), "List"),
                h("h1", {}, "Approvals")),
            this.empty, this.list, this.answered_head, this.answered);
    }

    update(): void {
        const pending = this.store.pending();
        const had_focus = this.list.contains(document.activeElement);
        const ids = new Set(pending.map((one) => one.approval_id));
        for (const id of this.questions.keys()) if (!ids.has(id)) this.questions.delete(id);
        for (const approval of pending) {
            const known = this.questions.get(approval.approval_id);
            const question = known ?? new Question(approval, this.store, this.notices);
            this.questions.set(approval.approval_id, question);
            question.update(this.store.now());
        }
        arrange(this.list, [...this.questions.values()].map((question) => question.element));
        this.empty.hidden = pending.length > 0;
        if (had_focus && !this.list.contains(document.activeElement)) this.list.querySelector<HTMLElement>(".question")?.focus();
        this.update_answered();
    }

    // Keys act on the question that has the focus, so that one which has just come is not answered by chance.
    focused(): Question | null {
        for (const question of this.questions.values())
            if (question.element.contains(document.activeElement)) return question;
        return null;
    }

    move(step: 1 | -1): void {
        const all = [...this.questions.values()];
        const at = all.findIndex((question) => question.element.contains(document.activeElement));
        const next = all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + step))];
        next?.element.focus();
        next?.element.scrollIntoView({ block: "nearest" });
    }

    private update_answered(): void {
        const answered = [...this.store.approvals.values()].filter((one) => one.state !== "pending")
            .sort((one, other) => (other.answered ?? other.asked) - (one.answered ?? one.asked));
        this.answered_head.hidden = answered.length === 0;
        const shown = answered.map((one) => `${one.approval_id} ${one.state}`).join();
        if (shown === this.shown_answers) return;
        this.shown_answers = shown;
        this.answered.replaceChildren(...answered.map(answered_row));
    }
}
