import assert from 'node:assert/strict';
import { DetachKeys } from '../../../../src/output/terminal/attachTerminal.ts';
import { InputQueue, LineInput } from '../../../../src/output/terminal/inputQueue.ts';
import { Sizer } from '../../../../src/output/terminal/sizer.ts';
import { isAnswer, typedText } from '../../../../src/output/terminal/screen.ts';
import { toDisposable, type Disposable } from '../../../../src/base/lifetime.ts';
import { monotonicClock } from '../../../../src/base/time.ts';
import { settle } from '../../support/lab.ts';

describe('output/terminal/inputQueue', () => {
  it('sends chunks in order, one at a time', async () => {
    const sent: Buffer[] = [];
    let go: () => void = () => undefined;
    const queue = new InputQueue((bytes) => {
      sent.push(Buffer.from(bytes));
      return new Promise((resolve) => (go = resolve));
    });
    const text = 'ü'.repeat(20_000);
    queue.push('a');
    await settle();
    assert.equal(sent.length, 0);
    queue.start();
    queue.push(text);
    await settle();
    assert.equal(sent.length, 1);
    for (let count = 2; count <= 4; count++) {
      go();
      await settle();
      assert.equal(sent.length, count);
    }
    go();
    await settle();
    assert.equal(Buffer.concat(sent).toString(), `a${text}`);
    queue.stop();
    queue.push('late');
    await settle();
    assert.equal(sent.length, 4);
  });

  it('discards what waits when it is stopped', async () => {
    const sent: string[] = [];
    let go: () => void = () => undefined;
    const queue = new InputQueue((bytes) => {
      sent.push(Buffer.from(bytes).toString());
      return new Promise((resolve) => (go = resolve));
    });
    queue.start();
    queue.push('a');
    queue.push('b');
    queue.stop();
    go();
    await settle();
    assert.deepEqual(sent, ['a']);
  });

  it('ends after the text queued before', async () => {
    const sent: string[] = [];
    const queue = new InputQueue((bytes) => {
      sent.push(Buffer.from(bytes).toString());
      return Promise.resolve();
    });
    queue.push('a');
    queue.push('b');
    queue.end(() => sent.push('end'));
    await settle();
    assert.deepEqual(sent, []);
    queue.start();
    await settle();
    assert.deepEqual(sent, ['a', 'b', 'end']);
  });
});

describe('output/terminal/sizer', () => {
  it('waits for the program, then sends only the latest size, one request at a time', async () => {
    const sent: string[] = [];
    let go: () => void = () => undefined;
    const sizer = new Sizer(({ columns, rows }) => {
      sent.push(`${columns}x${rows}`);
      return new Promise((resolve, reject) => {
        go = sent.length === 1 ? () => resolve(true) : () => reject(new Error('gone'));
      });
    });
    sizer.set({ columns: 80, rows: 24 });
    sizer.set({ columns: 0, rows: 24 });
    await settle();
    assert.deepEqual(sent, []);
    const started = sizer.start();
    for (const columns of [81, 82, 83]) sizer.set({ columns, rows: 24 });
    assert.deepEqual(sent, ['80x24']);
    go();
    await settle();
    assert.deepEqual(sent, ['80x24', '83x24']);
    // Rejected, then retried once.
    go();
    await settle();
    assert.deepEqual(sent, ['80x24', '83x24', '83x24']);
    go();
    await started;
    sizer.stop();
    sizer.set({ columns: 1, rows: 1 });
    assert.equal(sent.length, 3);
  });

  it('sends the last size once more if the engine may lose it, unless it was replaced or stopped', async () => {
    const sent: number[] = [];
    const due = new Set<() => void>();
    const after = (_milliseconds: number, run: () => void): Disposable => {
      due.add(run);
      return toDisposable(() => due.delete(run));
    };
    const pass = async (): Promise<void> => {
      const runs = [...due];
      due.clear();
      for (const run of runs) run();
      await settle();
    };
    let isSure = false;
    const send = ({ columns }: { readonly columns: number }): Promise<boolean> => {
      sent.push(columns);
      return Promise.resolve(isSure);
    };
    const sizer = new Sizer(send, { ...monotonicClock, after });
    for (const columns of [1, 2]) {
      sizer.set({ columns, rows: 24 });
      await sizer.start();
    }
    await pass();
    await pass();
    assert.deepEqual(sent, [1, 2, 2]);
    sizer.set({ columns: 3, rows: 24 });
    await settle();
    sizer.stop();
    await pass();
    assert.deepEqual(sent, [1, 2, 2, 3]);
    isSure = true;
    sizer.set({ columns: 4, rows: 24 });
    await sizer.start();
    await pass();
    assert.deepEqual(sent, [1, 2, 2, 3, 4]);
  });

  it('does not retry a size that was replaced, or after it was stopped', async () => {
    const sent: number[] = [];
    let refuse: () => void = () => undefined;
    const sizer = new Sizer(({ columns }) => {
      sent.push(columns);
      return new Promise((_resolve, reject) => {
        refuse = () => reject(new Error('busy'));
      });
    });
    sizer.set({ columns: 1, rows: 24 });
    const started = sizer.start();
    sizer.set({ columns: 2, rows: 24 });
    refuse();
    await settle();
    assert.deepEqual(sent, [1, 2]);
    sizer.stop();
    refuse();
    await started;
    assert.deepEqual(sent, [1, 2]);
  });
});

