// The page of a shell or of a call.

import { api } from "./api";
import type { Approval, Call, Report, Verdict } from "./api_types";
import { badge } from "./badge";
import { card, denials_card, ending_card, usage_card, walls_card } from "./cards";
import { confirm_with } from "./dialogs";
import { type Child, fill, foreign, h } from "./dom";
import type { Entry } from "./entries";
import { moment, way } from "./format";
import { icon } from "./icons";
import type { Notices } from "./notices";
import { OutputView } from "./output_view";
import { decision_badge, script_view } from "./script_view";
import type { Store } from "./store";
import { Tiles } from "./tiles";
import { story_of, timeline_view } from "./timeline";

// Makes a part again only when what it shows has changed: what a person has selected or opened stays so.
class Part {
    readonly element = h("div", { class: "part" });
    private shown = "";

    update(data: unknown, make: () => Child): void {
        const text = JSON.stringify(data) ?? "";
        if (text === this.shown) return;
        this.shown = text;
        fill(this.element, make());
    }
}

export class DetailView {
    readonly element = h("article", { class: "detail" });
    output: OutputView | null = null;
    private entry: Entry;
    private head = new Part();
    private tiles = new Tiles();
    private output_box = h("div", { class: "output-box" });
    private parts = { ending: new Part(), script: new Part(), denials: new Part(), walls: new Part(),
                      usage: new Part(), timeline: new Part(), answer: new Part() };
    private verdict: Verdict | null = null;
    private has_asked_for_result = false;

    constructor(entry: Entry, private readonly store: Store, private readonly notices: Notices) {
        this.entry = entry;
        this.element.append(this.head.element, this.tiles.element,
            h("div", { class: "detail-body" }, this.output_box,
                h("div", { class: "cards" }, ...Object.values(this.parts).map((part) => part.element))));
        void this.ask_for_verdict();
        this.update(entry);
    }

    close(): void {
        this.output?.close();
    }

    update(entry: Entry): void {
        this.entry = entry;
        const { shell, call } = entry;
        if (shell && !this.output) {
            this.output = new OutputView(shell, this.notices);
            this.output_box.append(this.output.element);
        }
        this.update_head();
        this.tiles.element.hidden = shell === null;
        if (shell) this.tiles.update(entry, shell, this.store);
        const report = shell ?? call?.report ?? null;
        if (report) this.update_report(report);
        this.update_script();
        this.update_timeline();
        void this.ask_for_result();
        if (call?.result) this.parts.answer.update(call.result, () => answer_card(call));
    }

    shell_id(): string | null {
        return this.entry.shell?.shell_id ?? null;
    }

    can_kill(): boolean {
        return this.entry.shell ? this.entry.shell.live : this.entry.call?.ended === null;
    }

    async kill(): Promise<void> {
        if (!this.can_kill()) return;
        const { shell, call } = this.entry;
        const confirmed = await confirm_with({
            title: shell ? "Kill this shell?" : "Cancel this call?",
            body: [h("pre", { class: "dialog-command" }, foreign(this.entry.command.slice(0, 2000))),
                   h("p", {}, shell ? "Everything that it has started ends: TERM, and KILL two seconds later."
                       : "Whoever called is told that it was cancelled.")],
            confirm: shell ? "Kill" : "Cancel the call",
            kind: "danger",
        });
        if (!confirmed) return;
        if (shell) {
            const killed = await this.notices.attempt("It was not killed", () => api.kill(shell.shell_id));
            if (killed) this.store.put_shell(killed);
        } else if (call) {
            const cancelled = await this.notices.attempt("It was not cancelled", () => api.cancel(call.call_id));
            if (cancelled) this.store.put_call(cancelled);
        }
        this.store.tell("lists");
    }

