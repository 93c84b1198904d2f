// Everything without a mouse.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Server, eventually, watch } from "./watcher.mjs";

let server;
before(async () => { server = await new Server('permissions:\n  ask: ["Bash(seq:*)"]\n').start(); });
after(() => server.stop());

const focused = (page) => page.evaluate(() => document.activeElement?.textContent ?? "");

test("a command is found, read and killed", async () => {
    const watcher = await watch(server);
    const { page } = watcher;
    await server.run("echo something else");
    const call = await server.begin("echo to be killed; while :; do sleep 0.1; done");
    await page.locator('.list-row[href^="#/shell/"]', { hasText: "to be killed" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("killed");
    await watcher.row("something else").waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    assert.match(await focused(page), /to be killed/);
    await page.keyboard.press("Enter");
    await watcher.sees("to be killed");
    await page.keyboard.press("o");
    assert.equal(await page.evaluate(() => document.activeElement?.className), "rows");
    await page.keyboard.press("x");
    await page.locator("dialog[open]").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("x");
    await page.locator("dialog[open]").waitFor();
    await page.keyboard.press("Enter");
    assert.notEqual((await server.result(call)).report.status, "exited");
    await page.keyboard.press("Escape");
    await page.locator(".overview").waitFor();
    await watcher.close();
});

test("the list is walked through", async () => {
    const watcher = await watch(server);
    const { page } = watcher;
    for (const word of ["alpha", "beta", "gamma"]) await server.run(`echo ${word}`);
    await watcher.row("gamma").getByText("exit 0").waitFor();
    await page.keyboard.press("j");
    assert.match(await focused(page), /gamma/);
    await page.keyboard.press("j");
    assert.match(await focused(page), /beta/);
    await page.keyboard.press("ArrowDown");
    assert.match(await focused(page), /alpha/);
    await page.keyboard.press("k");
    assert.match(await focused(page), /beta/);
    // What comes does not take the focus away.
    await server.run("echo delta");
    await watcher.row("delta").waitFor();
    assert.match(await focused(page), /beta/);
    await watcher.close();
});

test("questions are answered", async () => {
    const watcher = await watch(server);
    const { page } = watcher;
    const calls = [];
    for (const number of [1, 2]) {
        calls.push(await server.begin(`seq ${number}`));
        await page.locator(".inbox-count", { hasText: String(number) }).waitFor();
    }
    await page.keyboard.press("i");
    await page.locator(".question").nth(1).waitFor();
    assert.match(await focused(page), /seq 1/);
    await page.keyboard.press("j");
    assert.match(await focused(page), /seq 2/);
    await page.keyboard.press("d");
    await page.keyboard.type("not twice");
    await page.keyboard.press("Enter");
    assert.match(JSON.stringify((await server.result(calls[1])).result), /not twice/);
    await eventually("the focus on the other one", async () => /seq 1/.test(await focused(page)));
    // Twice, because one that has just got the focus is not answered by a key.
    await eventually("one question less", async () => {
        await page.keyboard.press("a");
        return (await page.locator(".question").count()) === 0;
    });
    assert.equal((await server.result(calls[0])).report.exit_code, 0);
    await watcher.close();
});

test("the keys are listed, and the theme changes", async () => {
    const watcher = await watch(server);
    const { page } = watcher;
    await page.keyboard.press("?");
    await page.locator("dialog", { hasText: "allow once" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("t");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
    await page.keyboard.press("t");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await page.reload();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await watcher.close();
});

test("Tab reaches the filter, the list, the approvals and the output, and shows where it is", async () => {
    const watcher = await watch(server);
    const { page } = watcher;
    await server.run("echo reached by tab");
    await watcher.open("reached by tab");
    await watcher.sees("reached by tab");
    await page.reload();
    await watcher.sees("reached by tab");
    const reached = new Set();
    for (let step = 0; step < 60; ++step) {
        await page.keyboard.press("Tab");
        reached.add(await page.evaluate(() => {
            const { activeElement } = document;
            if (activeElement === document.body) return "";
            const { outlineStyle } = getComputedStyle(activeElement);
            const name = activeElement.className || activeElement.getAttribute("aria-label");
            return `${name} ${outlineStyle === "none" ? "unseen" : "seen"}`;
        }));
    }
    const all = [...reached].join("\n");
    for (const wanted of [/^Filter seen/m, /^list-row \w+ seen/m, /^inbox-link.* seen/m, /^rows seen/m, /^find seen/m])
        assert.match(all, wanted);
    assert.doesNotMatch(all, /unseen/);
    await watcher.close();
});
