// The audit: what was called, by whom, and how it ended, whatever server or command line it was.

import { api } from "./api";
import type { AuditRecord, AuditStats } from "./api_types";
import { badge } from "./badge";
import { type Child, arrange, foreign, h, set_text } from "./dom";
import { type Look, status_of_report } from "./entries";
import { bytes, count, duration, moment } from "./format";
import { icon } from "./icons";
import type { Notices } from "./notices";
import { address_of } from "./route";

const page_size = 50;
const typing_ms = 200;

export function status_of_record(record: AuditRecord): [Look, string] {
    const { status } = record;
    if (status === null) return record.error ? ["bad", "error"] : ["good", "done"];
    if (status === "unknown") return ["unknown", "unknown"];
    if (status === "applied" || status === "refused") return [status === "applied" ? "good" : "bad", status];
    return status_of_report({ status, background: record.background, exit_code: record.exit_code ?? null,
                              signal: record.signal ?? null, limit: record.limit ?? null });
}

// What was done, where it was no command.
export function deed_of(record: AuditRecord): string {
    if (record.action === "configure") return ["configuration", ...(record.files ?? []).map((file) => file.path)].join(" ");
    if (record.command !== null) return record.command;
    return [record.tool ?? record.action ?? "call", record.shell_id].filter(Boolean).join(" ");
}

function approval_words({ approval }: AuditRecord): string | null {
    if (!approval) return null;
    return [approval.answer, approval.by && `by ${approval.by}`, approval.scope, approval.reason].filter(Boolean).join(", ");
}

// Every fact that is known, and only those.
function facts_of(record: AuditRecord): [string, string][] {
    const { verdict, usage, output, errors } = record;
    const cpu = usage?.user_ms != null && usage.system_ms != null ? usage.user_ms + usage.system_ms : null;
    const denials = (record.denials ?? []).map((one) => `${one.operation} ${one.target} (${one.count})`);
    const facts: [string, string | null | undefined][] = [
        ["Way in", [record.via, record.contract, record.tool].filter(Boolean).join(" · ")],
        ["User", `uid ${record.uid}`],
        ["Caller", record.caller],
        ["Session", record.session],
        ["Workspace", record.workspace],
        ["Directory", record.cwd],
        ["Purpose", record.description],
        ["Mode", record.mode],
        ["Verdict", verdict && [verdict.decision, verdict.rule, verdict.where, verdict.reason].filter(Boolean).join(" · ")],
        ["Approval", approval_words(record)],
        ["Error", record.error],
        ["Changed", (record.changed ?? []).join("\n")],
        ["After a restart", (record.after_restart ?? []).join("\n")],
        ["CPU time", cpu === null ? null : duration(cpu)],
        ["Peak memory", usage?.peak_memory_bytes == null ? null : bytes(usage.peak_memory_bytes)],
        ["Output", output && `${bytes(output.bytes + (errors?.bytes ?? 0))}, ${count(output.lines + (errors?.lines ?? 0), "line", "lines")}`],
        ["Denials", denials.join("\n")],
        ["Left behind", (record.leftovers ?? []).map((one) => `${one.name} (${one.pid})`).join(", ")],
        ["Record", record.id],
    ];
    return facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
}

class RecordRow {
    readonly item: HTMLLIElement;
    readonly summary: HTMLElement;

    constructor(record: AuditRecord) {
        const [look, status] = status_of_record(record);
        const decision = record.verdict?.decision;
        const line = deed_of(record).trim().replace(/\s*\n\s*/g, " ⏎ ").slice(0, 300);
        this.summary = h("summary", {}, badge(look, status), h("code", { class: "audit-command" }, foreign(line)),
            h("span", { class: "quiet audit-when" }, moment(record.time)),
            h("span", { class: "quiet audit-facts" }, [record.via, duration(record.duration_ms ?? null),
                decision !== undefined && decision !== "allow" && decision, record.approval?.answer]
                .filter(Boolean).join(" · ")));
        const details = h("details", { class: "audit-row" }, this.summary);
        // Made when somebody wants to see it: a page has many.
        details.addEventListener("toggle", () => {
            if (details.open && details.childElementCount === 1) details.append(this.body(record));
        });
        this.item = h("li", {}, details);
    }

    private body(record: AuditRecord): HTMLElement {
        const shell: Child = record.shell_id !== null && h("p", {},
            h("a", { href: address_of(`shell/${record.shell_id}`) }, "Its output, while it is kept"));
        return h("div", { class: "audit-body" },
            record.command !== null && h("pre", { class: "question-command" }, foreign(record.command)),
            h("dl", {}, ...facts_of(record).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, foreign(value))])),
            shell);
    }
}

