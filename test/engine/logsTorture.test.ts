import assert from 'node:assert/strict';
import { startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../src/engine/containers/waitForContainer.ts';
import { LogReader } from '../../src/engine/logs/logReader.ts';
import type { LogLine } from '../../src/engine/model.ts';
import { Emitter } from '../../src/base/lifetime.ts';
import type { ContainersChange } from '../../src/logs/follow/changeLatch.ts';
import { ContainerLog } from '../../src/logs/follow/containerLog.ts';
import type { ContainerLogOptions } from '../../src/logs/follow/containerLogOptions.ts';
import { coloredText } from '../../src/logs/text/coloredText.ts';
import { LogRuns } from '../../src/output/logRuns.ts';
import { FakeChannel } from '../unit/support/fakeChannel.ts';
import {
  shownOf,
  TORTURE,
  tortureLines,
  type Keeping,
  type Lines,
} from '../unit/support/torture.ts';
import { itOnDocker, Site, type Wishes } from './support.ts';
import { ViewerDesk } from './viewerDesk.ts';

const ALL: ContainerLogOptions = { follow: false, tail: 'all', timestamps: false };
/** Prefix of stderr lines in the channel. */
const MARK = '[stderr] ';
const EXITED = '[The container exited with code 0.]';
const isDocker = process.env['GANTRY_BED_KIND'] === 'docker';

/** The variants of the container; Docker's log files store bytes or text. */
const WAYS: readonly (readonly [
  words: string,
  keeping: Keeping,
  body: NonNullable<Wishes['body']>,
])[] = [
  ['', { tty: false, keepsText: isDocker }, {}],
  [' with a TTY', { tty: true, keepsText: isDocker }, { Tty: true }],
  ...(isDocker
    ? ([
        [
          ' in a log driver that stores bytes',
          { tty: false, keepsText: false },
          { HostConfig: { LogConfig: { Type: 'local' } } },
        ],
      ] as const)
    : []),
];

for (const [words, keeping, body] of WAYS)
  describe(`the torture log${words}`, function () {
    this.timeout(60_000);

    let site: Site;
    const changes = new Emitter<ContainersChange>();
    const expected = tortureLines(keeping);
    const parts = {
      connect: () => Promise.resolve(site.connection),
      onDidChangeContainers: changes.event,
      watch: () => undefined,
    };
    let id: string;
    let followed: readonly LogLine[];

    before(async () => {
      site = new Site();
      id = await site.create(['sh', '-c', TORTURE], { body });
      const { log, lines, ended } = open({ ...ALL, follow: true });
      await startContainer(site.connection, id);
      await log.open();
      await (
        await waitForContainer(site.connection, id, 'not-running')
      ).exit;
      changes.fire({ containers: new Set([id]) });
      await ended;
      log.dispose();
      followed = lines;
    });

    after(() => site.leave());

    /** Opens a view of the log and collects its lines. */
    function open(view: ContainerLogOptions): {
      log: ContainerLog;
      lines: LogLine[];
      ended: Promise<void>;
    } {
      const lines: LogLine[] = [];
      const end = Promise.withResolvers<undefined>();
      const log = new ContainerLog(
        id,
        view,
        {
          lines: (more) => {
            lines.push(...more);
            return Promise.resolve();
          },
          marker: ({ kind }) => {
            if (kind === 'exited') end.resolve(undefined);
            return Promise.resolve();
          },
          caughtUp: () => undefined,
        },
        parts,
      );
      return { log, lines, ended: end.promise };
    }

    it('is read as it was written, while it is written', () => {
      assertSame(byOutput(followed), expected);
    });

    it('is read as it was written', async () => {
      const { log, lines } = open(ALL);
      await log.open();
      log.dispose();
      assertSame(byOutput(lines), expected);
    });

    for (const [tail, page] of [
      [1, 1000],
      [490, 10_000],
    ] as const)
      it(`is read as it was written, from its last ${tail} lines and backwards`, async () => {
        const { log, lines } = open({ ...ALL, tail });
        await log.open();
        const pages = [lines];
        for (let isStart = false; !isStart;) {
          const older = await log.older(page, new AbortController().signal);
          pages.unshift([...older.lines]);
          ({ isStart } = older);
        }
        log.dispose();
        assertSame(byOutput(pages.flat()), expected);
      });

    itOnDocker('is in the channel as readable text', async () => {
      let channel: FakeChannel | undefined;
      const createChannel = (name: string): FakeChannel => (channel = new FakeChannel(name));
      const runs = new LogRuns({ ...parts, createChannel });
      await runs.open({ id, name: 'torture' }, ALL);
      runs.dispose();
      const { stdout, stderr } = shown(expected);
      const marked = { stdout, stderr: stderr.map((line) => MARK + line) };
      assertSame(byWords(channel?.text ?? '', keeping, MARK), marked);
    });

    itOnDocker('is in the viewer, with colors and as plain text', async () => {
      const { connect } = parts;
      const desk = new ViewerDesk(id, { connect, changes, tail: 100, budgetBytes: 100_000 });
      try {
        await desk.session.open();
        await desk.readBack();
        assert(desk.store.spilledBytes > 0);
        assertSame(byWords(desk.saved(true), keeping), withExit(colored(expected)));
        assertSame(byWords(desk.saved(false), keeping), withExit(shown(expected)));
      } finally {
        desk.dispose();
      }
    });
  });

describe('a long line of a real engine', () => {
  let site: Site;

  before(() => {
    site = new Site();
  });

  after(() => site.leave());

  it('is read backwards as one line, however many parts it has', async () => {
    const script = 'echo before; head -c 600000 /dev/zero | tr "\\0" a; echo; echo after';
    const { id } = await site.runToEnd(['sh', '-c', script]);
    const reader = new LogReader(id, { tail: 2, hasTty: false });
    const { signal } = new AbortController();
    const lines: LogLine[] = [];
    const reading = { follow: false, onCaughtUp: () => undefined };
    for await (const batch of await reader.open(site.connection, reading, signal))
      lines.push(...batch);
    lines.push(...reader.flush());
    const { lines: older } = await reader.older(site.connection, 10, signal);
    const lengths = [...older, ...lines].map(({ text }) => text.length);
    assert.deepEqual(lengths, [6, 600_000, 5]);
  });
});

function byOutput(lines: readonly LogLine[]): Lines {
  const of = (output: string): readonly string[] =>
    lines.filter(({ source }) => source === output).map(({ text }) => text);
  return { stdout: of('stdout'), stderr: of('stderr') };
}

/**
 * Splits a text into stdout and stderr lines. Stderr lines are marked in the text, because engines do not
 * preserve the order between the two.
 */
function byWords(text: string, { tty }: Keeping, mark = ''): Lines {
  const lines = text.split('\n').slice(0, -1);
  const isError = (line: string): boolean => !tty && line.startsWith(`${mark}err `);
  return { stdout: lines.filter((line) => !isError(line)), stderr: lines.filter(isError) };
}

function shown({ stdout, stderr }: Lines): Lines {
  return { stdout: stdout.map(shownOf), stderr: stderr.map(shownOf) };
}

function colored({ stdout, stderr }: Lines): Lines {
  return { stdout: stdout.map(coloredText), stderr: stderr.map(coloredText) };
}

function withExit({ stdout, stderr }: Lines): Lines {
  return { stdout: [...stdout, EXITED], stderr };
}

/** Compares thousands of lines and reports only the first difference. */
function assertSame(got: Lines, expected: Lines): void {
  for (const output of ['stdout', 'stderr'] as const) {
    const a = got[output];
    const b = expected[output];
    const at = b.findIndex((line, index) => a[index] !== line);
    const brief = (line: string | undefined): string => JSON.stringify(line ?? null).slice(-200);
    assert.equal(at < 0 ? '' : brief(a[at]), at < 0 ? '' : brief(b[at]), `${output} ${at}`);
    assert.equal(at, -1, `${output} ${at}: ${a[at]?.length} characters, not ${b[at]?.length}`);
    assert.equal(a.length, b.length, output);
  }
}
