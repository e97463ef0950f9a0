import assert from 'node:assert/strict';
import type { LogLine } from '../../../src/engine/model.ts';
import type { LogMarker } from '../../../src/logs/follow/logMarker.ts';
import { omittedLinesText, logText, markerText } from '../../../src/output/logText.ts';
import { withoutControls } from '../../../src/base/plainText.ts';

const ESC = '\u001b';

describe('log text', () => {
  for (const [name, text, expected] of [
    ['plain text', 'a\tb 😀 ä', 'a\tb 😀 ä'],
    ['colors', `${ESC}[31;1mred${ESC}[0m plain`, 'red plain'],
    ['true colors', `${ESC}[38;2;1;2;3mx${ESC}[38:2::1:2:3my`, 'xy'],
    ['cursor movements and erasing', `a${ESC}[2K${ESC}[1;5H${ESC}[?25lb`, 'ab'],
    ['eight-bit control sequences', 'a\u009b31mb', 'ab'],
    ['window titles', `${ESC}]0;title\u0007a${ESC}]2;title${ESC}\\b`, 'ab'],
    ['links', `${ESC}]8;;http://x/${ESC}\\text${ESC}]8;;${ESC}\\`, 'text'],
    ['character set selections', `${ESC}(Ba${ESC})0b${ESC}#8c`, 'abc'],
    ['short escape sequences', `${ESC}7a${ESC}8b${ESC}=c${ESC}Md`, 'abcd'],
    ['device control strings', `${ESC}P1$r0m${ESC}\\a`, 'a'],
    ['an incomplete sequence', `a${ESC}[31`, 'a'],
    ['an unterminated window title', `${ESC}]0;title`, '0;title'],
    ['a lone escape character', `a${ESC}`, 'a'],
    ['other control characters', 'a\0b\u0007c\bd\re\u007ff\u0085', 'abcdef'],
  ] as const) {
    it(`has no control characters if the log has ${name}`, () => {
      assert.equal(withoutControls(text), expected);
    });
  }

  it('never loses a line to a sequence that spans its line end', () => {
    assert.equal(withoutControls(`a${ESC}]0;t\nb\u0007\nc${ESC}[3\nd`), 'a0;t\nb\nc\nd');
  });

  it('takes no longer for malicious text than for other text of its length', () => {
    const hostile = [`${ESC}]`, `${ESC}[`, `${ESC}[;`, `${ESC}];a`, `${ESC}P`, '\u009b1;'];
    for (const one of hostile)
      assert.ok(!withoutControls(one.repeat(300_000)).includes(ESC), JSON.stringify(one));
    assert.ok(!withoutControls(`${ESC}]${';1'.repeat(300_000)}`).includes(ESC));
  });

  it('ends every line, with an optional timestamp in front and a mark for stderr', () => {
    const lines: readonly LogLine[] = [
      { source: 'stdout', timestamp: 'T1', text: `${ESC}[1mone` },
      { source: 'stderr', timestamp: 'T2', text: '' },
    ];
    assert.equal(logText(lines, false), 'one\n[stderr] \n');
    assert.equal(logText(lines, true), 'T1 one\nT2 [stderr] \n');
    assert.equal(logText([], true), '');
  });

  for (const [written, shown] of [
    ['10 %\r50 %\r100 %', '100 %'],
    ['10 %\rdone\r', 'done'],
    [`working\r${ESC}[K`, 'working'],
    ['\r\r', ''],
    ['\r', ''],
    ['\ra', 'a'],
    [`a${'\r'.repeat(100_000)}`, 'a'],
  ] as const) {
    it(`of an overwritten line is the last text written: ${JSON.stringify(written.slice(0, 20))}`, () => {
      const line: LogLine = { source: 'stdout', timestamp: 'T', text: written };
      assert.equal(logText([line], false), `${shown}\n`);
      assert.equal(logText([line], true), `T ${shown}\n`);
    });
  }
});