function choice(label: string, options: [string, string][]): HTMLSelectElement {
    return h("select", { "aria-label": label }, ...options.map(([value, text]) => h("option", { value }, text)));
}

export class AuditView {
    private search = h("input", { type: "search", placeholder: "Search: words, \"words in quotes\", -without",
                                  "aria-label": "Search the audit", spellcheck: "false", autocomplete: "off" });
    private since = choice("Since", [["", "Any time"], ["1h", "Last hour"], ["1d", "Last day"], ["7d", "Last week"]]);
    private status = choice("Status", [["", "Any ending"], ...["exited", "signaled", "timed_out", "cancelled",
        "limit_exceeded", "denied", "not_started", "running", "lost", "unknown", "applied", "refused"].map((one): [string, string] =>
        [one, one.replace("_", " ")])]);
    private decision = choice("Verdict", [["", "Any verdict"], ["allow", "allowed"], ["ask", "asked about"], ["deny", "denied"]]);
    private counted = h("p", { class: "quiet", role: "status" });
    private list = h("ol", { class: "audit-list", "aria-label": "Calls" });
    private more = h("button", { type: "button", class: "button", onclick: () => void this.load("older") }, "Older");
    private rows: RecordRow[] = [];
    private next: number | null = null;
    private asked = 0; // so that an answer which comes too late is dropped
    private typing = 0;
    readonly element: HTMLElement;

    constructor(private readonly notices: Notices) {
        this.search.addEventListener("input", () => {
            window.clearTimeout(this.typing);
            this.typing = window.setTimeout(() => void this.load("anew"), typing_ms);
        });
        for (const one of [this.since, this.status, this.decision])
            one.addEventListener("change", () => void this.load("anew"));
        this.search.addEventListener("keydown", (event) => {
            if (event.key !== "ArrowDown" && event.key !== "Enter") return;
            event.preventDefault();
            this.rows[0]?.summary.focus();
        });
        this.more.hidden = true;
        this.element = h("article", { class: "audit" },
            h("div", { class: "detail-bar" },
                h("a", { class: "back", href: "#/", "aria-label": "Back to the list" }, icon("back"), "List"),
                h("h1", {}, "Audit"), h("span", { class: "spacer" }),
                h("button", { type: "button", class: "button", onclick: () => void this.load("anew") }, "Look again")),
            h("div", { class: "audit-query" },
                h("label", { class: "filter" }, icon("search"), this.search, h("kbd", {}, "/")),
                this.since, this.status, this.decision),
            this.counted, this.list, this.more);
    }

    open(): void {
        void this.load("anew");
    }

    focus_search(): void {
        this.search.focus();
        this.search.select();
    }

    move(step: 1 | -1): void {
        const at = this.rows.findIndex((row) => row.summary === document.activeElement);
        const next = this.rows[at < 0 ? 0 : Math.max(0, Math.min(this.rows.length - 1, at + step))];
        next?.summary.focus();
        next?.summary.scrollIntoView({ block: "nearest" });
    }

    private query(): URLSearchParams {
        const query = new URLSearchParams();
        const fields = { q: this.search.value.trim(), since: this.since.value, status: this.status.value,
                         decision: this.decision.value };
        for (const [name, value] of Object.entries(fields)) if (value !== "") query.set(name, value);
        return query;
    }

    private async load(which: "anew" | "older"): Promise<void> {
        const number = ++this.asked;
        const query = this.query();
        const counting = which === "anew" ? api.stats(query).catch(() => null) : null;
        const paged = new URLSearchParams(query);
        paged.set("limit", String(page_size));
        if (which === "older" && this.next !== null) paged.set("before", String(this.next));
        const page = await this.notices.attempt("The audit could not be read", () => api.audit(paged));
        if (!page || number !== this.asked) return;
        const fresh = page.records.map((record) => new RecordRow(record));
        this.rows = which === "older" ? [...this.rows, ...fresh] : fresh;
        this.next = page.next;
        this.more.hidden = page.next === null;
        arrange(this.list, this.rows.map((row) => row.item));
        if (which === "older") fresh[0]?.summary.focus();
        const stats = await counting;
        if (counting && number === this.asked) set_text(this.counted, stats ? summary_of(stats) : "");
    }
}

export function summary_of(stats: AuditStats): string {
    if (stats.calls === 0) return "Nothing matches.";
    const { median, p95 } = stats.duration_ms;
    const times = median === null ? [] : [`median ${duration(median)}`, `95 % within ${duration(p95)}`];
    const denied = stats.status.denied ?? 0;
    return [count(stats.calls, "call", "calls"), ...(denied > 0 ? [`${denied} denied`] : []), ...times].join(" · ");
}
