import assert from 'node:assert/strict';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { saveText } from '../../../src/logviewer/saveText.ts';
import type { TextSource } from '../../../src/logviewer/host/sessionContext.ts';

describe('saving a log', () => {
  let folder: string;
  let path: string;
  let controller: AbortController;
  let shares: number[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-save-'));
    path = join(folder, 'web.log');
    controller = new AbortController();
    shares = [];
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  /** Returns a text of these chunks. Aborts the controller before the chunk with index `cancelledAt`. */
  function source(chunks: readonly string[], cancelledAt = -1): TextSource {
    return {
      name: 'web',
      lineCount: chunks.length,
      *chunks(withColors: boolean) {
        for (const [index, chunk] of chunks.entries()) {
          if (index === cancelledAt) controller.abort();
          yield withColors ? `colored ${chunk}` : chunk;
        }
      },
    };
  }

  function save(text: TextSource, to = path): Promise<boolean> {
    return saveText(text, to, controller.signal, (share) => shares.push(share));
  }

  it('replaces the file and reports progress', async () => {
    writeFileSync(path, 'before');
    assert.equal(await save(source(['one\n', 'two\n'])), true);
    assert.equal(readFileSync(path, 'utf8'), 'one\ntwo\n');
    assert.deepEqual(shares, [0.5, 0.5]);
    assert.deepEqual(readdirSync(folder), ['web.log']);
  });

  it('keeps colors if the name ends in .ansi', async () => {
    await save(source(['one\n']), `${path}.ansi`);
    assert.equal(readFileSync(`${path}.ansi`, 'utf8'), 'colored one\n');
  });

  it('leaves the existing file unchanged if canceled', async () => {
    writeFileSync(path, 'before');
    assert.equal(await save(source(['one\n', 'two\n'], 1)), false);
    assert.equal(readFileSync(path, 'utf8'), 'before');
    assert.deepEqual(readdirSync(folder), ['web.log']);
  });

  it('neither follows nor removes a symbolic link next to the file', async () => {
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'key');
    const part = `${path}.${process.pid}.part`;
    symlinkSync(secret, part);
    await save(source(['one\n']));
    await save(source(['one\n'], 0));
    assert.equal(readFileSync(secret, 'utf8'), 'key');
    assert.equal(readFileSync(path, 'utf8'), 'one\n');
    assert.deepEqual(readdirSync(folder).sort(), [
      'secret',
      'web.log',
      `web.log.${process.pid}.part`,
    ]);
  });
});
