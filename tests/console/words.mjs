// That what stands on the page can be understood by somebody who has not read the manual.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { Server, eventually, watch } from "./watcher.mjs";

const sentence = Array.from({ length: 40 }, (_, index) => `word${index}`).join(" ");

let server;
before(async () => {
    server = await new Server('permissions:\n  ask: ["Bash(seq:*)"]\n').start();
    await server.run(`echo '${sentence}'`);
    await server.begin("seq 1");
    await server.begin("echo lives; while :; do sleep 0.1; done");
});
after(() => server.stop());

const narrow = { viewport: { width: 360, height: 640 } };

test("what is live is counted once, and the same everywhere", async () => {
    const watcher = await watch(server);
    const { page } = watcher;
    const tile = page.locator(".overview .tile", { hasText: /^Live/ }).locator(".tile-value");
    const tab = page.locator('[data-tab="live"] .tab-count');
    await eventually("two that live", async () => (await tab.innerText()) === "2" && (await tile.innerText()) === "2");
    await watcher.close();
});

test("a plot tells its scale, and no figure is shown before it is known", async () => {
    const watcher = await watch(server);
    const { page } = watcher;
    await watcher.open("echo lives");
    await page.locator(".tile", { hasText: "Memory" }).locator(".tile-scale", { hasText: /^scale 1\.0 MiB|^scale \d+ MiB/ }).waitFor();
    await page.locator(".card h2", { hasText: "Walls" }).waitFor();
    assert.equal(await page.locator(".card h2", { hasText: "Usage" }).count(), 0);
    await page.goto(`${server.url}/#/`);
    await watcher.open("word1 word2");
    await page.locator(".card", { hasText: "Usage" }).locator("text=/\\d (ms|s)$/").first().waitFor();
    await watcher.close();
});

test("who called is told in words", async () => {
    const watcher = await watch(server);
    await watcher.open("echo lives");
    const facts = watcher.page.locator(".detail-facts");
    await facts.locator("text=over the HTTP API").waitFor();
    assert.doesNotMatch(await facts.innerText(), /@|\bv1\b/);
    await watcher.close();
});

test("of what is unknown the page says so, and leads back", async () => {
    const watcher = await watch(server);
    const { page } = watcher;
    await page.goto(`${server.url}/#/shell/nobody-1`);
    const answer = page.locator(".main .empty");
    await answer.locator("text=Nothing is known here of shell nobody-1").waitFor();
    await answer.getByRole("link", { name: "Back to the list" }).click();
    await page.locator(".overview").waitFor();
    watcher.troubles = watcher.troubles.filter((one) => !one.includes("404")); // the browser's own remark
    await watcher.close();
});

test("a browser that is not let in is told the whole command for another link", async () => {
    const response = await fetch(`${server.url}/`);
    assert.equal(response.status, 401);
    const command = /<pre[^>]*>([^<]*)<\/pre>/.exec(await response.text())[1];
    const { url } = JSON.parse(execFileSync("bash", ["-c", command.replace("curl", "curl -s")], { encoding: "utf8" }));
    assert.match(url, new RegExp(`^${server.url}/open/\\w+$`));
});

test("narrow: buttons have words, choices are whole, and rows end between words", async () => {
    const watcher = await watch(server, narrow);
    const { page } = watcher;
    for (const word of ["Audit", "Approvals"])
        assert.ok(await page.locator(".top .inbox-word", { hasText: word }).isVisible(), word);
    const beyond = await page.evaluate(() => { // when the server has gone
        document.querySelector(".link").textContent = "no connection";
        return document.body.scrollWidth - document.body.clientWidth;
    });
    assert.ok(beyond <= 0, `${beyond} pixels stick out`);
    await page.goto(`${server.url}/#/audit`);
    await page.locator(".audit-query select").first().waitFor();
    const cut = await page.locator(".audit-query select").evaluateAll((choices) => choices.filter((choice) => {
        const pen = document.createElement("canvas").getContext("2d");
        const style = getComputedStyle(choice);
        pen.font = `${style.fontSize} ${style.fontFamily}`;
        const arrow = 24;
        return pen.measureText(choice.selectedOptions[0].text).width + 2 * parseFloat(style.paddingLeft) + arrow > choice.clientWidth;
    }).map((choice) => choice.selectedOptions[0].text));
    assert.deepEqual(cut, []);
    await page.goto(`${server.url}/#/`);
    await watcher.open("word1 word2");
    await watcher.sees("word39");
    // How wide they may be is known once the page is laid out.
    const narrowRows = 5;
    await page.locator(".row").nth(narrowRows - 1).waitFor();
    const rows = (await page.locator(".row").allInnerTexts()).map((row) => row.trim());
    assert.equal(rows.join(" "), sentence);
    await watcher.close();
});
