import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readExecTaskOptions } from '../../../src/commands/tasks/execTaskOptions.ts';
import type { Container } from '../../../src/engine/model.ts';
import { ExecTaskRun } from '../../../src/tasks/execTaskRun.ts';
import { WorkTerminal } from '../../../src/tasks/workTerminal.ts';
import {
  openProjectLab,
  service as serviceOf,
  type ProjectLab,
} from '../commands/projects/support/projectLab.ts';
import { idOf } from '../inventory/support/nouns.ts';
import { json } from '../support/fakeEngine.ts';
import { HIDDEN } from '../support/hostile.ts';

describe('a task with a command in a container', () => {
  let lab: ProjectLab['lab'];
  let folder: string;
  let text: string;
  /** What was sent to run a process, and in which container. */
  let sent: (readonly [id: string, body: unknown])[];
  /** What the process writes. */
  let output: readonly (readonly [stream: 1 | 2, text: string | Buffer])[];

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'gantry-exec-task-')));
    writeFileSync(join(folder, 'compose.yaml'), 'name: shop');
    writeFileSync(join(folder, 'a.ts'), '');
    text = '';
    sent = [];
    output = [];
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  const web = (fields: object = {}, letter = 'a', labels = {}): Container => {
    const one = serviceOf(letter, 'web', '', { name: 'shop-web-1', state: 'running', ...fields });
    const files = { 'com.docker.compose.project.config_files': join(folder, 'compose.yaml') };
    return { ...one, labels: { ...one.labels, ...files, ...labels } };
  };

  /** Opens an engine whose processes write {@link output} and exit with code 3. */
  async function open(...containers: readonly Container[]): Promise<void> {
    const opened = await openProjectLab(containers, (engine) => (request, response) => {
      const { path, body } = request;
      const [, kind, id = '', operation] = path.split('/');
      const named = containers.find((one) => one.id === id || one.name === id);
      if (kind === 'containers' && operation === 'exec') {
        sent.push([id, JSON.parse(body)]);
        json(response, 201, { Id: idOf('e') });
      } else if (kind === 'exec' && operation === 'json') {
        json(response, 200, { Running: false, ExitCode: 3, Pid: 7 });
      } else if (kind === 'exec') {
        response.writeHead(200, { 'content-type': 'application/vnd.docker.raw-stream' });
        response.end(Buffer.concat(output.map(([stream, words]) => frame(stream, words))));
      } else if (kind === 'containers' && operation === 'json' && named) {
        json(response, 200, {
          Id: named.id,
          Name: `/${named.name}`,
          State: { Status: named.state, Running: named.state === 'running' },
          Mounts: [{ Type: 'bind', Source: folder, Destination: '/app' }],
        });
      } else void engine.answer(request, response);
    });
    ({ lab } = opened);
    lab.ui.folders = [folder];
  }

  const run = async (fields: object, where: string | undefined = folder): Promise<number> => {
    const options = readExecTaskOptions({
      type: 'gantry.exec',
      command: ['npm', 'test'],
      ...fields,
    });
    const terminal: WorkTerminal = new WorkTerminal(
      () => Promise.reject(new Error('not used')),
      String,
    );
    // oxlint-disable-next-line no-control-regex -- the look of our own messages
    terminal.screen.onDidWrite((part) => (text += part.replaceAll(/\x1b\[[02]m/g, '')));
    const { context } = lab;
    const { signal } = new AbortController();
    return new ExecTaskRun({ options, folder: where, context, terminal, signal }).run();
  };

  it('runs in the service of the workspace folder, and ends with the code', async () => {
    await open(web());
    const more = { user: '1', folder: '/app', env: ['A=b'] };
    assert.equal(await run({ service: 'web', ...more }), 3);
    const [[id, body] = []] = sent;
    const { Cmd, User, WorkingDir, Env, Tty, AttachStdin } = body as Record<string, unknown>;
    assert.deepEqual([id, Cmd, User, WorkingDir], [idOf('a'), ['npm', 'test'], '1', '/app']);
    assert.deepEqual([(Env as string[])[0], Tty, AttachStdin], ['A=b', false, false]);
    assert.equal(text, '> npm test (in shop-web-1)\r\n');
  });

  it('shows both streams, each with the paths of the workspace, also of incomplete characters', async () => {
    const letter = Buffer.from('ä');
    output = [
      [1, '/app/a'],
      [2, letter.subarray(0, 1)],
      [1, '.ts:1\n'],
      [2, letter.subarray(1)],
      [2, ' (/app/a.ts)\r\nend /app/a.ts'],
    ];
    await open(web());
    await run({ service: 'web' });
    const file = join(folder, 'a.ts');
    assert.ok(text.endsWith(`\r\n${file}:1\r\nä (${file})\r\nend ${file}`), text);
    text = '';
    await run({ service: 'web', mapPaths: false });
    assert.ok(text.includes('\r\n/app/a.ts:1\r\nä (/app/a.ts)\r\n'), text);
  });

  it('runs in the first running container of a service, which it says', async () => {
    const number = (at: string) => ({ 'com.docker.compose.container-number': at });
    await open(
      web({ name: 'shop-web-10' }, 'c', number('10')),
      web({ name: 'shop-web-2' }, 'b', number('2')),
      web({ state: 'exited' }, 'a', number('1')),
    );
    await run({ service: 'web' });
    assert.equal(sent[0]?.[0], idOf('b'));
    assert.match(text, /^The service web has 3 containers\. The command runs only in shop-web-2\./);
  });

  it('shows names as plain text', async () => {
    const name = 'x\u202e\x1b[31m\ny';
    await open(web({ name }), web({ name, state: 'exited' }, 'b'));
    await run({ service: 'web', project: 'shop' });
    assert.doesNotMatch(text.replaceAll('\r\n', ''), HIDDEN);
  });

  it('runs in a container by its name or ID', async () => {
    await open(web());
    for (const container of ['shop-web-1', idOf('a')]) await run({ container });
    assert.deepEqual(
      sent.map(([id]) => id),
      [idOf('a'), idOf('a')],
    );
  });

  const refused: readonly [
    what: string,
    containers: () => readonly Container[],
    fields: object,
    message: RegExp,
  ][] = [
    [
      'a service that does not run',
      () => [web({ state: 'exited' })],
      {},
      /^web is not running\. Start it first/,
    ],
    [
      'a service that is paused',
      () => [web({ state: 'paused' })],
      {},
      /^web is paused\. Unpause it first/,
    ],
    ['a service that does not exist', () => [web()], { service: 'db' }, /has no service db/],
    ['a project that does not exist', () => [], {}, /project shop does not exist/],
    [
      'a container that does not exist',
      () => [web()],
      { service: undefined, container: 'x' },
      /container x does not exist/,
    ],
    [
      'a container that does not run',
      () => [web({ state: 'exited' })],
      { service: undefined, container: 'shop-web-1' },
      /^shop-web-1 is not running/,
    ],
    [
      'a project of the same name from other files',
      () => [web({}, 'a', { 'com.docker.compose.project.config_files': '/other/compose.yaml' })],
      {},
      /created from other files\. To use it nevertheless, set "project"/,
    ],
    [
      'one of several projects from the same files',
      () => [
        web({}, 'a', { 'com.docker.compose.project': 'one' }),
        web({}, 'b', { 'com.docker.compose.project': 'two' }),
      ],
      {},
      /Several projects were created from these files: one, two\. Set "project"/,
    ],
  ];
  for (const [what, containers, fields, message] of refused) {
    it(`refuses ${what}`, async () => {
      await open(...containers());
      await assert.rejects(run({ service: 'web', ...fields }), { message });
      assert.deepEqual(sent, []);
    });
  }

  it('uses a project of other files if it is named', async () => {
    const other = { 'com.docker.compose.project.config_files': '/other/compose.yaml' };
    await open(web({}, 'a', other));
    assert.equal(await run({ service: 'web', project: 'shop' }), 3);
  });

  it('needs a compose file, a project or a container, and a workspace that is trusted', async () => {
    await open(web());
    rmSync(join(folder, 'compose.yaml'));
    await assert.rejects(run({ service: 'web' }), /no compose file\. Set "project" or "container"/);
    lab.ui.trusted = false;
    await assert.rejects(run({ container: 'shop-web-1' }), /Restricted Mode/);
    assert.deepEqual(sent, []);
  });
});

function frame(stream: 1 | 2, words: string | Buffer): Buffer {
  const bytes = Buffer.from(words as string);
  const head = Buffer.alloc(8);
  head[0] = stream;
  head.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}