describe('output/terminal/inputQueue: LineInput', () => {
  const typed = (...parts: readonly string[]): { echo: string; send: string; isEnd: boolean } => {
    const line = new LineInput();
    const all = { echo: '', send: '', isEnd: false };
    for (const part of parts) {
      const { echo, send, isEnd } = line.type(part);
      all.echo += echo;
      all.send += send;
      all.isEnd ||= isEnd;
    }
    return all;
  };

  it('echoes typed text and sends complete lines', () => {
    assert.deepEqual(typed('a', 'b', '\r'), { echo: 'ab\r\n', send: 'ab\n', isEnd: false });
    assert.equal(typed('a\r\nb\nc\rd').send, 'a\nb\nc\n');
  });

  it('erases characters, and stops at the start of the line', () => {
    assert.deepEqual(typed('ü\x7f\x7fx\r'), { echo: 'ü\b \bx\r\n', send: 'x\n', isEnd: false });
    assert.equal(typed('abc\x15d\r').send, 'd\n');
    assert.equal(typed('abc\x03\r').send, '\n');
  });

  it('ends the input only on an empty line, and ignores other control keys', () => {
    assert.equal(typed('\x04').isEnd, true);
    assert.deepEqual(typed('a\x04\r'), { echo: 'a\r\n', send: 'a\n', isEnd: false });
    assert.equal(typed('a\x1b[Ab\x1bOC\x01\r').send, 'ab\n');
  });
});

describe('output/terminal/attachTerminal: DetachKeys', () => {
  it('detect Ctrl+] pressed twice, and hold back nothing else', () => {
    const keys = new DetachKeys();
    const take = (text: string): string => {
      const { send, isDetached } = keys.process(text);
      return isDetached ? 'detached' : send;
    };
    assert.deepEqual(['a', '\x1d', 'b', '\x1d', '\x1d'].map(take), [
      'a',
      '',
      '\x1db',
      '',
      'detached',
    ]);
    assert.equal(take('pasted \x1d'), 'pasted \x1d');
  });
});

describe('output/terminal/screen: input', () => {
  const told = [
    '\x1b]52;c;c2VjcmV0\x07',
    '\x1b]52;c;not ended',
    '\x1b]4;1;rgb:0000/0000/0000\x1b\\',
    '\x1b]10;rgb:0000/0000/0000\x07',
    '\x1b]11;rgb:0000/0000/0000\x07',
  ];

  it('keeps typed text, and drops replies that reveal the clipboard or colors', () => {
    for (const answer of told) assert.equal(typedText(answer), '');
    assert.equal(typedText(`a${told[0] ?? ''}b${told[2] ?? ''}c`), 'abc');
    for (const typed of ['\x1b]', '\x1b[A', '\x1b[200~pasted\x1b[201~', ']52;', '\x1b[?62;c'])
      assert.equal(typedText(typed), typed);
  });

  it('is not a key if the terminal sent it as a report', () => {
    const reports = [...told, '\x1b[0n', '\x1b[24;80R', '\x1b[I', '\x1b[O', '\x1bP1$r0m\x1b\\'];
    for (const answer of reports) assert.equal(isAnswer(answer), true, JSON.stringify(answer));
    for (const key of ['a', '\r', '\x1b', '\x1b[A', '\x1bOP', '\x1b]'])
      assert.equal(isAnswer(key), false, JSON.stringify(key));
  });
});
