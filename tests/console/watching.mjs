// What a person who watches sees: output as it comes, plots, a reload in the middle, an end, many lines.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Server, eventually, watch } from "./watcher.mjs";

let server;
before(async () => { server = await new Server().start(); });
after(() => server.stop());

const until = (file) => `until [ -e ${file} ]; do sleep 0.05; done`;

test("a command is watched live, from its start to its end", async () => {
    const watcher = await watch(server);
    await server.begin(`echo first; ${until("go")}; printf '\\e[31msecond\\e[0m\\n'; ${until("stop")}; exit 3`);
    await watcher.open("echo first");
    await watcher.badge("running").waitFor();
    await watcher.sees("first");
    assert.doesNotMatch(await watcher.shown(), /second/);
    await watcher.page.locator(".tile", { hasText: "CPU" }).locator("text=/\\d+ %/").first().waitFor();
    await watcher.page.locator(".tile .plot-memory .line[d*='L']").waitFor();
    server.touch("go");
    await watcher.sees("second");
    assert.equal(await watcher.page.locator(".row .f1").innerText(), "second");
    server.touch("stop");
    await watcher.badge("exit 3").waitFor();
    await watcher.row("echo first").locator(".row-status", { hasText: "exit 3" }).waitFor();
    for (const card of ["Script", "Walls", "Usage", "Timeline", "Denials"])
        await watcher.page.locator(".card h2", { hasText: card }).waitFor();
    await watcher.page.locator(".card", { hasText: "Answer" }).locator("summary").click();
    await watcher.page.locator(".answer", { hasText: "second" }).waitFor();
    await watcher.close();
});

test("a reload in the middle comes back to the same place, and misses nothing", async () => {
    const watcher = await watch(server);
    await server.begin(`echo before the reload; ${until("again")}; echo after it; ${until("never")}`);
    await watcher.open("before the reload");
    await watcher.sees("before the reload");
    await watcher.page.locator(".tile .plot-memory .line[d*='L']").waitFor();
    await watcher.page.reload();
    // Also the plots are still there, before anything new was measured.
    await watcher.page.locator(".tile .plot-memory .line[d*='L']").waitFor();
    await watcher.sees("before the reload");
    await watcher.badge("running").waitFor();
    server.touch("again");
    await watcher.sees("after it");
    assert.deepEqual((await watcher.shown()).split("\n").filter(Boolean), ["before the reload", "after it"]);
    await watcher.close();
});

test("one is killed, with all that it has started", async () => {
    const watcher = await watch(server);
    const { call_id } = await server.begin(`sleep 1000 & sleep 1001 & ${until("never")}`);
    await watcher.open("sleep 1001");
    await watcher.page.getByRole("button", { name: "Kill" }).click();
    const dialog = watcher.page.locator("dialog");
    await dialog.locator("text=sleep 1001").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await watcher.badge("running").waitFor();
    await watcher.page.getByRole("button", { name: "Kill" }).click();
    await watcher.page.locator("dialog").getByRole("button", { name: "Kill" }).click();
    await watcher.page.locator(".detail-head .badge:not(.running)").waitFor();
    const { shell_id } = await server.result({ call_id });
    await eventually("the end of the tree", async () => !(await server.ask("GET", `/v1/shells/${shell_id}`)).live);
    await watcher.page.getByRole("button", { name: "Kill" }).waitFor({ state: "detached" });
    await watcher.close();
});

