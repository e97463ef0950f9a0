import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { topCommand } from '../../../../src/commands/containers/topCommand.ts';
import { container } from '../../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';

/** Answers to `_ping`. */
const PODMAN: Answer = (_, response) => {
  response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '4.3.1' });
  response.end('OK');
};

describe('listing the processes of a container', () => {
  const web = container('a', { name: 'web' });
  let lab: CommandLab;
  let state: string;
  /** The status and body of each list, in order. */
  let lists: (readonly [status: number, body: unknown])[];

  beforeEach(async () => {
    state = 'running';
    lists = [];
    lab = await openCommandLab(({ path }, response) => {
      const State = { Status: state, Running: state !== 'exited' };
      if (path.endsWith('/json')) {
        json(response, 200, { Id: web.id, Name: '/web', State });
        return;
      }
      const [status, body] = lists.shift() ?? assert.fail(path);
      if (body === undefined) response.writeHead(status).end();
      else json(response, status, body);
    });
  });
  afterEach(() => lab.close());

  const top = (): Promise<unknown> => lab.call(topCommand(), { id: web.id });
  const asked = (): readonly string[] =>
    lab.engine.seen.map(({ path, query }) => `${path}?${query.toString()}`);

  it('reads columns by their titles, and one odd value spoils only itself', async () => {
    const Titles = ['RSS', 'PPID', 'PID', '%CPU', 'USER', 'COMMAND', 'NEW'];
    const Processes = [
      ['1000', '1', '20', '1.5', 'me', 'sh -c  "a\nb"', 'x'],
      ['12m', '-', 'x', 'nan', '', 'y'.repeat(9000)],
      'odd',
    ];
    lists = [[200, { Titles, Processes }]];
    const { processes } = (await top()) as { processes: readonly Record<string, unknown>[] };
    const [first, second, third] = processes;
    assert.deepEqual(first, {
      ...{ hostPid: 20, parent: 1, user: 'me', cpuPercent: 1.5, memoryBytes: 1_024_000 },
      command: 'sh -c  "a b"',
    });
    assert.deepEqual(Object.keys(second ?? {}), ['user', 'command']);
    assert.ok(String(second?.['command']).length <= 4097);
    assert.deepEqual(third, { user: '', command: '' });
    const columns = 'ps_args=-eo+pid%2Cppid%2Cpcpu%2Crss%2Cuser%3A32%2Cargs';
    assert.deepEqual(asked(), [`/containers/${web.id}/top?${columns}`]);
  });

  it('takes the columns that a smaller ps has', async () => {
    const Titles = ['UID', 'PID', 'PPID', 'CMD'];
    lists = [
      [500, { message: 'ps: bad -o argument' }],
      [200, { Titles, Processes: [['root', '20', '1', 'sleep 9']] }],
    ];
    const expected = { hostPid: 20, parent: 1, user: 'root', command: 'sleep 9' };
    assert.deepEqual(await top(), { processes: [expected] });
  });

  it('asks Podman itself, which knows both IDs', async () => {
    lab.engine.ping(PODMAN);
    const Titles = ['PID', 'HPID', 'PPID', '%CPU', 'RSS', 'USER', 'COMMAND'];
    lists = [[200, { Titles, Processes: [['1', '73', '0', '0.000', '1516', 'root', 'sleep 9']] }]];
    const numbers = { pid: 1, hostPid: 73, parent: 0, cpuPercent: 0, memoryBytes: 1516 * 1024 };
    const expected = { ...numbers, user: 'root', command: 'sleep 9' };
    assert.deepEqual(await top(), { processes: [expected] });
    const descriptors = 'stream=false&ps_args=pid%2Chpid%2Cppid%2Cpcpu%2Crss%2Cuser%2Cargs';
    assert.deepEqual(asked(), [`/libpod/containers/${web.id}/top?${descriptors}`]);
  });

  it('says in one sentence why there are none', async () => {
    const noPs = { message: 'ps: exec: "ps": executable file not found in $PATH' };
    lists = [
      [500, noPs],
      [500, noPs],
    ];
    await assert.rejects(
      top(),
      /Docker lists processes with the program ps of its machine\. .*PATH/,
    );
    state = 'exited';
    lists = [[409, { message: 'container is not running' }]];
    await assert.rejects(top(), /: web is not running\.$/);
    lists = [[404, { message: 'no such container' }]];
    await assert.rejects(top(), /no such container/i);
  });

  it('says that Podman lists none of a paused container', async () => {
    lab.engine.ping(PODMAN);
    state = 'paused';
    for (const answer of [
      [200, undefined],
      [500, { message: 'top can only be used on running containers' }],
    ] as const) {
      lists = [answer];
      await assert.rejects(top(), /: web is paused\. Podman lists/);
    }
  });
});
