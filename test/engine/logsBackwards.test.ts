import assert from 'node:assert/strict';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { LogReader } from '../../src/engine/logs/logReader.ts';
import type { LogLine } from '../../src/engine/model.ts';
import { Site } from './support.ts';

/**
 * Splits an emoji across two writes in every possible way, and writes everything else that is difficult for a
 * terminal or a decoder.
 */
const TORTURE = [
  'e=\'\\360\\237\\230\\200\'; i=0; while [ $i -lt 40 ]; do printf "$i $e\\n"; i=$((i+1)); done',
  "printf '\\360'; printf '\\237\\230\\200 one\\n'; printf '\\360\\237'; printf '\\230\\200 two\\n'; printf '\\360\\237\\230'; printf '\\200 three\\n'",
  'for n in 8191 8192 8193 16383 16384 16385 40000; do head -c $n /dev/zero | tr "\\0" a; echo; done',
  'for n in 8190 16382; do head -c $n /dev/zero | tr "\\0" b; printf "$e\\n"; done',
  "printf 'nul \\0 in it\\n'; printf 'one\\rtwo\\rthree\\n'; printf 'crlf\\r\\n'; printf '\\033[38;2;1;2;3mcolour\\033[0m\\n'",
  "printf '\\033]8;;http://x/\\033\\\\link\\033]8;;\\033\\\\ \\033[2J\\033[1;1H\\n'; printf 'latin \\344\\366\\374\\n'",
  'for i in 1 2 3 4 5 6 7 8 9; do echo same; echo err $i >&2; done',
  "yes '' | head -n 20000; seq 1 3000; printf 'no end'",
].join('; ');

describe('logs of a real engine paged backwards', function () {
  this.timeout(120_000);

  let site: Site;
  const controller = new AbortController();

  beforeEach(() => {
    site = new Site();
  });

  afterEach(() => site.leave());

  async function first(reader: LogReader): Promise<LogLine[]> {
    const lines: LogLine[] = [];
    const reading = { follow: false, onCaughtUp: () => undefined };
    for await (const batch of await reader.open(site.connection, reading, controller.signal))
      lines.push(...batch);
    return [...lines, ...reader.flush()];
  }

  async function backwards(id: string, tail: number, page: number): Promise<readonly LogLine[]> {
    const { hasTty } = await inspectContainer(site.connection, id, controller.signal);
    const reader = new LogReader(id, { tail, hasTty, wantsStamps: false });
    const pages: (readonly LogLine[])[] = [await first(reader)];
    for (let isStart = false; !isStart;) {
      const older = await reader.older(site.connection, page, controller.signal);
      pages.unshift(older.lines);
      ({ isStart } = older);
    }
    return pages.flat();
  }

  function assertSame(got: readonly LogLine[], expected: readonly LogLine[]): void {
    for (const source of ['stdout', 'stderr']) {
      const [a, b] = [got, expected].map((lines) => lines.filter((one) => one.source === source));
      const wrong = b!.findIndex(({ text }, index) => a![index]?.text !== text);
      assert.equal(wrong, -1, `${source} ${wrong}: ${a![wrong]?.text.slice(0, 50)}`);
      assert.equal(a!.length, b!.length);
    }
  }

  for (const tty of [false, true])
    it(`equal the logs read forwards${tty ? ' with a TTY' : ''}`, async () => {
      const { id } = await site.runToEnd(['sh', '-c', TORTURE], { body: { Tty: tty } });
      const options = { tail: 'all', hasTty: tty, wantsStamps: false } as const;
      const forwards = await first(new LogReader(id, options));
      assert.ok(forwards.length > 23_000);
      for (const [tail, page] of [
        [1, 4000],
        [1000, 6000],
        [2999, 30_000],
      ] as const)
        assertSame(await backwards(id, tail, page), forwards);
    });

  it('begin with a complete line, however many parts it has', async () => {
    const script = 'echo before; head -c 2000000 /dev/zero | tr "\\0" a; echo; echo after';
    const { id } = await site.runToEnd(['sh', '-c', script]);
    const reader = new LogReader(id, { tail: 2, hasTty: false });
    const lines = await first(reader);
    const { lines: older } = await reader.older(site.connection, 10, controller.signal);
    const lengths = [...older, ...lines].map(({ text }) => text.length);
    assert.deepEqual(lengths, [6, 2_000_000, 5]);
  });
});
