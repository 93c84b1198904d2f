// Commands that would like to be more than text.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Server, watch } from "./watcher.mjs";

let server;
before(async () => { server = await new Server().start(); });
after(() => server.stop());

// Nothing that a command wrote has become an element, a title, or a script that ran.
async function is_inert(page) {
    assert.deepEqual(await page.evaluate(() => ({
        title: document.title,
        pwned: "pwned" in window,
        elements: document.querySelectorAll(
            ".rows :is(a, img, script, iframe, svg, style, link), .detail :is(script, iframe, style, img)").length,
        handlers: [...document.querySelectorAll("*")].filter((one) =>
            [...one.attributes].some(({ name }) => name.startsWith("on") || name === "style" && one.closest(".row"))
            && !one.matches(".row span[style]")).length,
    })), { title: "Husk", pwned: false, elements: 0, handlers: 0 });
}

const outputs = {
    "markup": String.raw`<script>window.pwned=1</script><img src=x onerror=window.pwned=1><b>bold</b>&lt;&amp;`,
    "a title": String.raw`\e]0;owned\a\e]2;owned\e\\visible`,
    "a link": String.raw`\e]8;;javascript:window.pwned=1\e\\text of a link\e]8;;\e\\`,
    "another screen": String.raw`\e[?1049h\e[2J\e[3J\e[H\ec\e[8mconcealed\e[0m`,
    "a device string": String.raw`\ePq#0;2;0;0;0~\e\\after it`,
    "a string without end": String.raw`\e]0;never ends\nnext line`,
    "a torn sequence": String.raw`torn \e[38;5`,
    "another direction": String.raw`abc \xe2\x80\xaegnp.exe\xe2\x80\xac \xe2\x81\xa6x\xe2\x81\xa9 end`,
    "controls": String.raw`bell\a back\b\b nul\0 eight \xc2\x9b31m del\x7f.`,
    "colours on themselves": String.raw`\e[31;41mred on red\e[0m \e[38;2;1;2;3;48;2;1;2;3mtriple\e[0m \e[30mblack\e[0m`,
    "no UTF-8": String.raw`\xff\xfe\xc3( \xf0\x9f end`,
    "style": String.raw`" style="position:fixed;inset:0" onmouseover="window.pwned=1`,
    "a template": String.raw`\${window.pwned=1} {{constructor.constructor('window.pwned=1')()}}`,
};

test("hostile output is text", async () => {
    const watcher = await watch(server);
    const quoted = (text) => text.replaceAll("'", "'\\''").replaceAll("%", "%%");
    const lines = Object.entries(outputs).map(([name, text]) => `printf '%s: ${quoted(text)}\\n' '${name}'`);
    await server.run(`${lines.join("\n")}\necho the end`);
    await watcher.open("'markup'");
    await watcher.sees("the end");
    const shown = (await watcher.shown()).replaceAll("\n", ""); // rows break anywhere
    for (const part of ["<script>window.pwned=1</script><img src=x onerror=window.pwned=1>", "&lt;&amp;", "a title: visible",
                        "text of a link", "concealed", "after it", "next line", "torn ␛[38;5", "U+202E", "U+2066",
                        "bell␇", "back␈␈", "nul␀", "U+009B31m", "red on red", "triple", "\ufffd"])
        assert.ok(shown.includes(part), `${part} is not in:\n${shown}`);
    assert.ok(!shown.includes("owned") && !shown.includes("javascript:"));
    await is_inert(watcher.page);
    // Text in the colour of its ground can be read.
    const hidden = await watcher.page.locator(".row span", { hasText: /red on red|triple/ }).evaluateAll((all) =>
        all.filter((one) => getComputedStyle(one).color === getComputedStyle(one).backgroundColor).length);
    assert.equal(hidden, 0);
    await watcher.close();
});

test("a hostile command is text, wherever it is shown", async () => {
    const watcher = await watch(server);
    const command = ": '<img src=x onerror=window.pwned=1><script>window.pwned=1</script>' \u202etxt.exe";
    await server.run(command);
    await watcher.open("txt.exe");
    await watcher.page.locator(".card", { hasText: "Script" }).locator("code", { hasText: "<script>" }).first().waitFor();
    assert.match(await watcher.page.locator(".command").innerText(), /<img src=x onerror.*U\+202E.*txt\.exe/s);
    await is_inert(watcher.page);
    await watcher.close();
});

test("names of files that walls refuse are text", async () => {
    const watcher = await watch(server);
    await server.run("mkdir '/etc/<img src=x onerror=window.pwned=1>'; true refused");
    await watcher.open("true refused");
    await watcher.page.locator(".denials code", { hasText: "<img" }).waitFor();
    await is_inert(watcher.page);
    await watcher.close();
});

test("megabytes without a newline, and towers of marks, leave the page alive", async () => {
    const watcher = await watch(server);
    await server.run("head -c 3000000 /dev/zero | tr '\\0' x; echo; printf 'a%.0s' {1..50}; " +
                     "printf '\\xcc\\x81%.0s' {1..20000}; printf '\\n%0.s\\e[%d;1H' {1..3000}; printf '\\e[3%dm.' {1..20000}; echo; echo the last line");
    await watcher.open("the last line");
    await watcher.sees("the last line");
    assert.ok((await watcher.page.locator(".row").count()) < 150);
    assert.ok((await watcher.page.locator(".rows-window").evaluate((one) => one.textContent.length)) < 100_000);
    await watcher.page.keyboard.press("w");
    await watcher.page.keyboard.press("f");
    await watcher.sees("the last line");
    await watcher.close();
});

test("a flood is followed, and the page keeps a part of it", async () => {
    const watcher = await watch(server);
    const call = await server.begin("yes 'a flood of output that goes on and on' | head -c 30000000; echo; echo it is over");
    await watcher.open("flood of output");
    await server.result(call);
    await watcher.page.locator(".detail-head .badge:not(.running)").waitFor();
    await watcher.sees("it is over");
    assert.ok((await watcher.page.locator(".row").count()) < 150);
    await watcher.close();
});

test("the page is served with a strict policy, and the policy holds", async () => {
    const watcher = await watch(server);
    const response = await watcher.page.reload();
    const policy = response.headers()["content-security-policy"];
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'",
                        "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"])
        assert.ok(policy.includes(part), `${part} is not in: ${policy}`);
    assert.ok(!policy.includes("unsafe"));
    const refused = await watcher.page.evaluate(() => {
        try {
            document.body.insertAdjacentHTML("beforeend", "<b>markup</b>");
            return false;
        } catch {
            return true;
        }
    });
    assert.ok(refused, "markup was accepted");
    assert.equal(watcher.troubles.length, 1);
    watcher.troubles = [];
    await watcher.close();
});
