// The cards beside a call's output: what is known of its walls, denials, usage and ending.

import type { Denial, Report } from "./api_types";
import { type Child, foreign, h } from "./dom";
import { bytes, count, duration } from "./format";

export function card(title: string, ...children: Child[]): HTMLElement {
    return h("section", { class: "card" }, h("h2", {}, title), ...children);
}

function facts(rows: [string, Child][]): HTMLElement {
    return h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

const is_real = (row: [string, Child] | false): row is [string, Child] => row !== false;

// A link never leads away from this machine, whatever a report says.
const is_local_link = (link: string): boolean => /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(link);

export function walls_card(report: Report): HTMLElement {
    const walls = report.confinement;
    if (walls === null) return card("Walls", h("p", { class: "quiet" }, "Nothing was started."));
    return card("Walls", facts(([
        ["mode", h("strong", {}, walls.mode)], ["files", foreign(walls.files)], ["network", foreign(walls.network)],
        ["signals", walls.signals], ["processes", walls.processes], ["limits", foreign(walls.limits)],
        walls.missing.length > 0 && ["missing", h("strong", { class: "warn" }, foreign(walls.missing.join(", ")))],
        walls.published !== undefined && ["published", h("span", {}, ...walls.published.filter(is_local_link).flatMap((link) => [
            h("a", { href: link, target: "_blank", rel: "noreferrer" }, link), " "]))],
        walls.unwatched.length > 0 && ["unwatched", foreign(walls.unwatched.join(", "))],
    ] as ([string, Child] | false)[]).filter(is_real)));
}

function denial_row(denial: Denial): HTMLElement {
    return h("li", {},
        h("p", {}, h("span", { class: "operation" }, denial.operation), " ", h("code", {}, foreign(denial.target)),
            denial.count > 1 && h("span", { class: "times" }, ` ×${denial.count}`)),
        h("p", { class: "why" },
            denial.process !== null && foreign(`${denial.process}${denial.pid === null ? "" : ` (${denial.pid})`}. `),
            denial.allow_with === null ? "No setting would allow it."
                : h("span", {}, "Would be allowed by ", h("code", {}, foreign(denial.allow_with)))));
}

export function denials_card(report: Report): HTMLElement {
    const listed = report.denials.reduce((sum, one) => sum + one.count, 0);
    const rest = report.denials_total - listed;
    return card("Denials",
        report.denials.length === 0 ? h("p", { class: "quiet" }, "The walls have stopped nothing that was watched.")
            : h("ul", { class: "denials" }, ...report.denials.map(denial_row)),
        rest > 0 && h("p", { class: "quiet" }, `And ${rest} more.`),
        report.denials_complete === false && report.denials.length > 0 &&
            h("p", { class: "quiet" }, "Not every kind of attempt was watched."));
}

export function usage_card(report: Report): HTMLElement {
    const { usage, excerpt, error_excerpt } = report;
    const lines = (one: Report["excerpt"]) =>
        `${bytes(one.total_bytes)}, ${count(one.total_lines, "line", "lines")}${one.complete ? "" : " (not all kept)"}`;
    const of = usage.peak_memory_of === null ? "" : ` (${usage.peak_memory_of})`;
    return card("Usage", facts(([
        ["CPU, user", duration(usage.user_ms)], ["CPU, system", duration(usage.system_ms)],
        ["peak memory", bytes(usage.peak_memory_bytes) + of], ["processes", usage.processes ?? "–"],
        ["read", bytes(usage.read_bytes)], ["written", bytes(usage.written_bytes)],
        report.status !== "running" && [error_excerpt ? "stdout" : "output", lines(excerpt)],
        report.status !== "running" && error_excerpt !== null && ["stderr", lines(error_excerpt)],
    ] as ([string, Child] | false)[]).filter(is_real)));
}

// What a reader must not miss: null when there is nothing.
export function ending_card(report: Report): HTMLElement | null {
    const { limit, leftovers, reverted, notes, error } = report;
    const lines: Child[] = [];
    if (error !== null) lines.push(foreign(error));
    if (limit) lines.push(`The limit ${limit.name} is ${limit.value}; it was ${limit.peak}.`);
    for (const one of leftovers)
        lines.push(foreign(`Still alive: ${one.name} (${one.pid})${one.reason ? `: ${one.reason}` : ""}`));
    if (reverted.length > 0) lines.push(foreign(`Taken away again: ${reverted.join(", ")}`));
    for (const note of notes) lines.push(foreign(note));
    if (lines.length === 0) return null;
    return card("Worth knowing", h("ul", { class: "notes" }, ...lines.map((line) => h("li", {}, line))));
}