describe('a line of a log', () => {
  const channel = (
    text: string,
    source: LogLine['source'] = 'stdout',
    withStamps = false,
  ): string => logText([{ source, timestamp: 'T', text }], withStamps).slice(0, -1);
  const markers: readonly LogMarker[] = [
    { kind: 'exited', exitCode: 0 },
    { kind: 'startedAgain' },
    { kind: 'removed' },
    { kind: 'lost' },
    { kind: 'disconnected' },
    { kind: 'engineRemoved' },
    { kind: 'sshFull' },
    { kind: 'gap' },
    { kind: 'left-out', lines: 2 },
    { kind: 'full', most: 2, waiting: 1 },
    { kind: 'failed', words: 'say [this] to us' },
    { kind: 'failed', words: undefined },
  ];

  for (const said of [...markers.map((marker) => markerText(marker)), omittedLinesText(1)].map(
    (text) => text.slice(0, -1),
  ))
    it(`cannot be mistaken for a message of Gantry: ${said}`, () => {
      const hidden = '\u200b\u2060';
      const shown = `\\${said}`;
      assert.equal(channel(said), shown);
      assert.equal(channel(`${ESC}[1m${said}${ESC}[0m`), shown);
      assert.equal(channel(`...\r${said}\r`), shown);
      assert.equal(channel(`${said} \t`), `${shown} \t`);
      assert.equal(channel(hidden + said + hidden), hidden + shown + hidden);
      assert.equal(channel(said, 'stderr'), `[stderr] ${said}`);
    });

  it('cannot be mistaken for a line from stderr', () => {
    assert.equal(channel('[stderr] x'), '\\[stderr] x');
    assert.equal(channel('[stderr] x', 'stdout', true), 'T \\[stderr] x');
    assert.equal(channel('[stderr]'), '\\[stderr]');
    assert.equal(channel('[stderr] [stderr] x', 'stderr'), '[stderr] [stderr] [stderr] x');
    const stamp = '2026-08-01T08:00:00Z';
    assert.equal(channel(`${stamp} [stderr] x`), `${stamp} \\[stderr] x`);
    assert.equal(channel(`${stamp}[a [stderr] x`), `${stamp}[a \\[stderr] x`);
  });

  for (const line of [
    '[info] Started.',
    '[stderr]: x',
    '[a] b [c.]',
    '[1, 2]',
    '["a."]',
    '[]',
    'see [The container was removed.]',
    '2026-08-01T08:00:00Z [INFO] up.',
    '\\[stderr] x',
  ])
    it(`is unchanged if it does not look like a message of Gantry: ${line}`, () => {
      assert.equal(channel(line), line);
    });

  it('takes no longer to format if it is malicious', () => {
    for (const piece of ['[', '\u200b', ' ', '\u200b[', '[a', '[stderr] ', '.]'])
      for (const start of ['', '[', '2026-08-01T'])
        assert.ok(channel(`${start}${piece.repeat(300_000)}`).length > 0);
  });
});

describe('a message of Gantry in a channel', () => {
  for (const [marker, expected] of [
    [{ kind: 'exited', exitCode: 137 }, '[The container exited with code 137.]\n'],
    [{ kind: 'started' }, '[The container was started.]\n'],
    [{ kind: 'startedAgain' }, '[The container was started again.]\n'],
    [{ kind: 'removed' }, '[The container was removed.]\n'],
    [{ kind: 'lost' }, '[Connection to the engine lost. The log continues after reconnecting.]\n'],
    [
      { kind: 'failed', words: `disk\n${ESC}[1mgone` },
      '[Cannot continue reading the log: disk gone]\n',
    ],
    [
      { kind: 'failed', words: undefined },
      '[Cannot continue reading the log: unexpected data from the engine.]\n',
    ],
  ] as const) {
    it(`is a line in brackets: ${expected.trim()}`, () => {
      assert.equal(markerText(marker), expected);
    });
  }

  it('reports how many lines were dropped, and where to find them', () => {
    const said = [1, 2].map((lines) => omittedLinesText(lines));
    assert.deepEqual(said, [
      '[1 older line is not shown. Use Open Log Viewer to see it.]\n',
      '[2 older lines are not shown. Use Open Log Viewer to see them.]\n',
    ]);
  });
});
