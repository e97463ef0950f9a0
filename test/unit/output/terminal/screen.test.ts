import assert from 'node:assert/strict';
import type { LogLine } from '../../../../src/engine/model.ts';
import { terminalLines } from '../../../../src/output/terminal/logTerminal.ts';
import { outputText } from '../../../../src/output/terminal/outputText.ts';
import { Screen } from '../../../../src/output/terminal/screen.ts';
import { settle } from '../../support/lab.ts';
import { shellVariables } from '../../../../src/output/terminal/shellTerminal.ts';

const lineOf = (text: string): LogLine => ({
  source: 'stdout',
  timestamp: '2026-01-02T03:04:05Z',
  text,
});

describe('output/terminal/logTerminal: log lines', () => {
  const shown = (...texts: readonly string[]): readonly string[] =>
    terminalLines(texts.map(lineOf), false).split('\r\n').slice(0, -1);

  it('keep colors and web links, and end both at the end of the line', () => {
    const link = '\x1b]8;;https://a.example/\x07link\x1b]8;;\x07';
    assert.deepEqual(
      shown(
        `\x1b[31mred\x1b[0m ${link}`,
        '',
        '\x9b1;38:5:9mopen',
        `\x1b]8;id=1;https://a.example/\x1b\\x`,
      ),
      [
        `\x1b[31mred\x1b[0m ${link}`,
        '',
        '\x1b[1;38:5:9mopen\x1b[0m',
        '\x1b]8;;https://a.example/\x07x\x1b]8;;\x07',
      ],
    );
  });

  it('show the last text of a line that was overwritten, with the colors set before', () => {
    assert.deepEqual(shown('\x1b[32m10%\r20%\x1b[0m', '\x1b[2K\x1b[1A50%\r'), [
      '\x1b[32m20%\x1b[0m',
      '50%',
    ]);
  });

  it('cannot change the title, the clipboard, or the screen', () => {
    const texts = [
      '\x1b]0;title\x07a',
      '\x1b]52;c;AAAA\x1b\\b',
      '\x1bPx\x1b\\c',
      '\x1b[?1049hd\x1bce',
      '\x1b]8;;command:x\x07f\x1b]8;;\x07',
    ];
    assert.deepEqual(shown(...texts), ['a', 'b', 'c', 'de', 'f']);
  });

  it('do not swallow the next line with an unterminated string', () => {
    assert.deepEqual(shown('\x1bPone', '\x1b]0;two', '\x9d52;c;three', '\x1b', ']0;five\x07'), [
      'one',
      '0;two',
      '52;c;three',
      '',
      ']0;five',
    ]);
  });

  it('start with the timestamp if requested', () => {
    assert.equal(terminalLines([lineOf('a')], true), '\x1b[2m2026-01-02T03:04:05Z\x1b[22m a\r\n');
  });
});

describe('output/terminal/outputText', () => {
  const frame = (kind: number, text: string): Buffer => {
    const payload = Buffer.from(text);
    const header = Buffer.alloc(8);
    header[0] = kind;
    header.writeUInt32BE(payload.length, 4);
    return Buffer.concat([header, payload]);
  };

  it('decodes frames cut at any position, and keeps characters intact', () => {
    const bytes = Buffer.concat([frame(1, 'aü\n'), frame(2, ''), frame(2, 'b\r\n')]);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const text = outputText(false);
      const shown = text(bytes.subarray(0, cut)) + text(bytes.subarray(cut));
      assert.equal(shown.replace('\r\r\n', '\r\n'), 'aü\r\nb\r\n', String(cut));
    }
  });

  it('rejects data that is not framed', () => {
    assert.throws(() => outputText(false)(Buffer.from('no frame at all')), {
      reason: 'badAnswer',
    });
  });
});

describe('output/terminal/screen', () => {
  it('shows messages on lines of their own, and closes on the key after the last one', () => {
    const screen = new Screen();
    let shown = '';
    let closed = 0;
    screen.onDidWrite((text) => (shown += text));
    screen.onDidClose(() => closed++);
    void screen.write('$ ');
    assert.equal(screen.handleKey('a'), false);
    screen.closeAfter('It is over.\x1b[31m');
    assert.ok(shown.startsWith('$ \x1b[0m\r\n\x1b[2mIt is over.\x1b[0m\r\n'), shown);
    assert.ok(shown.includes('Press any key'));
    assert.equal(screen.handleKey('\x1b[0n'), true);
    assert.equal(closed, 0);
    assert.equal(screen.handleKey('a'), true);
    assert.equal(closed, 1);
  });

  it('opens again on Enter, once at a time, and stays as long as that is not possible', async () => {
    const screen = new Screen();
    let shown = '';
    let closed = 0;
    screen.onDidWrite((text) => (shown += text));
    screen.onDidClose(() => closed++);
    let opening = Promise.withResolvers<string | undefined>();
    let tries = 0;
    screen.closeAfter('It is over.', () => {
      tries++;
      return opening.promise;
    });
    assert.ok(shown.includes('Press Enter to open a new shell, or any other key'));
    screen.handleKey('\r');
    screen.handleKey('\r');
    opening.resolve('It is not running.');
    await settle();
    assert.ok(shown.includes('It is not running.'));
    assert.deepEqual([tries, closed], [1, 0]);
    opening = Promise.withResolvers();
    screen.handleKey('\r');
    opening.resolve(undefined);
    await settle();
    assert.deepEqual([tries, closed], [2, 1]);
  });

  it('throttles a flood without losing text', async () => {
    let shown = 0;
    let pauses = 0;
    const screen = new Screen(() => {
      pauses++;
      return Promise.resolve();
    });
    screen.onDidWrite((text) => (shown += text.length));
    await screen.write('x'.repeat(1_000_000));
    assert.equal(shown, 1_000_000);
    assert.equal(pauses, 15);
  });

  describe('after a flood', () => {
    let shown: string;
    /** Ends the pause. */
    let go: () => void;
    let screen: Screen;
    beforeEach(() => {
      shown = '';
      go = () => undefined;
      screen = new Screen(() => new Promise((resolve) => (go = resolve)));
      screen.onDidWrite((text) => (shown += text));
      void screen.write('x'.repeat(65_536));
      shown = '';
    });

    it('keeps the order of texts that were written without waiting', async () => {
      const written = ['a\n', 'b\n'].map((text) => screen.write(text));
      assert.equal(shown, '');
      go();
      await Promise.all([...written, screen.write('c\n')]);
      assert.equal(shown, 'a\nb\nc\n');
    });

    it('shows a message after the text that waits, once', async () => {
      const written = screen.write('a\n');
      screen.showMessage('Built.');
      go();
      await written;
      assert.equal(shown, 'a\n\x1b[0m\x1b[2mBuilt.\x1b[0m\r\n');
    });

    it('shows the text that waits before it closes', () => {
      screen.onDidClose(() => (shown += 'closed'));
      void screen.write('a\n');
      screen.close(1);
      assert.equal(shown, 'a\nclosed');
    });
  });
});

describe('output/terminal/shellTerminal: shellVariables', () => {
  it('keep the locale of the container', () => {
    assert(shellVariables(new Set(['PATH'])).includes('LANG=C.UTF-8'));
    assert(!shellVariables(new Set(['LC_ALL'])).some((one) => one.startsWith('LANG=')));
  });
});
