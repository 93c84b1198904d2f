// Questions of agents, answered by a person at the console.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Server, watch } from "./watcher.mjs";

const asks = 'permissions:\n  ask: ["Bash(seq:*)"]\n';

async function with_watcher(rules, body) {
    const server = await new Server(rules).start();
    try {
        const watcher = await watch(server);
        await body(server, watcher, watcher.page.locator(".question"));
        await watcher.close();
    } finally {
        await server.stop();
    }
}

test("one is approved, after a reload", () => with_watcher(asks, async (server, watcher, question) => {
    const call = await server.begin("seq 3");
    await watcher.page.locator(".inbox-count", { hasText: "1" }).waitFor();
    assert.match(await watcher.page.title(), /^\(1\)/);
    await watcher.row("seq 3").locator("text=asks").waitFor();
    await watcher.page.getByRole("link", { name: "Approvals" }).click();
    await question.locator("text=denied in").waitFor();
    await watcher.page.reload();
    await question.locator(".node.ask", { hasText: "seq 3" }).waitFor();
    await question.getByRole("button", { name: "Allow once" }).click();
    await question.waitFor({ state: "detached" });
    assert.equal((await server.result(call)).report.exit_code, 0);
    await watcher.page.locator(".answered li", { hasText: "allowed" }).waitFor();
    await watcher.row("seq 3").locator("text=exit 0").waitFor();
}));

test("one is denied, and the reason is told", () => with_watcher(asks, async (server, watcher, question) => {
    const call = await server.begin("seq 4");
    await watcher.page.getByRole("link", { name: "Approvals" }).click();
    await question.getByRole("button", { name: "Deny" }).click();
    await question.getByLabel("Reason").fill("count by hand");
    await question.getByRole("button", { name: "Deny" }).click();
    await question.waitFor({ state: "detached" });
    const { report, result } = await server.result(call);
    assert.equal(report.status, "denied");
    assert.match(JSON.stringify(result), /count by hand/);
    await watcher.page.locator(".answered li", { hasText: "count by hand" }).waitFor();
    await watcher.row("seq 4").locator("text=denied").waitFor();
}));

test("always is not offered where it could not stand", () => with_watcher(asks, async (server, watcher, question) => {
    await server.begin("seq $x");
    await watcher.page.getByRole("link", { name: "Approvals" }).click();
    await question.locator("text=/Not always: .*not known before it runs/").waitFor();
    assert.equal(await question.getByRole("button", { name: "Allow always" }).isDisabled(), true);
    await watcher.page.keyboard.press("A");
    assert.equal(await question.locator(".rule").isVisible(), false);
}));

test("what is allowed always is shown before it is written", () => with_watcher(asks, async (server, watcher, question) => {
    const call = await server.begin("seq 5");
    const { rules } = server;
    await watcher.page.getByRole("link", { name: "Approvals" }).click();
    await question.getByRole("button", { name: "Allow always" }).click();
    await question.locator(".rule", { hasText: '["seq 5"]' }).waitFor();
    await question.locator("code", { hasText: rules }).first().waitFor();
    await watcher.page.keyboard.press("Escape");
    assert.equal(readFileSync(rules, "utf8"), asks);
    await question.getByRole("button", { name: "Allow always" }).click();
    await question.getByRole("button", { name: "Write it down" }).click();
    await question.waitFor({ state: "detached" });
    assert.equal((await server.result(call)).report.exit_code, 0);
    await watcher.page.locator(".answered li", { hasText: "allowed, always" }).waitFor();
    assert.equal(readFileSync(rules, "utf8"), `${asks}  approved:\n    ${server.work}: ["seq 5"]\n`);
    assert.equal((await server.result(await server.begin("seq 5"))).report.verdict.rule, "approved");
    await server.begin("seq 6");
    await question.locator(".node.ask", { hasText: "seq 6" }).waitFor();
}));

test("a call that waits for an answer is cancelled", () => with_watcher(asks, async (server, watcher, question) => {
    const call = await server.begin("seq 6");
    await watcher.open("seq 6");
    await watcher.page.getByRole("link", { name: "It waits for your answer" }).waitFor();
    await watcher.page.keyboard.press("x");
    await watcher.page.locator("dialog").getByRole("button", { name: "Cancel the call" }).click();
    assert.equal((await server.result(call)).state, "cancelled");
    await watcher.page.getByRole("link", { name: "Approvals" }).click();
    await watcher.page.locator(".answered li", { hasText: "withdrawn" }).waitFor();
    assert.equal(await question.count(), 0);
}));

test("an answer that somebody else gave is told", () => with_watcher(asks, async (server, watcher, question) => {
    const { call_id } = await server.begin("seq 7");
    await watcher.page.getByRole("link", { name: "Approvals" }).click();
    await question.waitFor();
    const { approvals } = await server.ask("GET", "/v1/approvals");
    await server.ask("POST", `/v1/approvals/${approvals[0].approval_id}`, { decision: "deny" });
    await question.waitFor({ state: "detached" });
    assert.equal((await server.result({ call_id })).report.status, "denied");
}));
