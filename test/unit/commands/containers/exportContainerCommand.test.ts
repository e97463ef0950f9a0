import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportContainerCommand } from '../../../../src/commands/containers/exportContainerCommand.ts';
import { writeTar } from '../../../../src/engine/archive/writeTar.ts';
import type { WorkNote } from '../../../../src/files/unfinishedWork.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { ESCAPE, file, give } from '../../support/scriptedUi.ts';

describe('exporting the file system of a container', () => {
  const web = container('a', { name: 'web' });
  let lab: CommandLab;
  let folder: string;
  /** What the engine sends, and whether it breaks off then. */
  let tar: Buffer;
  let isCut: boolean;
  let mounts: readonly object[];
  /** What is remembered in case that the window ends, and how much of it has ended. */
  let noted: WorkNote[];
  let ended: number;
  const path = (name: string): string => join(folder, name);

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-export-'));
    const chunks: Uint8Array[] = [];
    const entry = { kind: 'folder', permissions: 0o755, modifiedAt: 0 } as const;
    for await (const chunk of writeTar([{ ...entry, name: 'etc' }])) chunks.push(chunk);
    tar = Buffer.concat(chunks);
    isCut = false;
    mounts = [];
    noted = [];
    ended = 0;
    const begin = (note: WorkNote): Disposable => {
      noted.push(note);
      return { [Symbol.dispose]: () => void ended++ };
    };
    lab = await openCommandLab(
      (request, response) => {
        if (request.path === `/containers/${web.id}/json`)
          json(response, 200, { Id: web.id, Name: '/web', Mounts: mounts });
        else if (request.path === `/containers/${web.id}/export`) {
          response.writeHead(200, { 'content-type': 'application/octet-stream' });
          response.write(tar, () => (isCut ? response.destroy() : response.end()));
        } else json(response, 404, { message: 'No such container' });
      },
      { window: { work: { begin } } },
    );
    lab.list([web]);
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await lab.close();
  });

  const call = (argument: object): Promise<unknown> =>
    lab.call(exportContainerCommand(), { id: web.id, ...argument });

  it('writes the tar as it is, and replaces a file only if that is asked for', async () => {
    const to = path('web.tar');
    assert.deepEqual(await call({ path: to }), { path: to, size: tar.length });
    assert.deepEqual(readFileSync(to), tar);
    writeFileSync(to, 'old');
    await assert.rejects(call({ path: to }), /already exists and was not changed/);
    assert.equal(readFileSync(to, 'utf8'), 'old');
    await call({ path: to, overwrite: true });
    assert.deepEqual(readFileSync(to), tar);
    assert.deepEqual(lab.ui.shown, []);
  });

  it('leaves nothing of a tar that ends too early, whether or not the connection does', async () => {
    for (const [isBroken, end] of [
      [false, tar.length - 1024],
      [false, 700],
      [true, 512],
    ] as const) {
      isCut = isBroken;
      tar = tar.subarray(0, end);
      await assert.rejects(call({ path: path('web.tar') }), /Could not export the file system/);
      assert.deepEqual(readdirSync(folder), [], String(end));
    }
  });

  it('rejects a relative path before it asks the engine, and a container that is not there', async () => {
    await assert.rejects(call({ path: 'web.tar' }), /"web.tar" is not an absolute file path/);
    assert.deepEqual(lab.engine.seen, []);
    const missing = lab.call(exportContainerCommand(), { id: idOf('9'), path: path('x') });
    await assert.rejects(missing, /Could not export the file system: .*No such container/i);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('names what is mounted before, and asks nothing if nothing is', async () => {
    mounts = [
      { Type: 'volume', Name: 'db', Destination: '/data' },
      { Type: 'bind', Source: '/home/me', Destination: '/src\u202e\nx' },
    ];
    assert.equal(await lab.run(exportContainerCommand(), containerRow(web)), undefined);
    const [, question] = lab.ui.shown;
    assert.equal(question?.text, 'Export the file system of web without mounts?');
    assert.match(question.detail ?? '', /not have what is mounted: \/data, \/src\S* ?x\.$/);
    lab.ui.act(give('Export'), ESCAPE);
    assert.equal(await lab.run(exportContainerCommand(), containerRow(web)), undefined);
    assert.deepEqual(readdirSync(folder), []);
    mounts = [];
    lab.ui.shown.length = 0;
    lab.ui.act(give(file(path('web.tar'))));
    await lab.run(exportContainerCommand(), containerRow(web));
    const kinds = lab.ui.shown.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['progress', 'saveDialog', 'progress', 'info']);
    assert.equal(lab.ui.of('saveDialog')[0]?.detail, 'web.tar');
    assert.match(lab.ui.of('progress')[1]?.reports?.at(-1)?.message ?? '', /\d (?:B|kB)/);
    assert.match(lab.ui.of('info')[0]?.text ?? '', /^Exported web \(.*\) to .*web\.tar\.$/);
    assert.deepEqual(readFileSync(path('web.tar')), tar);
  });

  it('ends with Cancel, and leaves nothing', async () => {
    tar = Buffer.concat([tar.subarray(0, 512)]);
    lab.engine.answer((request, response) => {
      if (request.path.endsWith('/json')) json(response, 200, { Id: web.id, Name: '/web' });
      else {
        response.writeHead(200, { 'content-type': 'application/octet-stream' });
        response.write(tar, () => lab.ui.cancel());
      }
    });
    lab.ui.act(give(file(path('web.tar'))));
    assert.equal(await lab.run(exportContainerCommand(), containerRow(web)), undefined);
    assert.deepEqual(lab.ui.of('error'), []);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('is remembered while it runs', async () => {
    await call({ path: path('web.tar') });
    const argument = { id: web.id, path: path('web.tar'), overwrite: false, engine: 'Docker' };
    const [{ kind, again } = {}] = noted;
    assert.deepEqual(
      { kind, again },
      { kind: 'export', again: { command: 'gantry.containers.export', argument } },
    );
    assert.equal(ended, 1);
  });
});
