import assert from 'node:assert/strict';
import { SourceLinkScanner, type DocumentLines } from '../../../src/output/sourceLinkScanner.ts';

/** A document that counts how often each line is read. */
class FakeDocument implements DocumentLines {
  lines = [''];
  readonly reads: number[] = [];
  onRead: () => void = () => undefined;

  get lineCount(): number {
    return this.lines.length;
  }

  lineAt(line: number): { readonly text: string } {
    const text = this.lines[line];
    assert.ok(text !== undefined, `There is no line ${line}`);
    this.reads[line] = (this.reads[line] ?? 0) + 1;
    this.onRead();
    return { text };
  }

  append(...lines: readonly string[]): void {
    this.lines.pop();
    for (const line of [...lines, '']) this.lines.push(line);
  }
}

const { signal } = new AbortController();

function frames(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `  at f (/app/a.js:${from + index})`);
}

describe('the source references of a document', () => {
  let document: FakeDocument;

  beforeEach(() => {
    document = new FakeDocument();
  });

  async function linesOf(scan: SourceLinkScanner): Promise<readonly number[]> {
    return (await scan.links(signal)).map(({ line }) => line);
  }

  it('are found in order, with their line', async () => {
    document.append('nothing', 'see /app/a.js:1 and /app/b.js:2:3', ...frames(3, 4));
    const links = await new SourceLinkScanner(document).links(signal);
    assert.deepEqual(
      links.map(({ line, reference }) => [line, reference.path, reference.line]),
      [
        [1, '/app/a.js', 1],
        [1, '/app/b.js', 2],
        [2, '/app/a.js', 3],
      ],
    );
  });

  it('are not searched in the last line, which may still grow', async () => {
    document.lines.splice(0, 1, ...frames(0, 2));
    const scan = new SourceLinkScanner(document);
    assert.deepEqual(await linesOf(scan), [0]);
    document.lines.push('');
    assert.deepEqual(await linesOf(scan), [0, 1]);
  });

  it('are found in a growing document with every line read once', async () => {
    document.append(...frames(0, 100));
    const scan = new SourceLinkScanner(document);
    await scan.links(signal);
    document.append(...frames(100, 150));
    assert.equal((await linesOf(scan)).length, 150);
    assert.deepEqual(new Set(document.reads), new Set([1]));
  });

  it('are the newest five thousand, and no older lines are read', async () => {
    document.append(...frames(0, 8000));
    const scan = new SourceLinkScanner(document);
    assert.deepEqual((await linesOf(scan)).slice(0, 1), [3000]);
    assert.equal(Object.keys(document.reads).length, 5000);
    document.append(...frames(8000, 20_000));
    const lines = await linesOf(scan);
    assert.deepEqual([lines.length, lines[0], lines.at(-1)], [5000, 15_000, 19_999]);
  });

  it('are at most eight per line', async () => {
    document.append(Array.from({ length: 20 }, (_, at) => `/app/a.js:${at + 1}`).join(' '));
    assert.equal((await linesOf(new SourceLinkScanner(document))).length, 8);
  });

  it('are discarded with their lines when the document is changed or cleared', async () => {
    document.append(...frames(0, 10));
    const scan = new SourceLinkScanner(document);
    await scan.links(signal);
    document.lines[4] = 'no place';
    scan.forget(4);
    assert.deepEqual(await linesOf(scan), [0, 1, 2, 3, 5, 6, 7, 8, 9]);
    document.lines.splice(0, 11, '');
    scan.forget(0);
    assert.deepEqual(await linesOf(scan), []);
    document.append(...frames(0, 2));
    assert.deepEqual(await linesOf(scan), [0, 1]);
  });

  it('are kept for the next call if found before an abort', async () => {
    document.append(...frames(0, 100));
    const scan = new SourceLinkScanner(document);
    const controller = new AbortController();
    document.onRead = () => {
      if (document.reads.filter(Boolean).length === 60) controller.abort();
    };
    await scan.links(controller.signal);
    assert.equal(Object.keys(document.reads).length, 60);
    assert.equal((await linesOf(scan)).length, 100);
    assert.deepEqual(new Set(document.reads), new Set([1]));
  });

  it('are the same for two concurrent calls', async () => {
    document.append(...frames(0, 3000));
    const scan = new SourceLinkScanner(document);
    const [one, other] = await Promise.all([linesOf(scan), linesOf(scan)]);
    assert.deepEqual(one, other);
    assert.equal(one.length, 3000);
  });

  it('do not block the event loop while a long document is read', async () => {
    document.lines = Array.from({ length: 50_000 }, (_, at) => `12:00:00 GET /a/${at} 200`);
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    assert.deepEqual(await linesOf(new SourceLinkScanner(document)), []);
    isDone = true;
    assert.ok(turns > 1, String(turns));
  });
});
