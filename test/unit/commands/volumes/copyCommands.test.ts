import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { FilesAccess } from '../../../../src/commands/frame/commandContext.ts';
import { createVolumeCommand } from '../../../../src/commands/volumes/createVolumeCommand.ts';
import { cloneVolumeCommand } from '../../../../src/commands/volumes/cloneVolumeCommand.ts';
import { emptyVolumeCommand } from '../../../../src/commands/volumes/emptyVolumeCommand.ts';
import { exportVolumeCommand } from '../../../../src/commands/volumes/exportVolumeCommand.ts';
import { importVolumeCommand } from '../../../../src/commands/volumes/importVolumeCommand.ts';
import { writeTar, type NewEntry } from '../../../../src/engine/archive/writeTar.ts';
import { VolumeContainers } from '../../../../src/engine/volumes/volumeContainers.ts';
import type { FileRoot } from '../../../../src/files/fileRoot.ts';
import { VolumeNode } from '../../../../src/views/volumes/volumeNode.ts';
import { container, idOf, volume } from '../../inventory/support/nouns.ts';
import { ENGINE, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json, type SeenRequest } from '../../support/fakeEngine.ts';
import { rawTar } from '../../support/oddTars.ts';
import { ESCAPE, file, give } from '../../support/scriptedUi.ts';

const OWNER = 'aaaaaaaaaaaa-1-bbbbbbbb';

