// A place of a test's own: a directory to work in, a state directory, and servers on loopback.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function makePlace(name, husk) {
    const path = mkdtempSync(join(tmpdir(), `husk-${name}-`));
    const work = join(path, 'work');
    mkdirSync(work);
    const env = { ...process.env, HUSK_STATE: join(path, 'state'), XDG_CONFIG_HOME: join(path, 'config') };
    delete env.HUSK_CONFIG;
    const servers = [];
    const run = (...args) => execFileSync(husk, args, { env, encoding: 'utf8', maxBuffer: 1 << 28 });

    // Starts a program that says where it listens; its address, when it does.
    function serve(program, ...args) {
        const server = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
        servers.push(server);
        return new Promise((resolve, reject) => {
            let said = '';
            server.stdout.on('data', (text) => {
                said += text;
                const url = said.match(/listening on (\S+)\n/)?.[1];
                if (url) resolve(url);
            });
            server.on('exit', () => reject(new Error(`${program} ended before it listened: ${said}`)));
        });
    }

    const sessions = () => JSON.parse(run('session', 'list', '--json')).sessions;

    // One that ended of itself meanwhile is no failure.
    function endSession(id) {
        try {
            run('session', 'end', id);
        } catch (failure) {
            if (sessions().some((one) => one.id === id)) throw failure;
        }
    }

    // Leaves nothing behind that runs.
    async function leave() {
        for (const server of servers) {
            if (server.exitCode !== null || server.signalCode !== null) continue;
            server.removeAllListeners('exit');
            const ended = new Promise((resolve) => server.on('exit', resolve));
            server.kill();
            await ended;
        }
        for (const { id } of sessions()) endSession(id);
        rmSync(path, { recursive: true, force: true });
    }
    return { path, work, env, run, serve, leave };
}