    private update_head(): void {
        const { shell, call, look, status, command, started } = this.entry;
        const can_kill = this.can_kill();
        this.head.update([look, status, command, can_kill, call?.call_id, shell?.pid], () => {
            const facts = [shell?.shell_id ?? call?.call_id, shell?.session && `session ${shell.session}`,
                           shell?.pid != null && `pid ${shell.pid}`, call && `${call.tool} over ${way(call.via)}`,
                           shell && name_of(shell.caller), moment(started)];
            return h("header", { class: "detail-head" },
                h("div", { class: "detail-bar" },
                    h("a", { class: "back", href: "#/", "aria-label": "Back to the list" }, icon("back"), "List"),
                    badge(look, status),
                    h("span", { class: "spacer" }),
                    can_kill && h("button", { type: "button", class: "button danger", title: "Kill (x)",
                                              onclick: () => void this.kill() },
                        shell ? "Kill" : "Cancel", h("kbd", {}, "x"))),
                h("h1", { class: "command" }, h("code", {}, foreign(command))),
                h("p", { class: "detail-facts" }, ...facts.filter(Boolean).map((one) =>
                    h("span", {}, foreign(String(one))))));
        });
    }

    private update_report(report: Report): void {
        const { ending, denials, walls, usage } = this.parts;
        ending.update([report.error, report.limit, report.leftovers, report.reverted, report.notes],
            () => ending_card(report));
        denials.update([report.denials, report.denials_total, report.denials_complete], () => denials_card(report));
        walls.update(report.confinement, () => walls_card(report));
        if (Object.values(report.usage).some((figure) => figure !== null))
            usage.update([report.usage, report.status, report.excerpt, report.error_excerpt],
                () => usage_card(report));
    }

    private approval(): Approval | null {
        return this.store.approvals.get(this.entry.call?.approval_id ?? "") ?? null;
    }

    private update_script(): void {
        const approval = this.approval();
        const verdict = approval?.verdict ?? this.verdict;
        const decided = (this.entry.shell ?? this.entry.call?.report)?.verdict ?? null;
        if (!verdict) return;
        const has_error = (this.entry.shell ?? this.entry.call?.report)?.error != null; // which says it as well
        this.parts.script.update([verdict, decided, approval?.state], () => card("Script",
            decided && h("p", { class: "decided" }, decision_badge(decided.decision), " before it started",
                decided.risk !== "low" && h("span", { class: "risk" }, `risk ${decided.risk}`)),
            decided?.reason != null && decided.decision !== "allow" && !has_error &&
                h("p", { class: "why" }, foreign(decided.reason)),
            approval?.state === "pending" && h("p", {}, h("a", { href: "#/approvals" }, "It waits for your answer.")),
            script_view(this.entry.command, verdict),
            h("p", { class: "quiet" }, approval ? "As it was judged when it was asked about."
                : "As the rules judge it now.")));
    }

    private update_timeline(): void {
        const { shell, call, other_calls } = this.entry;
        const story = story_of({ call, other_calls, shell, approval: this.approval(), now: this.store.now(),
                                 gone: (shell && this.store.gone.get(shell.shell_id)) ?? null });
        this.parts.timeline.update(story, () => card("Timeline", timeline_view(story)));
    }

    // Only for commands, not for tools that ask about shells.
    private async ask_for_verdict(): Promise<void> {
        const { shell, call } = this.entry;
        if (this.approval() || (!shell && typeof call?.arguments.command !== "string")) return;
        try {
            this.verdict = await api.verdict(this.entry.command);
            this.update(this.entry);
        } catch {
            // The page is complete without it.
        }
    }

    // Events carry no results.
    private async ask_for_result(): Promise<void> {
        const { call } = this.entry;
        if (!call || call.ended === null || call.result || this.has_asked_for_result) return;
        this.has_asked_for_result = true;
        const whole = await api.call(call.call_id).catch(() => null);
        if (!whole) return;
        this.store.put_call(whole);
        this.store.tell("lists");
    }
}

// A caller is NAME@WORKSPACE. Who has no name is the only one, and the workspace is a number.
function name_of(caller: string): string {
    const name = caller.slice(0, Math.max(0, caller.lastIndexOf("@")));
    return name === "" ? "" : `caller ${name}`;
}

function answer_card(call: Call): HTMLElement {
    const texts = (call.result?.content ?? []).map((part) => part.text ?? `[${part.type}]`);
    const failed = call.result?.isError ? " (an error)" : "";
    const who = call.via === "mcp" ? "the model" : "the caller";
    return card("Answer", h("details", {}, h("summary", {}, `What ${who} was told${failed}`),
        h("pre", { class: "answer" }, foreign(texts.join("\n").slice(0, 20_000)))));
}