async function tarOf(...entries: readonly Partial<NewEntry>[]): Promise<Buffer> {
  const own = { kind: 'folder', permissions: 0o755, modifiedAt: 0, name: 'x' } as const;
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeTar(entries.map((one) => ({ ...own, ...one }))))
    chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('commands/volumes: copies', () => {
  let lab: CommandLab;
  let folder: string;
  let files: Buffer;
  /** Names of the volumes, and those that have files. */
  let volumes: Set<string>;
  let filled: Set<string>;
  /** The labels of each volume that was created. */
  let labels: Map<string, object>;
  /** When each volume was created, and the options of its driver. */
  let createdAt: string;
  let options: Readonly<Record<string, string>>;
  /** What was refreshed in the Files view. */
  let refreshed: FileRoot[];
  /** Returns true if it answers a request itself. */
  let fault: (request: SeenRequest, response: ServerResponse) => boolean;
  const path = (name: string): string => join(folder, name);

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-volumes-'));
    files = await tarOf({ name: './', permissions: 0o1750, uid: 5, gid: 6 }, { name: './conf' });
    volumes = new Set(['data', 'used']);
    filled = new Set(['data', 'used']);
    labels = new Map();
    createdAt = '2026-01-01T00:00:00Z';
    options = { o: 'x' };
    refreshed = [];
    fault = () => false;
    lab = await openCommandLab(
      (request, response) => {
        if (!fault(request, response)) answer(request, response);
      },
      {
        window: {
          files: () =>
            Promise.resolve({
              volumes: new VolumeContainers(OWNER),
              all: { refresh: (root: FileRoot) => refreshed.push(root) },
            } as unknown as FilesAccess),
        },
      },
    );
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await lab.close();
  });

  function answer({ method, path, body }: SeenRequest, response: ServerResponse): void {
    const name = path.replace('/volumes/', '');
    const given = (body.startsWith('{') ? JSON.parse(body) : {}) as {
      readonly Name?: string;
      readonly Labels?: object;
      readonly HostConfig?: { readonly Binds: readonly string[] };
    };
    if (path === '/volumes/create') {
      const { Name = '', Labels = {} } = given;
      volumes.add(Name);
      if (!labels.has(Name)) labels.set(Name, Labels);
      json(response, 201, {
        Name,
        Driver: 'local',
        Labels: labels.get(Name),
        CreatedAt: createdAt,
      });
    } else if (path === '/containers/create')
      json(response, 201, {
        Id: given.HostConfig?.Binds[0]?.startsWith('data:') ? idOf('a') : idOf('b'),
      });
    else if (path === '/containers/json')
      json(response, 200, [
        {
          Id: idOf('c'),
          Names: ['/web'],
          State: 'exited',
          Mounts: [{ Type: 'volume', Name: 'used', Destination: '/d' }],
        },
      ]);
    else if (path.startsWith('/containers/'))
      answerFiles(method, path.includes(idOf('a')) && filled.has('data'), response);
    else if (!volumes.has(name)) json(response, 404, { message: 'no such volume' });
    else if (method === 'GET')
      json(response, 200, {
        ...{ Name: name, Driver: 'local', Options: options, CreatedAt: createdAt },
        Labels: labels.get(name),
      });
    else if (name === 'used') json(response, 409, { message: 'volume is in use' });
    else {
      volumes.delete(name);
      labels.delete(name);
      filled.delete(name);
      response.writeHead(204).end();
    }
  }

  function answerFiles(method: string, hasFiles: boolean, response: ServerResponse): void {
    response.writeHead(method === 'DELETE' ? 204 : 200, { 'content-type': 'application/x-tar' });
    response.end(method === 'GET' ? (hasFiles ? files : Buffer.alloc(1024)) : undefined);
  }

  const row = (name: string): VolumeNode => new VolumeNode(ENGINE, volume(name));
  const sent = (): readonly string[] =>
    lab.engine.seen
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`);

  it('export to a file that is complete or not there', async () => {
    const command = exportVolumeCommand(lab.ui);
    const plain = path('plain.tar');
    await lab.call(command, { name: 'data', path: plain, allowLoss: true });
    assert.deepEqual(readFileSync(plain), files);
    rmSync(plain);
    const to = path('data.tar.gz');
    const done = (await lab.call(command, { name: 'data', path: to })) as { size: number };
    assert.equal(done.size, readFileSync(to).length);
    assert(files.equals(gunzipSync(readFileSync(to))));
    await assert.rejects(lab.call(command, { name: 'data', path: to }), /already exists/);
    await lab.call(command, { name: 'data', path: to, overwrite: true });
    files = files.subarray(0, 700);
    await assert.rejects(lab.call(command, { name: 'data', path: path('cut.tar.gz') }));
    assert.deepEqual(readdirSync(folder), ['data.tar.gz']);
    await assert.rejects(lab.call(command, { name: 'no', path: path('no') }), /Could not export/);
    await assert.rejects(lab.call(command, { name: 'data', path: 'x' }), /absolute file path/);
  });

  /** Sends the files of `data` without an end, and like Docker, removes their container only after the reader left. */
  function sendWithoutEnd(): Promise<unknown> {
    const closed = Promise.withResolvers<unknown>();
    fault = ({ method, path }, response) => {
      const isExport = path === '/libpod/volumes/data/export';
      if (!isExport && !path.startsWith(`/containers/${idOf('a')}`)) return false;
      if (method === 'GET') {
        response.on('close', closed.resolve);
        response.writeHead(200, { 'content-type': 'application/x-tar' }).write(files);
      } else void closed.promise.then(() => response.writeHead(204).end());
      return true;
    };
    return closed.promise;
  }

  it('end if they fail before they read the files', async () => {
    const to = path('there');
    writeFileSync(to, '');
    const closed = sendWithoutEnd();
    const saving = lab.call(exportVolumeCommand(lab.ui), { name: 'data', path: to });
    await assert.rejects(saving, /already exists/);
    await closed;
    void sendWithoutEnd();
    const send = fault;
    fault = (request, response) => {
      const isOfCopy = request.path === '/containers/create' && request.body.includes('copy:');
      if (isOfCopy) json(response, 500, { message: 'no space left' });
      return isOfCopy || send(request, response);
    };
    const cloning = lab.call(cloneVolumeCommand(), { name: 'data', to: 'copy' });
    await assert.rejects(cloning, /no space left/);
    assert(!volumes.has('copy'));
  });

  it('close what Podman exports if it cannot be written', async () => {
    lab.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.8.6' }).end('OK');
    });
    writeFileSync(path('there'), '');
    const closed = sendWithoutEnd();
    const saving = lab.call(exportVolumeCommand(lab.ui), { name: 'data', path: path('there') });
    await assert.rejects(saving, /already exists/);
    await closed;
  });

  it('look a volume up once before they act', async () => {
    const looks = async (work: () => Promise<unknown>, ...names: readonly string[]) => {
      const from = lab.engine.seen.length;
      await work();
      const seen = lab.engine.seen.slice(from);
      const acts = seen.findIndex(({ method }) => method !== 'GET');
      return seen.slice(0, acts).filter(({ path }) => names.includes(path.replace('/volumes/', '')))
        .length;
    };
    const saved = { name: 'data', path: path('once.tar.gz') };
    const call = (command: Parameters<typeof lab.call>[0], args: object) => () =>
      lab.call(command, args);
    assert.equal(await looks(call(exportVolumeCommand(lab.ui), saved), 'data'), 1);
    const copied = { name: 'data', to: 'data2' };
    assert.equal(await looks(call(cloneVolumeCommand(), copied), 'data'), 1);
    const into = { ...saved, overwrite: true };
    assert.equal(await looks(call(importVolumeCommand(), into), 'data'), 1);
  });

  it('export for the user, who learns that a running container may write', async () => {
    const mounts = [{ type: 'volume', volume: 'data', path: '/data', isReadOnly: false }];
    lab.list([container('a', { name: 'web', mounts })]);
    const uri = { scheme: 'file', path: path('x'), fsPath: path('x'), toString: () => '' };
    lab.ui.act(give('Export'), give(uri));
    await lab.run(exportVolumeCommand(lab.ui), row('data'));
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.text, 'Export data?');
    assert.match(
      question.detail ?? '',
      /^Running containers may write files during the copy: web\./,
    );
    const [dialog] = lab.ui.of('saveDialog');
    assert.equal(dialog?.detail, 'data.tar.gz');
    assert.equal(dialog.text, 'Export data. User extended attributes (user.*) are not copied.');
    assert.match(lab.ui.of('info')[0]?.text ?? '', /^Exported data \(.*\) to /);
    const saving = lab.ui.of('progress').find(({ text }) => text === 'Exporting data');
    assert((saving?.reports?.length ?? 0) > 0);
    lab.ui.act(give(undefined));
    assert.equal(await lab.run(exportVolumeCommand(lab.ui), row('data')), undefined);
  });

  for (const [verb, commandOf] of Object.entries({
    empty: emptyVolumeCommand,
    clone: cloneVolumeCommand,
    export: exportVolumeCommand,
  })) {
    it(`${verb} nothing if the user cancels before the question`, async () => {
      fault = (_, response) => {
        lab.ui.cancel();
        response.destroy();
        return true;
      };
      assert.equal(await lab.run(commandOf(lab.ui), row('data')), undefined);
      assert.deepEqual(
        lab.ui.shown.map(({ kind, text }) => [kind, text]),
        [['progress', 'Inspecting data']],
      );
    });
  }

  it('export and clone nothing if the volume was replaced while a dialog was open', async () => {
    const uri = { scheme: 'file', path: path('x'), fsPath: path('x'), toString: () => '' };
    writeFileSync(path('x'), 'before');
    const replace = (answer: unknown) => () => {
      options = { o: `${options['o']}x` };
      return answer as never;
    };
    lab.ui.act(replace(uri));
    assert.equal(await lab.run(exportVolumeCommand(lab.ui), row('data')), undefined);
    assert.equal(readFileSync(path('x'), 'utf8'), 'before');
    lab.ui.act(replace('other'));
    assert.equal(await lab.run(cloneVolumeCommand(), row('data')), undefined);
    const errors = lab.ui.of('error').map(({ text }) => text);
    assert.equal(errors.length, 2);
    for (const text of errors) assert.match(text, /The volume was replaced in the meantime/);
    assert.deepEqual(sent(), []);
    assert.deepEqual([readdirSync(folder), volumes.has('other')], [['x'], false]);
  });

  it('import into a new volume, and restore the owner of its folder', async () => {
    writeFileSync(path('in.tar.gz'), gzipSync(files));
    const command = importVolumeCommand();
    const done = await lab.call(command, { name: 'new', path: path('in.tar.gz') });
    assert.deepEqual(done, { entries: 1, bytes: 0, lost: [] });
    const writes = lab.engine.seen.filter(({ method }) => method === 'PUT');
    assert.deepEqual(
      writes.map(({ query }) => query.get('path')),
      ['/volume', '/'],
    );
    assert(volumes.has('new'));
  });

  it('import over files only if allowed, and never from a broken file', async () => {
    const command = importVolumeCommand();
    writeFileSync(path('in.tar'), files);
    writeFileSync(path('cut.tar'), files.subarray(0, 700));
    writeFileSync(path('cut.tar.gz'), gzipSync(files).subarray(0, -20));
    writeFileSync(path('out.tar'), await tarOf({ name: 'a/../../etc' }));
    const given = { name: 'data', overwrite: true };
    for (const bad of ['cut.tar', 'cut.tar.gz'])
      await assert.rejects(lab.call(command, { ...given, path: path(bad) }), /not a complete tar/);
    await assert.rejects(
      lab.call(command, { ...given, path: path('out.tar') }),
      /outside the volume/,
    );
    await assert.rejects(lab.call(command, { ...given, path: path('none') }), /not found/);
    assert.deepEqual(sent(), []);
    const plain = { name: 'data', path: path('in.tar') };
    await assert.rejects(lab.call(command, plain), /The volume data has files/);
    await lab.call(command, { ...given, ...plain });
    assert(sent().includes('DELETE /volumes/data'));
  });

  it('leave a volume as it is if the archive was changed during the question', async () => {
    writeFileSync(path('in.tar'), files);
    lab.ui.act(give([file(path('in.tar'))]), () => {
      writeFileSync(path('in.tar'), files.subarray(0, 700));
      return 'Replace';
    });
    await lab.run(importVolumeCommand(), row('data'));
    const message = 'Could not import into the volume. The file was changed in the meantime.';
    assert.equal(lab.ui.of('error')[0]?.text, `${message} Select it again.`);
    assert(!sent().includes('DELETE /volumes/data'));
    assert(filled.has('data'));
  });

  it('leave a volume as it is if the archive is of a kind that engines refuse', async () => {
    writeFileSync(path('in.tar'), rawTar({ name: 'disk.img', type: 'S' }));
    const given = { name: 'data', path: path('in.tar'), overwrite: true };
    const why = 'Engines do not extract disk.img, a sparse file of GNU tar.';
    await assert.rejects(lab.call(importVolumeCommand(), given), ({ message }: Error) =>
      message.endsWith(`${why} Use tar --format=posix.`),
    );
    assert.deepEqual(sent(), []);
  });

  it('import nothing into a volume that another client filled after it was emptied', async () => {
    writeFileSync(path('in.tar'), files);
    fault = (request, response) => {
      if (request.path !== '/volumes/create') return false;
      answer(request, response);
      filled.add('data');
      return true;
    };
    const given = { name: 'data', path: path('in.tar'), overwrite: true };
    await assert.rejects(
      lab.call(importVolumeCommand(), given),
      /Another client created the volume data again in the meantime. Its files were kept./,
    );
    assert(!sent().some((one) => one.startsWith('PUT')));
  });

  it('import nothing into a volume without files that was filled or replaced since', async () => {
    writeFileSync(path('in.tar'), files);
    const given = { name: 'data', path: path('in.tar') };
    const replace = () => labels.set('data', { other: '' });
    for (const [change, message] of [
      [() => filled.add('data'), /data got files in the meantime. Nothing was changed./],
      [replace, /The volume was replaced in the meantime. Nothing was changed./],
    ] as const) {
      filled.delete('data');
      let looks = 0;
      fault = ({ method, path }) => {
        // After the first look.
        if (method === 'DELETE' && path.startsWith('/containers/') && ++looks === 1) change();
        return false;
      };
      await assert.rejects(lab.call(importVolumeCommand(), given), message);
    }
    assert(!sent().some((one) => one.startsWith('PUT')));
  });

  it('have the files read again after an import, also a failed one, and after a volume was emptied', async () => {
    writeFileSync(path('in.tar'), files);
    const data = { engine: ENGINE, kind: 'volume', id: 'data', name: 'data' };
    await lab.call(exportVolumeCommand(lab.ui), { name: 'data', path: path('out.tar.gz') });
    assert.deepEqual(refreshed, []);
    await lab.call(emptyVolumeCommand(lab.ui), { name: 'data' });
    assert.deepEqual(refreshed, [data]);
    const into = { name: 'data', path: path('in.tar') };
    await lab.call(importVolumeCommand(), into);
    assert.deepEqual(refreshed, [data, data]);
    fault = ({ method }, response) => {
      if (method === 'PUT') json(response, 500, { message: 'no space left' });
      return method === 'PUT';
    };
    await assert.rejects(lab.call(importVolumeCommand(), into), /no space left/);
    assert.deepEqual(refreshed, [data, data, data]);
  });

  it('report that a volume is incomplete, or remove the new one, if an import breaks off', async () => {
    writeFileSync(path('in.tar'), files);
    fault = ({ method }, response) => {
      if (method === 'PUT') json(response, 500, { message: 'no space left' });
      return method === 'PUT';
    };
    const command = importVolumeCommand();
    await assert.rejects(
      lab.call(command, { name: 'data', path: path('in.tar'), overwrite: true }),
      /The volume data is incomplete\. Remove it, or try again\. no space left/,
    );
    await assert.rejects(lab.call(command, { name: 'new', path: path('in.tar') }), /no space left/);
    assert.deepEqual([...volumes].sort(), ['data', 'used']);
  });

  it('report before a clone that extended attributes are not copied', async () => {
    await lab.run(cloneVolumeCommand(), row('data'));
    assert.equal(
      lab.ui.of('input')[0]?.detail,
      'Name of the new volume. User extended attributes (user.*) are not copied.',
    );
    assert.deepEqual(sent(), []);
  });

  it('clone to a new volume, which is removed after a failure', async () => {
    const command = cloneVolumeCommand();
    const done = await lab.call(command, { name: 'data', to: 'copy' });
    assert.deepEqual(done, { name: 'copy', entries: 1, bytes: 0, lost: ['xattrs'] });
    await assert.rejects(lab.call(command, { name: 'data', to: 'copy' }), /copy already exists/);
    await assert.rejects(
      lab.call(command, { name: 'data', to: 'a b' }),
      /is not a valid volume name/,
    );
    fault = ({ method }, response) => {
      if (method === 'PUT') json(response, 500, { message: 'no space left' });
      return method === 'PUT';
    };
    await assert.rejects(lab.call(command, { name: 'data', to: 'other' }), /no space left/);
    assert.deepEqual([...volumes].sort(), ['copy', 'data', 'used']);
  });

  it('report that Podman does not export the owner and mode of the root folder', async () => {
    lab.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.8.6' }).end('OK');
    });
    files = await tarOf({ name: 'conf' });
    fault = ({ path, method }, response) => {
      if (!path.startsWith('/libpod/')) return false;
      response.writeHead(200, { 'content-type': 'application/x-tar' });
      response.end(method === 'GET' ? files : undefined);
      return true;
    };
    const lost = ['rootOwner'];
    const cloned = await lab.call(cloneVolumeCommand(), { name: 'data', to: 'copy' });
    assert.deepEqual(cloned, { name: 'copy', entries: 1, bytes: 0, lost });
    const to = { name: 'data', path: path('data.tar.gz') };
    const exported = (await lab.call(exportVolumeCommand(lab.ui), to)) as { lost: unknown };
    assert.deepEqual(exported.lost, lost);
    const imported = await lab.call(importVolumeCommand(), { ...to, name: 'new' });
    assert.deepEqual(imported, { entries: 1, bytes: 0, lost });
    lab.ui.act(give('copy2'));
    await lab.run(cloneVolumeCommand(), row('data'));
    const why = "The owner and mode of the volume's root folder were not kept.";
    assert.equal(lab.ui.of('info').at(-1)?.text, `Cloned data to copy2. ${why}`);
  });

  it('import nothing into a volume of which the engine sends nothing', async () => {
    writeFileSync(path('in.tar'), files);
    fault = ({ method, path }, response) => {
      if (method !== 'GET' || !path.endsWith('/archive')) return false;
      response.writeHead(200, { 'content-type': 'application/x-tar' }).end();
      return true;
    };
    const into = { name: 'data', path: path('in.tar') };
    await assert.rejects(lab.call(importVolumeCommand(), into));
    assert(!sent().some((one) => one.startsWith('PUT')));
  });

  it('empty a volume with the same options, after a confirmation that announces it', async () => {
    const command = emptyVolumeCommand(lab.ui);
    lab.ui.act(give('Empty'));
    assert.deepEqual(await lab.run(command, row('data')), { outcome: 'emptied' });
    assert.match(lab.ui.of('confirm')[0]?.detail ?? '', /removed and created again/);
    const [made] = lab.engine.seen.filter(({ path }) => path === '/volumes/create');
    assert.deepEqual(JSON.parse(made?.body ?? ''), {
      ...{ Name: 'data', Driver: 'local', Labels: {}, DriverOpts: { o: 'x' } },
    });
    await assert.rejects(lab.call(command, { name: 'used' }), /Containers use it: web/);
  });

  it('empty a volume that a container writes to during the question, unless it was replaced', async () => {
    const whileAsked = (change: () => void) => {
      lab.ui.act(() => {
        change();
        return 'Empty';
      });
      return lab.run(emptyVolumeCommand(lab.ui), row('data'));
    };
    const write = () => {
      createdAt = '2026-01-02T00:00:00Z';
    };
    assert.deepEqual(await whileAsked(write), { outcome: 'emptied' });
    const replace = () => {
      createdAt = '2026-01-03T00:00:00Z';
      options = {};
    };
    assert.equal(await whileAsked(replace), undefined);
    assert.match(lab.ui.of('error')[0]?.text ?? '', /The volume was replaced in the meantime/);
    assert.deepEqual(sent(), ['DELETE /volumes/data', 'POST /volumes/create']);
  });

  it('refuse to empty a volume whose files are elsewhere, before a question', async () => {
    options = { type: 'none', o: 'bind', device: '/srv/data' };
    const why = 'The files of data are at /srv/data, where the engine does not delete them.';
    const message = `${why} Delete them there.`;
    const command = emptyVolumeCommand(lab.ui);
    await assert.rejects(lab.call(command, { name: 'data' }), { message });
    await lab.run(command, row('data'));
    writeFileSync(path('in.tar'), files);
    const into = { name: 'data', path: path('in.tar'), overwrite: true };
    await assert.rejects(lab.call(importVolumeCommand(), into), { message });
    lab.ui.act(give([file(path('in.tar'))]));
    await lab.run(importVolumeCommand(), row('data'));
    assert.deepEqual(
      lab.ui.of('error').map(({ text }) => text),
      [message, message],
    );
    assert.deepEqual(lab.ui.of('confirm'), []);
    assert(!sent().includes('DELETE /volumes/data'));
  });

  it('empty a volume in memory, which engines delete', async () => {
    options = { type: 'tmpfs', device: 'tmpfs' };
    const emptied = lab.call(emptyVolumeCommand(lab.ui), { name: 'data' });
    assert.deepEqual(await emptied, { outcome: 'emptied' });
    assert(sent().includes('DELETE /volumes/data'));
  });

  /** The engine does what is asked, but its answer is lost. */
  const cutAfter =
    (operation: string): typeof fault =>
    (request, response) => {
      if (`${request.method} ${request.path}` !== operation) return false;
      fault = () => false;
      answer(request, {
        writeHead: () => ({ end: () => undefined }),
        end: () => undefined,
      } as never);
      response.destroy();
      return true;
    };

  it('restore a volume if the answer to its removal or creation is lost', async () => {
    const command = emptyVolumeCommand(lab.ui);
    for (const lost of ['DELETE /volumes/data', 'POST /volumes/create']) {
      fault = cutAfter(lost);
      assert.deepEqual(await lab.call(command, { name: 'data' }), { outcome: 'emptied' }, lost);
      assert(volumes.has('data'), lost);
    }
  });

  it('restore a volume after Cancel', async () => {
    lab.ui.act(give('Empty'));
    fault = ({ method }) => {
      if (method === 'DELETE') lab.ui.cancel();
      return false;
    };
    await lab.run(emptyVolumeCommand(lab.ui), row('data'));
    assert.deepEqual(sent(), ['DELETE /volumes/data', 'POST /volumes/create']);
    assert(volumes.has('data'));
  });

  it('report that a volume may be gone if it cannot be looked up, and offer to create it', async () => {
    lab.ui.act(give('Empty'));
    let isCut = false;
    fault = ({ method }, response) => {
      isCut ||= method === 'DELETE';
      if (isCut) response.destroy();
      return isCut;
    };
    await lab.run(emptyVolumeCommand(lab.ui), row('data'));
    const [shown] = lab.ui.of('error');
    assert.match(shown?.text ?? '', /The volume data may have been removed\./);
    assert.deepEqual(shown?.buttons, ['Create Again']);
  });

  it('take a volume as created if only the answer is lost', async () => {
    fault = cutAfter('POST /volumes/create');
    const command = createVolumeCommand(lab.ui);
    assert.deepEqual(await lab.call(command, { name: 'new' }), { name: 'new', outcome: 'created' });
  });

  it('name what is left of a clone, and remove it or clone again', async () => {
    const failing = ['PUT', 'DELETE'];
    fault = ({ method, path }, response) => {
      const isFailing = failing.includes(method) && !path.endsWith(idOf('a'));
      if (isFailing) json(response, 500, { message: 'broken' });
      return isFailing;
    };
    const command = cloneVolumeCommand();
    const failed = async () => {
      lab.ui.act(give('copy'));
      await lab.run(command, row('data'));
      const shown = lab.ui.of('error').at(-1) ?? assert.fail();
      assert.match(shown.text, /The volume copy is incomplete/);
      assert.deepEqual(shown.buttons, ['Clone Again', 'Remove copy']);
      assert(volumes.has('copy'));
      return shown;
    };
    const first = await failed();
    failing.length = 0;
    await first.press?.('Remove copy');
    assert(!volumes.has('copy'));
    failing.push('PUT', 'DELETE');
    const second = await failed();
    failing.length = 0;
    await second.press?.('Clone Again');
    assert(volumes.has('copy'));
    assert.match(lab.ui.of('info').at(-1)?.text ?? '', /^Cloned data to copy\./);
  });

  it('leave another volume that has the name of a failed clone now', async () => {
    lab.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.48', server: 'Docker/28.0.0 (linux)' });
      response.end('OK');
    });
    fault = ({ method }, response) => {
      if (method !== 'PUT') return false;
      createdAt = '2026-01-02T00:00:00Z';
      json(response, 500, { message: 'no space left' });
      return true;
    };
    const clone = lab.call(cloneVolumeCommand(), { name: 'data', to: 'copy' });
    await assert.rejects(clone, /no space left/);
    assert(volumes.has('copy'));
  });

  it('look once at the volume to import into, and ask again before another import', async () => {
    writeFileSync(path('in.tar'), files);
    const choose = give([file(path('in.tar'))]);
    fault = ({ method }, response) => {
      if (method === 'PUT') json(response, 500, { message: 'no space left' });
      return method === 'PUT';
    };
    lab.ui.act(choose, give('Replace'));
    await lab.run(importVolumeCommand(), row('data'));
    assert.deepEqual(sent().slice(0, 2), [
      'POST /containers/create',
      `DELETE /containers/${idOf('a')}`,
    ]);
    // The second time after it was emptied.
    assert.equal(sent().filter((one) => one === 'POST /containers/create').length, 3);
    const [checking] = lab.ui.of('progress');
    assert.equal(checking?.text, 'Checking in.tar');
    assert((checking.reports?.length ?? 0) > 0);
    const [shown] = lab.ui.of('error');
    filled.add('data');
    const before = sent().length;
    lab.ui.act(ESCAPE);
    await shown?.press?.('Import Again');
    assert.equal(lab.ui.of('confirm').length, 2);
    assert(!sent().slice(before).includes('DELETE /volumes/data'));
  });

  it('offer to create a volume again that was lost while it was emptied', async () => {
    fault = ({ path }, response) => {
      if (path === '/volumes/create') json(response, 500, { message: 'disk full' });
      return path === '/volumes/create';
    };
    lab.ui.act(give('Empty'));
    await lab.run(emptyVolumeCommand(lab.ui), row('data'));
    const [shown] = lab.ui.of('error');
    assert.match(shown?.text ?? '', /data was removed, but could not be created again\. disk full/);
    fault = () => false;
    await shown?.press?.('Create Again');
    assert(volumes.has('data'));
    assert(!existsSync(path('x')));
  });
});
