// husk serve with a state of its own, and a browser that looks at it. A script is called with the folder that
// node_modules is in, and with husk.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

const [modules, husk] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, "package.json"))("playwright-core");
const patience = 60_000; // the machine may be busy with other things

export async function eventually(what, condition) {
    const deadline = Date.now() + patience;
    for (;;) {
        const value = await condition();
        if (value) return value;
        assert.ok(Date.now() < deadline, `it never came: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

export class Server {
    constructor(rules = "", options = []) {
        this.home = mkdtempSync(join(tmpdir(), "husk-console-"));
        this.work = join(this.home, "work");
        this.rules = join(this.home, ".config", "husk", "husk.yaml");
        mkdirSync(this.work);
        mkdirSync(join(this.home, ".config", "husk"), { recursive: true });
        if (rules !== "") writeFileSync(this.rules, rules);
        this.options = options;
        this.port = 0;
    }

    // At the port that it had, where it was there before.
    async start() {
        this.process = spawn(
            husk, ["serve", "--listen", `127.0.0.1:${this.port}`, "--cwd", this.work, ...this.options],
            { env: { PATH: process.env.PATH, HOME: this.home }, stdio: ["ignore", "pipe", "inherit"] });
        let said = "";
        this.process.stdout.on("data", (text) => { said += text; });
        this.ended = new Promise((resolve) => { this.process.on("exit", resolve); });
        await eventually("the link", () => {
            assert.equal(this.process.exitCode, null, "husk serve has ended");
            return /\/open\/\w+/.test(said);
        });
        this.port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(said)[1]);
        this.url = `http://127.0.0.1:${this.port}`;
        this.token = readFileSync(/the token is in (\S+)/.exec(said)[1], "utf8").trim();
        return this;
    }

    async end() {
        this.process.kill();
        await this.ended;
    }

    async ask(method, path, body) {
        const response = await fetch(this.url + path, {
            method, headers: { Authorization: `Bearer ${this.token}` }, body: body && JSON.stringify(body),
        });
        return response.json();
    }

    // Starts a command and does not wait for it; the call.
    begin(command, more = {}) {
        return this.ask("POST", "/v1/calls", { tool: "bash", arguments: { command, ...more }, wait: false });
    }

    // The call, when it is over.
    async run(command, more = {}) {
        return this.result(await this.begin(command, more));
    }

    result({ call_id }) {
        return eventually(`the end of ${call_id}`, async () => {
            const call = await this.ask("GET", `/v1/calls/${call_id}`);
            return call.ended !== null && call;
        });
    }

    // Commands of these tests wait for files, not for time.
    touch(name) {
        writeFileSync(join(this.work, name), "");
    }

    async stop() {
        const { shells } = await this.ask("GET", "/v1/shells?live=true");
        for (const { shell_id } of shells) await this.ask("POST", `/v1/shells/${shell_id}/kill`, { patience_ms: 0 });
        await this.end();
        rmSync(this.home, { recursive: true, force: true });
    }
}

// A page of the console, let in by a link. What it complains about, asks elsewhere, or pops up is kept.
class Watcher {
    constructor(server, context, page) {
        Object.assign(this, { server, context, page, troubles: [] });
        page.setDefaultTimeout(patience);
        page.on("pageerror", (error) => this.troubles.push(`error: ${error.message}`));
        page.on("console", (message) => {
            if (["error", "warning"].includes(message.type())) this.troubles.push(`said: ${message.text()}`);
        });
        page.on("dialog", (dialog) => { this.troubles.push("a dialog"); void dialog.dismiss(); });
        page.on("request", (request) => {
            const { origin, protocol } = new URL(request.url());
            if (protocol !== "data:" && origin !== server.url) this.troubles.push(`asked ${request.url()}`);
        });
        page.on("popup", () => this.troubles.push("a popup"));
    }

    row(text) {
        return this.page.locator(".list-row", { hasText: text });
    }

    async open(text) {
        await this.row(text).click();
    }

    badge(text) {
        return this.page.locator(".detail-head .badge", { hasText: text });
    }

    // The text of the rows that are made now.
    shown() {
        return this.page.locator(".rows-window").innerText();
    }

    async sees(text) {
        await this.page.locator(".row", { hasText: text }).first().waitFor();
    }

    // A page that was well-behaved to the end.
    async close() {
        assert.deepEqual(this.troubles, []);
        await this.context.close();
    }
}

let browser;
export async function watch(server, options = {}) {
    const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));
    assert.ok(program, "there is no chromium: apt-get install chromium");
    // The browser's own sandbox is not what is tested, and root has none.
    browser ??= await chromium.launch({ executablePath: program, timeout: patience,
                                        args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const page = await context.newPage();
    const watcher = new Watcher(server, context, page);
    const { url } = await server.ask("POST", "/v1/links");
    await page.goto(url);
    await page.locator(".link.live").waitFor();
    return watcher;
}

after(async () => { await browser?.close(); });
