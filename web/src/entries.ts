// What the list shows: a shell with the call that started it, or a call without a shell.

import type { Call, Report, Shell } from "./api_types";
import type { Store } from "./store";

export type Look = "running" | "asking" | "good" | "bad" | "stopped" | "denied" | "unknown";

export interface Entry {
    key: string; // "shell/ID" or "call/ID": also the address
    shell: Shell | null;
    call: Call | null; // the one that started it
    other_calls: Call[]; // that asked about this shell later
    command: string;
    started: number;
    ended: number | null;
    look: Look;
    status: string; // in words
    is_live: boolean;
}

const plain_status: Partial<Record<Report["status"], [Look, string]>> = {
    running: ["running", "running"],
    timed_out: ["stopped", "timed out"],
    cancelled: ["stopped", "cancelled"],
    denied: ["denied", "denied"],
    not_started: ["bad", "not started"],
    lost: ["unknown", "lost"],
};

type Ending = Pick<Report, "status" | "exit_code" | "signal" | "limit" | "background">;

export function status_of_report(report: Ending): [Look, string] {
    if (report.status === "exited")
        return report.exit_code === 0 ? ["good", "exit 0"] : ["bad", `exit ${report.exit_code}`];
    if (report.status === "signaled") return ["bad", report.signal ?? "signal"];
    if (report.status === "limit_exceeded") return ["stopped", `limit: ${report.limit?.name ?? "exceeded"}`];
    if (report.status === "running" && report.background) return ["running", "background"];
    return plain_status[report.status] ?? ["unknown", report.status];
}

function status_of_call(call: Call): [Look, string] {
    if (call.state === "asking") return ["asking", "asks"];
    if (call.state === "running") return ["running", "running"];
    if (call.state === "cancelled") return ["stopped", "cancelled"];
    if (call.report) return status_of_report(call.report);
    return call.result?.isError ? ["bad", "error"] : ["good", "done"];
}

export function command_of(call: Call): string {
    const { command, cmd } = call.arguments;
    const text = call.report?.command ?? command ?? cmd;
    if (typeof text === "string") return text;
    if (Array.isArray(text)) return text.join(" ");
    const words = Object.entries(call.arguments).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return [call.tool, ...words].join(" ");
}

function entry_of_shell(shell: Shell, calls: Call[]): Entry {
    const started_it = calls.find((call) => call.report !== undefined && command_of(call) === shell.command)
        ?? calls.find((call) => command_of(call) === shell.command) ?? null;
    const [look, status] = status_of_report(shell);
    return {
        key: `shell/${shell.shell_id}`,
        shell,
        call: started_it,
        other_calls: calls.filter((call) => call !== started_it),
        command: shell.command,
        started: shell.created,
        ended: shell.ended,
        look,
        status: shell.live && shell.status !== "running" ? `${status}, still alive` : status,
        is_live: shell.live,
    };
}

function entry_of_call(call: Call): Entry {
    const [look, status] = status_of_call(call);
    return {
        key: `call/${call.call_id}`,
        shell: null,
        call,
        other_calls: [],
        command: command_of(call),
        started: call.started,
        ended: call.ended,
        look,
        status,
        is_live: call.ended === null,
    };
}

const start_patience_ms = 500;

// A call whose shell comes in a moment: it is not worth a row of its own.
export function is_starting(entry: Entry, now: number): boolean {
    return !entry.shell && entry.look === "running" && now - entry.started < start_patience_ms;
}

const rank = (entry: Entry) => (entry.look === "asking" ? 0 : entry.is_live ? 1 : 2);

export function entries_of(shells: ReadonlyMap<string, Shell>, calls: ReadonlyMap<string, Call>): Entry[] {
    const by_shell = new Map<string, Call[]>();
    const alone: Call[] = [];
    for (const call of calls.values()) {
        if (call.shell_id === null || !shells.has(call.shell_id)) alone.push(call);
        else by_shell.set(call.shell_id, [...(by_shell.get(call.shell_id) ?? []), call]);
    }
    const all = [...shells.values()].map((shell) =>
        entry_of_shell(shell, (by_shell.get(shell.shell_id) ?? []).sort((a, b) => a.started - b.started)));
    all.push(...alone.map(entry_of_call));
    return all.sort((a, b) => rank(a) - rank(b) || b.started - a.started || (a.key < b.key ? 1 : -1));
}

// What a page lists now.
export function listed_entries(store: Pick<Store, "shells" | "calls" | "now">): Entry[] {
    const now = store.now();
    return entries_of(store.shells, store.calls).filter((entry) => !is_starting(entry, now));
}

export type Tab = "all" | "live" | "failed";

function passes(entry: Entry, tab: Tab): boolean {
    if (tab === "live") return entry.is_live;
    if (tab === "failed") return ["bad", "stopped", "denied", "unknown"].includes(entry.look);
    return true;
}

function haystack(entry: Entry): string {
    const { shell, call } = entry;
    return [entry.command, entry.status, shell?.shell_id, shell?.caller, shell?.session, shell?.pid, shell?.status,
            call?.call_id, call?.tool, call?.via].join("\n").toLowerCase();
}

// Every word, or "words in quotes", has to be somewhere; one that begins with a minus nowhere.
export function matches(entry: Entry, tab: Tab, query: string): boolean {
    if (!passes(entry, tab)) return false;
    const words = (query.toLowerCase().match(/-?"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""))
        .filter((word) => word !== "" && word !== "-");
    if (words.length === 0) return true;
    const text = haystack(entry);
    return words.every((word) => (word.startsWith("-") ? !text.includes(word.slice(1)) : text.includes(word)));
}

export function duration_of(entry: Entry, now: number): number | null {
    const known = entry.shell?.duration_ms ?? null;
    if (known !== null && entry.shell?.status !== "running") return known;
    return (entry.ended ?? now) - entry.started;
}
