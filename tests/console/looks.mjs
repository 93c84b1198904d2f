// Light and dark, narrow and wide, without colours: nothing sticks out, and all of it can be read.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Server, watch } from "./watcher.mjs";

let server;
before(async () => {
    server = await new Server('permissions:\n  ask: ["Bash(seq:*)"]\n').start();
    await server.run("echo fine; for i in {0..15}; do " +
                     "printf '\\e[38;5;%dmcolour %d\\e[0m \\e[48;5;%dmground\\e[0m\\n' $i $i $i; done");
    await server.run("exit 4");
    await server.run("cd src && sudo git push --force");
    await server.run("mkdir /etc/not-here; echo 'a-very-long-word'{1..60} | tr -d ' '");
    await server.begin("seq 1");
    await server.begin("echo waits; while :; do sleep 1; done");
});
after(() => server.stop());

const pages = { "the overview": null, "a command that ended": "echo fine", "one that was denied": "git push",
                "one with denials": "a-very-long-word", "one that runs": "echo waits", "the approvals": "approvals", "the audit": "audit" };

async function visit(watcher, place) {
    const { page } = watcher;
    await page.goto(`${server.url}/#/`);
    if (place === "approvals") {
        await page.goto(`${server.url}/#/approvals`);
        await page.locator(".question").waitFor();
    } else if (place === "audit") {
        await page.goto(`${server.url}/#/audit`);
        await page.locator(".audit-row", { hasText: "git push" }).locator("summary").click();
    } else if (place !== null) {
        await watcher.open(place);
        await page.locator(".card", { hasText: "Timeline" }).waitFor();
    }
}

// Texts whose colour is too near to that of their ground, by the measure of WCAG.
function faint_texts() {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    const over = (colours) => {
        pen.clearRect(0, 0, 1, 1);
        for (const colour of colours) {
            pen.fillStyle = colour;
            pen.fillRect(0, 0, 1, 1);
        }
        return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (rgb) => rgb.map((one) => one / 255)
        .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
        .reduce((sum, one, index) => sum + one * [0.2126, 0.7152, 0.0722][index], 0);
    const faint = [];
    for (const element of document.querySelectorAll("body *")) {
        const text = [...element.childNodes].filter((one) => one.nodeType === 3).map((one) => one.data).join("").trim();
        if (text === "" || !element.checkVisibility() || element.matches(":disabled, :disabled *, noscript")) continue;
        const grounds = [];
        for (let one = element; one; one = one.parentElement) grounds.unshift(getComputedStyle(one).backgroundColor);
        const ground = over(["white", ...grounds]);
        const [high, low] = [luminance(over(["white", ...grounds, getComputedStyle(element).color])), luminance(ground)]
            .sort((one, other) => other - one);
        const contrast = (high + 0.05) / (low + 0.05);
        if (contrast < 4.5) faint.push(`${contrast.toFixed(2)} ${element.className}: ${text.slice(0, 40)}`);
    }
    return faint;
}

const views = [
    ["light and wide", { viewport: { width: 1600, height: 900 }, colorScheme: "light" }],
    ["dark and wide", { viewport: { width: 1600, height: 900 }, colorScheme: "dark" }],
    ["light, of middle width", { viewport: { width: 1000, height: 700 }, colorScheme: "light" }],
    ["light and narrow", { viewport: { width: 360, height: 640 }, colorScheme: "light", hasTouch: true }],
    ["dark and narrow", { viewport: { width: 360, height: 640 }, colorScheme: "dark" }],
];
for (const [name, options] of views) {
    test(`${name}: nothing sticks out, and every text can be read`, async () => {
        const watcher = await watch(server, options);
        for (const [title, place] of Object.entries(pages)) {
            await visit(watcher, place);
            const wide = await watcher.page.evaluate(() =>
                [...document.querySelectorAll("body, .main, .list-pane, .list, .card")]
                    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
                    .map((one) => one.className || one.tagName));
            assert.deepEqual(wide, [], title);
            assert.deepEqual(await watcher.page.evaluate(faint_texts), [], title);
        }
        await watcher.close();
    });
}

test("dark is dark, light is light", async () => {
    for (const [colorScheme, is_right] of [["light", (value) => value > 200], ["dark", (value) => value < 60]]) {
        const watcher = await watch(server, { colorScheme });
        const ground = await watcher.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        for (const part of ground.match(/\d+/g).slice(0, 3)) assert.ok(is_right(Number(part)), `${colorScheme}: ${ground}`);
        await watcher.close();
    }
});

test("a narrow page shows the list or an entry, and there is a way back", async () => {
    const watcher = await watch(server, { viewport: { width: 360, height: 640 } });
    const { page } = watcher;
    await watcher.open("echo fine");
    await watcher.sees("fine");
    assert.equal(await page.locator(".list").isVisible(), false);
    await page.getByRole("link", { name: "Back to the list" }).click();
    await page.locator(".list").waitFor();
    await watcher.close();
});

test("without colours every state has a word and a shape", async () => {
    const watcher = await watch(server, { forcedColors: "active" });
    await watcher.page.waitForFunction(() =>  // all of the list is there
        new Set([...document.querySelectorAll(".list-row .row-status")].map((one) => one.textContent)).size >= 5);
    const states = await watcher.page.locator(".list-row").evaluateAll((rows) => rows.map((row) => [
        row.querySelector(".row-status").textContent.replace(/^exit [1-9]\d*$/, "failed"),
        [...row.querySelectorAll(".row-icon path")].map((path) => path.getAttribute("d")).join(),
    ]));
    const shapes = new Map(states);
    assert.deepEqual([...shapes.keys()].sort(), ["asks", "denied", "exit 0", "failed", "running"]);
    assert.equal(new Set(shapes.values()).size, shapes.size);
    await watcher.close();
});
