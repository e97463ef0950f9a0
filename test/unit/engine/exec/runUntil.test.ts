import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { runUntil } from '../../../../src/engine/exec/runUntil.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, when, type Lab } from '../../support/lab.ts';

describe('runUntil', () => {
  let lab: Lab;
  let sockets: Socket[];
  /** The commands that were run. */
  let commands: string[][];
  let state: object;
  beforeEach(() => {
    lab = openLab();
    sockets = [];
    commands = [];
    state = { Running: true };
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await lab.close();
  });

  /** Runs a process whose output does not end. Other processes cannot be run. */
  async function run(url?: string, signal?: AbortSignal): Promise<[object, string]> {
    const { connection } = await lab.fake(({ path, body }, response) => {
      if (path.endsWith('/exec')) {
        commands.push((JSON.parse(body) as { Cmd: string[] }).Cmd);
        if (commands.length > 1) json(response, 409, { message: 'is paused' });
        else json(response, 201, { Id: idOf('e') });
      } else if (path.endsWith('/json')) json(response, 200, state);
      else {
        if (response.socket) sockets.push(response.socket);
        response.writeHead(200);
        response.write(Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, 2]), Buffer.from('hi')]));
      }
    });
    const endpoint = { ...connection.endpoint, ...(url !== undefined && { url }) };
    Object.defineProperty(connection, 'endpoint', { value: endpoint });
    let text = '';
    const onOutput = (_: string, bytes: Uint8Array): void => {
      text += Buffer.from(bytes).toString();
    };
    const spec = { command: ['cat'], hasTty: false, onOutput };
    const end = await runUntil(connection, idOf('a'), spec, signal);
    return [end, text];
  }

  it('asks the engine for the exit over a named pipe, where the output does not end', async () => {
    state = { Running: false, ExitCode: 3 };
    const end = { kind: 'exited', exitCode: 3, isWhole: true };
    assert.deepEqual(await run('npipe:////./pipe/docker_engine'), [end, 'hi']);
  });

  it('reports a process as running if nothing can be run beside it', async () => {
    const controller = new AbortController();
    const end = run(undefined, controller.signal);
    await when(() => sockets.length === 1);
    controller.abort();
    assert.deepEqual(await end, [{ kind: 'running' }, 'hi']);
    assert.deepEqual(commands[1]?.slice(0, 2), ['sh', '-c']);
  });
});
