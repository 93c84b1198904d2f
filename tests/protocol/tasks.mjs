// Tasks, as the official clients understand them: those of the SDK in the form of 2025-11-25, and the package
// of the extension in both forms. Usage: node tasks.mjs DIRECTORY-WITH-NODE_MODULES HUSK
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makePlace } from './place.mjs';

const [modules, husk] = process.argv.slice(2);
const require = createRequire(join(modules, 'x'));
const extension = await import(pathToFileURL(
    join(modules, 'node_modules/@modelcontextprotocol/ext-tasks/dist/client/index.js')));
const place = makePlace('tasks', husk);
const flags = ['--mode', 'open', '--cwd', place.work];
const server = { command: husk, args: ['mcp', ...flags], env: place.env };
const command = 'sleep 1; echo as a task; exit 4';
const expected = { exit_code: 4, output: 'as a task\n' };

function check(result) {
    const { shell_id, ...rest } = result.structuredContent;
    assert.ok(shell_id);
    assert.deepEqual(rest, expected);
}

async function first() {
    const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
    const { CallToolResultSchema } = require('@modelcontextprotocol/sdk/types.js');
    const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
    await client.connect(new StdioClientTransport(server));
    await client.listTools();
    const { tasks } = client.experimental;
    const call = (text) =>
        tasks.callToolStream({ name: 'bash', arguments: { command: text } }, undefined, { task: { ttl: 60000 } });

    const came = [];
    for await (const message of call(command)) came.push(message);
    assert.equal(came[0].type, 'taskCreated');
    const { taskId } = came[0].task;
    assert.equal(came.at(-1).type, 'result', JSON.stringify(came.at(-1)));
    check(came.at(-1).result);
    assert.equal((await tasks.getTask(taskId)).status, 'completed');
    assert.ok((await tasks.listTasks()).tasks.some((task) => task.taskId === taskId));
    check(await tasks.getTaskResult(taskId, CallToolResultSchema));

    for await (const message of call('sleep 300')) {
        if (message.type !== 'taskCreated') continue;
        assert.equal((await tasks.cancelTask(message.task.taskId)).status, 'cancelled');
        assert.equal((await tasks.getTask(message.task.taskId)).status, 'cancelled');
        break;
    }
    await client.close();
}

// A client of the second SDK does the talking; what belongs to tasks goes past it, as the package wants it.
async function second(mode) {
    const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
    const url = new URL('/mcp', await place.serve(husk, 'serve', '--listen', '127.0.0.1:0', '--auth', 'none', ...flags));
    const clientInfo = { name: 'test', version: '1' };
    const clientCapabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const client = new Client(clientInfo, { capabilities: clientCapabilities, versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url));
    let sent = 0;
    const rawDispatch = async (request) => {
        const { method, params } = request;
        const answer = await fetch(url, {
            method: 'POST',
            headers: {
                'Content-Type': 'application/json', 'Accept': 'application/json, text/event-stream',
                'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, 'Mcp-Name': params.name ?? params.taskId,
            },
            body: JSON.stringify({ ...request, jsonrpc: '2.0', id: ++sent }),
        });
        const text = await answer.text(); // a stream, where it took a second to start
        const { result, error } = JSON.parse(text.startsWith('{') ? text : /^data: (\{.*)$/m.exec(text)[1]);
        return error ? { kind: 'error', error } : { kind: 'result', result };
    };
    const v2RequestFraming = { protocolVersion: '2026-07-28', clientInfo, clientCapabilities };
    const modern = mode === 'legacy' ? {} : { rawDispatch, v2RequestFraming };
    const session = extension.createTaskSessionFromClient(client, { endpointId: 'husk', ...modern });
    const { tools } = await client.listTools();
    const declaration = extension.toolDeclarationFromMcpTool(tools.find((tool) => tool.name === 'bash'));
    const execution = await session.callTool('bash', { command }, { declaration, task: { preference: 'prefer' } });
    const { outcome } = await execution.settle();
    check(extension.resultFromTaskOutcome(outcome));
    await session.close();
    await client.close();
}

try {
    await first();
    await second('legacy');
    await second({ pin: '2026-07-28' });
} finally {
    await place.leave();
}
console.log('the clients that know tasks are content');