test("ten thousand lines scroll, and few of them are elements", async () => {
    const watcher = await watch(server);
    await server.run("for ((i = 1; i <= 10000; ++i)); do printf '\\e[3%dmline %d\\e[0m of many\\n' $((i % 8)) $i; done");
    await watcher.open("of many");
    await watcher.page.locator(".bar-facts", { hasText: "10,000 lines" }).waitFor();
    await watcher.sees("line 10000 of many"); // it follows
    const rows = watcher.page.locator(".rows");
    for (const line of [1, 5000, 9000, 2, 7777]) {
        await rows.evaluate((element, at) => { element.scrollTop = (at - 1) * 20; }, line);
        await watcher.page.locator(`.row[data-number="${line}"]`).waitFor();
        assert.equal((await watcher.page.locator(`.row[data-number="${line}"]`).innerText()).trim(), `line ${line} of many`);
        const made = await watcher.page.locator(".row").count();
        assert.ok(made < 150, `${made} rows are elements`);
    }
    // How long the page itself usually needs for a step of scrolling, as a browser would take it.
    const usual = () => rows.evaluate(async (element) => {
        const times = [];
        element.scrollTop = 0;
        for (let step = 0; step < 120; ++step) {
            element.scrollTop += 400;
            await new Promise((resolve) => requestAnimationFrame(resolve));
            const began = performance.now();
            await new Promise((resolve) => {
                const channel = new MessageChannel();
                channel.port1.onmessage = resolve;
                channel.port2.postMessage(0);
            });
            times.push(performance.now() - began);
        }
        return times.sort((one, other) => one - other)[60];
    });
    // Others may be in the way of one look, and not of each.
    let taken = await usual();
    for (let tries = 0; tries < 4 && taken >= 50; ++tries) taken = await usual();
    assert.ok(taken < 50, `a step takes ${taken} ms`);
    await watcher.page.getByRole("button", { name: "Follow" }).click();
    await watcher.sees("line 10000 of many");
    await watcher.close();
});

test("long lines are wrapped, or scroll sideways", async () => {
    const watcher = await watch(server);
    await server.run("printf 'begin%0300d end\\n' 7; echo short");
    await watcher.open("begin%");
    await watcher.sees("short");
    const sideways = () => watcher.page.locator(".rows").evaluate((one) => one.scrollWidth > one.clientWidth);
    const rows = () => watcher.page.locator(".row").count();
    assert.equal(await sideways(), false);
    assert.ok((await rows()) > 2);
    await watcher.page.keyboard.press("w");
    await eventually("two rows", async () => (await rows()) === 2);
    assert.equal(await sideways(), true);
    await watcher.page.keyboard.press("w");
    await eventually("more rows again", async () => (await rows()) > 2);
    await watcher.close();
});

test("something is found in the output", async () => {
    const watcher = await watch(server);
    await server.run("seq 5000 | sed 's/^/found /'");
    await watcher.open("found");
    await watcher.page.locator(".bar-facts", { hasText: "5,000 lines" }).waitFor();
    await watcher.page.keyboard.press("s");
    await watcher.page.keyboard.type("found 123");
    await watcher.page.locator(".find-count", { hasText: "1 of 11" }).waitFor();
    await watcher.page.locator(".row.found", { hasText: "found 123" }).waitFor();
    await watcher.page.keyboard.press("Enter");
    await watcher.page.locator(".row.found", { hasText: "found 1230" }).waitFor();
    await watcher.close();
});

test("the list is filtered", async () => {
    const watcher = await watch(server);
    await server.run("echo one-kind; exit 7");
    await server.run("echo other-kind");
    await watcher.row("other-kind").waitFor();
    await watcher.page.getByLabel("Filter").fill('kind "exit 7"');
    await watcher.row("other-kind").waitFor({ state: "detached" });
    assert.equal(await watcher.page.locator(".list-row").count(), 1);
    await watcher.page.getByLabel("Filter").fill("kind -exit");
    await eventually("nothing that fails", async () => (await watcher.page.locator(".list-row").count()) === 0);
    await watcher.page.getByLabel("Filter").fill("kind");
    await watcher.page.getByRole("button", { name: "Failed" }).click();
    await watcher.row("one-kind").waitFor();
    assert.equal(await watcher.page.locator(".list-row").count(), 1);
    await watcher.close();
});

test("a server that was away is found again, and nothing is missed", async () => {
    const watcher = await watch(server);
    // A server that ends takes calls that are under way with it: this one is over, and its shell goes on.
    await server.run(`echo connected; ${until("reconnected")}; echo while it was away; ${until("never")}`,
        { run_in_background: true });
    await watcher.open("echo connected");
    await watcher.sees("connected");
    await server.end();
    await watcher.page.locator(".link.broken").waitFor();
    server.touch("reconnected");
    await server.start();
    await watcher.page.locator(".link.live").waitFor();
    await watcher.sees("while it was away");
    watcher.troubles = watcher.troubles.filter((one) => !/ERR_CONNECTION|ERR_INCOMPLETE/.test(one));
    await watcher.close();
});
