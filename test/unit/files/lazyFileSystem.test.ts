import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { ContainerFileSystem } from '../../../src/files/containerFileSystem.ts';
import type * as lazy from '../../../src/files/lazyFileSystem.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import '../support/fakeEditor.ts';
import { Uri } from '../support/fakeVscode.ts';

describe('files/lazyFileSystem', () => {
  const uri = Uri.from({
    scheme: 'gantry-container',
    path: '/web/a',
    query: '',
  }) as unknown as vscode.Uri;
  const changes = new Emitter<vscode.FileChangeEvent[]>();
  let loads: number;
  let acts: string[];
  let system: lazy.LazyFileSystem;
  beforeEach(async () => {
    loads = 0;
    acts = [];
    const noted = (act: string) => () => Promise.resolve(acts.push(act));
    const { LazyFileSystem } = await import('../../../src/files/lazyFileSystem.ts');
    const actual = {
      onDidChangeFile: changes.event,
      stat: () => Promise.resolve({ size: 1 }),
      readDirectory: () => Promise.resolve([['a', 1]]),
      readFile: ({ path }: vscode.Uri) => Promise.resolve(Buffer.from(path)),
      tree: {
        createDirectory: noted('createDirectory'),
        delete: noted('delete'),
        rename: noted('rename'),
        copy: noted('copy'),
      },
    } as unknown as ContainerFileSystem;
    system = new LazyFileSystem(() => {
      loads += 1;
      return Promise.resolve(actual);
    });
  });
  afterEach(() => system.dispose());

  it('loads the file system once, with the first file', async () => {
    assert.equal(loads, 0);
    const read = [system.readFile(uri), system.stat(uri), system.readDirectory(uri)];
    assert.deepEqual(await Promise.all(read), [Buffer.from('/web/a'), { size: 1 }, [['a', 1]]]);
    assert.equal(loads, 1);
  });

  it('passes on the changes of files', async () => {
    const seen: number[] = [];
    system.onDidChangeFile((all) => seen.push(all.length));
    await system.stat(uri);
    changes.fire([{ type: 1, uri }]);
    assert.deepEqual(seen, [1]);
  });

  it('passes on changes of folders', async () => {
    await system.createDirectory(uri);
    await system.delete(uri, { recursive: true });
    await system.rename(uri, uri);
    await system.copy(uri, uri);
    assert.deepEqual(acts, ['createDirectory', 'delete', 'rename', 'copy']);
  });
});
