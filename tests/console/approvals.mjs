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

test("always is not offered where no rule can allow it", () => with_watcher(asks, async (server, watcher, question) => {
    await server.begin("seq 5");
    await watcher.page.getByRole("link", { name: "Approvals" }).click();
    await question.locator("text=/Not always: .*husk.yaml:2/").waitFor();
    assert.equal(await question.getByRole("button", { name: "Allow always" }).isDisabled(), true);
    await watcher.page.keyboard.press("A");
    assert.equal(await question.locator(".rule").isVisible(), false);
}));

// A server whose rules can be widened would answer so; this one says no in the end, and its no is told.
test("what is allowed always is shown before it is written", () => with_watcher(asks, async (server, watcher, question) => {
    await server.begin("seq 5");
    const { rules } = server;
    await watcher.page.route("**/v1/approvals?state=all", async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        body.approvals[0].always = { rules: ["Bash(seq:*)"], file: rules, why_not: null,
                                     text: 'permissions:\n  allow:\n    - "Bash(seq:*)"\n' };
        await route.fulfill({ response, json: body });
    });
    await watcher.page.reload();
    await watcher.page.getByRole("link", { name: "Approvals" }).click();
    await question.getByRole("button", { name: "Allow always" }).click();
    await question.locator(".rule", { hasText: '- "Bash(seq:*)"' }).waitFor();
    await question.locator("code", { hasText: rules }).first().waitFor();
    await watcher.page.keyboard.press("Escape");
    await question.getByRole("button", { name: "Allow always" }).click();
    const sent = watcher.page.waitForRequest((request) => request.method() === "POST");
    await question.getByRole("button", { name: "Write the rule" }).click();
    assert.deepEqual((await sent).postDataJSON(), { decision: "allow_always" });
    await watcher.page.locator(".notice.error", { hasText: "It was not answered" }).waitFor();
    assert.equal(readFileSync(rules, "utf8"), asks);
    watcher.troubles = watcher.troubles.filter((one) => !one.includes("409"));
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
