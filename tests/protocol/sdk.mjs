// The official SDK's clients, of both eras, talk to the real program.
// Usage: node sdk.mjs DIRECTORY-WITH-NODE_MODULES HUSK
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makePlace } from './place.mjs';

const [modules, husk] = process.argv.slice(2);
const require = createRequire(join(modules, 'x'));
const place = makePlace('sdk', husk);
const { work, env } = place;
const rules = join(place.path, 'rules.yaml');
writeFileSync(rules, 'permissions:\n  ask: ["Bash(touch:*)"]\n');
const server = { command: husk, args: ['mcp', '--mode', 'open', '--cwd', work, '--config', rules], env };

// How clients reach it: a server of their own on standard input and output, or one for all over HTTP.
const ways = { stdio: ({ Stdio }) => new Stdio(server) };

async function serve() {
    const url = await place.serve(husk, 'serve', '--listen', '127.0.0.1:0', ...server.args.slice(1));
    const token = readFileSync(join(env.HUSK_STATE, 'http-token'), 'utf8').trim();
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    ways.http = ({ Http }) => new Http(new URL('/mcp', url), { requestInit });
}

// Until something holds; a test that waits for ever is ended by whoever runs it.
async function until(holds) {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

// A shell that is followed by its log, and has to end for that to be told.
async function follow(client, heard, follow_log) {
    const bash = (args) => client.callTool({ name: 'bash', arguments: args });
    const { structuredContent: { shell_id } } = await bash({ command: 'sleep 300', run_in_background: true });
    const uri = `husk://shells/${shell_id}/log`;
    const end = await follow_log(uri);
    await client.callTool({ name: 'bash_kill', arguments: { shell_id } });
    await until(() => heard.includes(uri));
    await end();
}

// What every client does with a server, whatever they say to each other.
async function converse(name, client, file, askedOnce) {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ['bash', 'bash_output', 'bash_wait', 'bash_kill', 'bash_list']);
    const bash = (args, options) => client.callTool({ name: 'bash', arguments: args }, ...options);

    const hi = await bash({ command: 'echo hi; exit 3' }, []);
    assert.deepEqual(hi.structuredContent, { exit_code: 3, output: 'hi\n' });

    const many = await Promise.all(
        Array.from({ length: 20 }, (_, i) => bash({ command: `sleep 0.1; echo ${i}` }, [])));
    many.forEach((one, i) => assert.equal(one.structuredContent.output, `${i}\n`));

    await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), /no tool/);

    const approved = await bash({ command: `touch ${file}` }, []);
    assert.equal(approved.structuredContent.exit_code, 0, name);
    assert.equal(askedOnce(), 1);
    assert.ok(existsSync(join(work, file)));

    const shell = await bash({ command: 'echo kept; sleep 300', run_in_background: true }, []);
    const uri = `husk://shells/${shell.structuredContent.shell_id}/log`;
    const { resources } = await client.listResources();
    assert.ok(resources.some((one) => one.uri === uri));
    await until(async () => (await client.readResource({ uri })).contents[0].text === 'kept\n');
    await client.callTool({ name: 'bash_kill', arguments: { shell_id: shell.structuredContent.shell_id } });
    return bash;
}

async function first(way) {
    const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport: Stdio } = require('@modelcontextprotocol/sdk/client/stdio.js');
    const { StreamableHTTPClientTransport: Http } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const types = require('@modelcontextprotocol/sdk/types.js');
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
    let asked = 0;
    client.setRequestHandler(types.ElicitRequestSchema, () => {
        ++asked;
        return { action: 'accept', content: {} };
    });
    await client.connect(ways[way]({ Stdio, Http }));
    assert.equal(client.getServerVersion().name, 'husk');
    await client.ping();
    const logged = [];
    const heard = [];
    client.setNotificationHandler(types.LoggingMessageNotificationSchema, ({ params }) => logged.push(params));
    client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, ({ params }) => heard.push(params.uri));
    await client.setLoggingLevel('warning');
    const bash = await converse(`first ${way}`, client, `by-first-${way}`, () => asked);

    // A client that gives up after six seconds in which it hears nothing, hears something.
    const told = [];
    const slow = await bash({ command: 'for i in {1..14}; do echo $i; sleep 0.5; done' }, [
        undefined, { timeout: 6000, resetTimeoutOnProgress: true, onprogress: (one) => told.push(one) }]);
    assert.equal(slow.structuredContent.exit_code, 0);
    assert.ok(told.length >= 1 && told.every((one, i) => i === 0 || one.progress > told[i - 1].progress));

    assert.deepEqual(logged, []);
    await bash({ command: 'git add -A' }, []);
    await until(() => logged.length > 0);
    assert.equal(logged[0].data.decision, 'deny');

    await follow(client, heard, async (uri) => {
        await client.subscribeResource({ uri });
        return () => client.unsubscribeResource({ uri });
    });

    const abort = new AbortController();
    setTimeout(() => abort.abort(), 300);
    await assert.rejects(bash({ command: 'sleep 300' }, [undefined, { signal: abort.signal }]));
    await client.close();
}

async function second(way, mode, file) {
    const { Client, StreamableHTTPClientTransport: Http } = require('@modelcontextprotocol/client');
    const { StdioClientTransport: Stdio } = require('@modelcontextprotocol/client/stdio');
    const client = new Client({ name: 'test', version: '1' },
        { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } });
    let asked = 0;
    client.setRequestHandler('elicitation/create', () => {
        ++asked;
        return { action: 'accept', content: {} };
    });
    await client.connect(ways[way]({ Stdio, Http }));
    await converse(`second ${way} ${JSON.stringify(mode)}`, client, `${file}-${way}`, () => asked);
    const heard = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => heard.push(params.uri));
    await follow(client, heard, async (uri) => {
        if (mode === 'legacy') {
            await client.subscribeResource({ uri });
            return () => client.unsubscribeResource({ uri });
        }
        const listening = await client.listen({ resourceSubscriptions: [uri] });
        assert.deepEqual(listening.honoredFilter, { resourceSubscriptions: [uri] });
        return () => listening.close();
    });
    await client.close();
}

try {
    await serve();
    for (const way of Object.keys(ways)) {
        await first(way);
        await second(way, 'legacy', 'by-second-legacy');
        await second(way, 'auto', 'by-second-auto');
        await second(way, { pin: '2026-07-28' }, 'by-second-pinned');
    }
} finally {
    await place.leave();
}
console.log('the clients of the SDK are content');
