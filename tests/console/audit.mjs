// The page of the audit: found, read, with keys alone, and never more than text.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Server, eventually, watch } from "./watcher.mjs";

let server;
before(async () => {
    server = await new Server('permissions:\n  ask: ["Bash(seq:*)"]\n', ["--approval-timeout", "200ms"]).start();
    await server.run("echo one that is fine");
    await server.run("exit 4");
    await server.run("git push --force");
    await server.run("seq 7");
    await server.run(": '<img src=x onerror=window.pwned=1><script>window.pwned=1</script>' \u202etxt.exe");
});
after(() => server.stop());

async function visit(options = {}) {
    const watcher = await watch(server, options);
    await watcher.page.goto(`${server.url}/#/audit`);
    const rows = watcher.page.locator(".audit-row");
    await rows.first().waitFor();
    return { watcher, page: watcher.page, rows };
}

test("the newest is first, each with its ending", async () => {
    const { watcher, rows } = await visit();
    assert.equal(await rows.count(), 5);
    assert.match(await rows.nth(0).innerText(), /exit 0[^]*txt\.exe/);
    assert.match(await rows.nth(1).innerText(), /denied[^]*seq 7[^]*ask/);
    assert.match(await rows.nth(2).innerText(), /denied[^]*git push --force[^]*deny/);
    assert.match(await rows.nth(3).innerText(), /exit 4/);
    await watcher.close();
});

test("words, endings and verdicts narrow it, and the count says how many", async () => {
    const { watcher, page, rows } = await visit();
    const has = (number) => eventually(`${number} rows`, async () => (await rows.count()) === number);
    await page.getByLabel("Search the audit").fill("that fine");
    await has(1);
    await page.getByText(/^1 call · median/).waitFor();
    await page.getByLabel("Search the audit").fill('-fine -"exit 4"');
    await has(3);
    await page.getByLabel("Status").selectOption("denied");
    await has(2);
    await page.getByLabel("Verdict").selectOption("ask");
    await has(1);
    await page.getByLabel("Search the audit").fill("nothing has this word");
    await has(0);
    await page.getByText("Nothing matches.").waitFor();
    await watcher.close();
});

test("keys alone lead to all that is known of a call", async () => {
    const { watcher, page } = await visit();
    await page.keyboard.press("Escape");
    await page.keyboard.press("l");
    await page.locator(".audit-row").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.insertText("push");
    await page.getByText(/^1 call/).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    const body = page.locator(".audit-body");
    await body.waitFor();
    assert.match(await body.innerText(), /Way in\s+serve\/v1 · husk · bash/);
    assert.match(await body.innerText(), /Verdict\s+deny · git\/force-push/);
    await page.keyboard.press("Escape");
    await page.locator(".overview").waitFor();
    await watcher.close();
});

test("a call leads to its output", async () => {
    const { watcher, page, rows } = await visit();
    await rows.filter({ hasText: "that is fine" }).locator("summary").click();
    await page.getByRole("link", { name: /Its output/ }).click();
    await watcher.sees("one that is fine");
    await watcher.close();
});

test("a hostile command is text", async () => {
    const { watcher, page, rows } = await visit();
    await rows.first().locator("summary").click();
    const text = await page.locator(".audit-body pre").innerText();
    assert.match(text, /<img src=x onerror=window\.pwned=1><script>.*U\+202E/);
    assert.equal(await page.locator(".audit :is(img, script)").count(), 0);
    assert.equal(await page.evaluate(() => "pwned" in window), false);
    await watcher.close();
});

test("a narrow page shows it too, with a way back", async () => {
    const { watcher, page } = await visit({ viewport: { width: 360, height: 640 } });
    assert.equal(await page.evaluate(() => document.querySelector(".main").scrollWidth
        > document.querySelector(".main").clientWidth + 1), false);
    await page.locator(".audit").getByRole("link", { name: "Back to the list" }).click();
    await page.locator(".list").waitFor();
    await watcher.close();
});
