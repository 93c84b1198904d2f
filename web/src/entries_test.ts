import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call, Report, Shell } from "./api_types";
import { type Tab, entries_of as entries_of_maps, matches, status_of_report } from "./entries";

const entries_of = (shells: Shell[], calls: Call[]) => entries_of_maps(
    new Map(shells.map((one) => [one.shell_id, one])), new Map(calls.map((one) => [one.call_id, one])));

function shell(id: string, more: Partial<Shell>): Shell {
    return { shell_id: id, command: "true", status: "exited", exit_code: 0, created: 0, ended: 1, live: false,
             caller: "agent", ...more } as Shell;
}

function call(id: string, more: Partial<Call>): Call {
    return { call_id: id, via: "mcp", tool: "bash", arguments: { command: "true" }, state: "done", started: 0,
             ended: 1, shell_id: null, approval_id: null, ...more };
}

const running = shell("s-1", { command: "make -j2", status: "running", exit_code: null, created: 5, live: true, ended: null });
const failed = shell("s-2", { command: "npm test", exit_code: 1, created: 9 });
const asking = call("c-1", { arguments: { command: "git push" }, state: "asking", started: 1, ended: null });
const of_running = call("c-2", { arguments: { command: "make -j2" }, shell_id: "s-1", started: 5 });
const waits = call("c-3", { tool: "bash_wait", arguments: { shell_id: "s-1" }, shell_id: "s-1", started: 6 });

test("entries: what asks comes first, then what lives, then the newest", () => {
    const keys = entries_of([failed, running], [asking, of_running, waits]).map((entry) => entry.key);
    assert.deepEqual(keys, ["call/c-1", "shell/s-1", "shell/s-2"]);
});

test("entries: a shell has the call that started it, and those that asked later", () => {
    const entry = entries_of([running], [waits, of_running])[0];
    assert.equal(entry?.call?.call_id, "c-2");
    assert.deepEqual(entry?.other_calls.map((one) => one.call_id), ["c-3"]);
});

const statuses: [Partial<Report>, string, string][] = [
    [{ status: "exited", exit_code: 0 }, "good", "exit 0"],
    [{ status: "exited", exit_code: 2 }, "bad", "exit 2"],
    [{ status: "signaled", signal: "SIGKILL" }, "bad", "SIGKILL"],
    [{ status: "timed_out" }, "stopped", "timed out"],
    [{ status: "limit_exceeded", limit: { name: "memory", value: 1, peak: 2 } }, "stopped", "limit: memory"],
    [{ status: "running", background: true }, "running", "background"],
    [{ status: "denied" }, "denied", "denied"],
];
for (const [report, look, word] of statuses)
    test(`entries: ${word}`, () => assert.deepEqual(status_of_report(report as Report), [look, word]));

const searches: [Tab, string, string[]][] = [
    ["all", "", ["call/c-1", "shell/s-1", "shell/s-2"]],
    ["all", "npm", ["shell/s-2"]],
    ["all", "MAKE j2", ["shell/s-1"]],
    ["all", "-npm -make", ["call/c-1"]],
    ["all", "exit 1", ["shell/s-2"]],
    ["all", '"exit 1"', ["shell/s-2"]],
    ["all", '"1 exit"', []],
    ["all", '-"git push" -npm', ["shell/s-1"]],
    ["live", "", ["call/c-1", "shell/s-1"]],
    ["failed", "", ["shell/s-2"]],
    ["all", "nothing has this", []],
];
for (const [tab, query, wanted] of searches) {
    test(`entries: ${tab} "${query}"`, () => {
        const found = entries_of([running, failed], [asking, of_running]).filter((one) => matches(one, tab, query));
        assert.deepEqual(found.map((one) => one.key), wanted);
    });
}
