import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { AllFiles } from '../../../src/files/allFiles.ts';
import { FileIndex } from '../../../src/files/fileIndex.ts';
import { FileNoteNode, FileRootNode } from '../../../src/files/fileNode.ts';
import type * as filesView from '../../../src/files/filesView.ts';
import '../support/fakeEditor.ts';

const PLACE = { engine: 'docker', kind: 'container', id: 'c'.repeat(64), name: 'web' } as const;

describe('files/filesView', () => {
  let FilesView: typeof filesView.FilesView;
  before(async () => {
    ({ FilesView } = await import('../../../src/files/filesView.ts'));
  });

  it('says below the entries that there are more than are kept of a folder', async () => {
    const index = new FileIndex(3);
    for (const name of ['a', 'b', 'c', 'd']) {
      const entry = { name, kind: 'file', size: 1, permissions: 0, modifiedAt: 0 } as const;
      index.add({ ...entry, linkTarget: '', contents: Readable.from([]) });
    }
    const all = {
      onDidChange: () => ({ dispose: () => undefined }),
      of: () => ({ list: () => Promise.resolve(index.list([])) }),
    } as unknown as AllFiles;
    const view = new FilesView(all, String);
    const rows = await view.getChildren(new FileRootNode(PLACE, 'web'));
    const note = rows.at(-1);
    assert(note instanceof FileNoteNode);
    assert.deepEqual(
      [rows.length, note.present().label],
      [4, 'Only the first 3 entries are shown.'],
    );
    view.dispose();
  });
});
