import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditRecord } from "./api_types";
import { deed_of, status_of_record, summary_of } from "./audit_view";

function record(more: Partial<AuditRecord>): AuditRecord {
    return { command: "true", status: "exited", exit_code: 0, background: false, tool: "bash", shell_id: null,
             ...more } as AuditRecord;
}

test("audit: every ending has a look and a word, also what is not known", () => {
    const cases: [Partial<AuditRecord>, [string, string]][] = [
        [{}, ["good", "exit 0"]],
        [{ exit_code: 3 }, ["bad", "exit 3"]],
        [{ status: "signaled", signal: "SIGKILL" }, ["bad", "SIGKILL"]],
        [{ status: "limit_exceeded", limit: { name: "memory", value: 1, peak: 2 } }, ["stopped", "limit: memory"]],
        [{ status: "denied" }, ["denied", "denied"]],
        [{ status: "running", background: true }, ["running", "background"]],
        [{ status: "unknown" }, ["unknown", "unknown"]],
        [{ status: "applied", action: "configure" }, ["good", "applied"]],
        [{ status: "refused", action: "configure" }, ["bad", "refused"]],
        [{ status: null }, ["good", "done"]],
        [{ status: null, error: "no" }, ["bad", "error"]],
    ];
    for (const [more, wanted] of cases) assert.deepEqual(status_of_record(record(more)), wanted);
});

test("audit: a call without a command is told by its tool and shell", () => {
    assert.equal(deed_of(record({ command: null, tool: "bash_kill", shell_id: "k-1" })), "bash_kill k-1");
});

test("audit: a changed configuration is told by its files", () => {
    const files = [{ path: "/w/husk.yaml", sha256: null }];
    assert.equal(deed_of(record({ command: null, tool: null, action: "configure", files })), "configuration /w/husk.yaml");
});

test("audit: the summary leaves out what was not measured", () => {
    const stats = { calls: 1, status: {}, decisions: {}, duration_ms: { median: null, p95: null } };
    assert.equal(summary_of({ ...stats, calls: 0 }), "Nothing matches.");
    assert.equal(summary_of(stats), "1 call");
    assert.equal(summary_of({ ...stats, calls: 1200, status: { denied: 2 }, duration_ms: { median: 12, p95: 1500 } }),
        "1,200 calls · 2 denied · median 12 ms · 95 % within 1.5 s");
});
