import assert from 'node:assert/strict';
import { json } from '../support/fakeEngine.ts';
import { FOLLOW, LogLab, ONCE, REMOVED, seen } from '../support/logLab.ts';

function numbered(from: number, to: number): string {
  let text = '';
  for (let line = from; line < to; line++) text += `line ${line}\n`;
  return text;
}

function leftOut(lines: number): string {
  return `[${lines} older lines are not shown. Use Open Log Viewer to see them.]\n`;
}

describe('log channels', () => {
  let lab: LogLab;

  beforeEach(async () => {
    lab = await LogLab.start();
  });

  afterEach(() => lab.stop());

  function print(from: number, to: number): void {
    const lines = Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`);
    lab.container.writeLines(lines);
  }

  it('are named after their container and come to the front without the focus', async () => {
    lab.container.start();
    lab.container.write('one\n');
    assert.deepEqual(await lab.open(FOLLOW), { channel: 'Gantry: web' });
    await lab.channels[0]!.endsWith('one\n');
    assert.equal(lab.channels[0]!.name, 'Gantry: web');
    assert.deepEqual(lab.channels[0]!.calls, ['show(true)']);
    assert.equal(lab.watched, 1);
  });

  it('contain every line once a log without follow is open', async () => {
    lab.container.start();
    for (let line = 0; line < 3000; line++) lab.container.write(`line ${line} 😀\n`);
    lab.container.write('no end', 2);
    await lab.open(ONCE);
    const expected = Array.from({ length: 3000 }, (_, line) => `line ${line} 😀\n`).join('');
    assert.equal(lab.channels[0]!.text, `${expected}[stderr] no end\n`);
    assert.equal(lab.watched, 0);
  });

  it('show timestamps if requested', async () => {
    lab.container.start();
    lab.container.write('one\n');
    await lab.open({ ...ONCE, timestamps: true });
    assert.match(lab.channels[0]!.text, /^2026-08-01T08:00:00\.002000006Z one\n$/);
  });

  it('request the given part of the log', async () => {
    lab.container.start();
    await lab.open({ follow: false, tail: 5, since: '12.5', timestamps: false });
    const { query } = lab.engine.seen.at(-1)!;
    assert.deepEqual(
      [query.get('tail'), query.get('since'), query.get('follow')],
      ['5', '12.5', '0'],
    );
  });

  it('are only shown again when the same view is opened again', async () => {
    lab.container.start();
    lab.container.write('one\n');
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith('one\n');
    await lab.open({ ...FOLLOW });
    lab.container.write('two\n');
    await lab.channels[0]!.endsWith('two\n');
    assert.equal(lab.channels[0]!.text, 'one\ntwo\n');
    assert.deepEqual(lab.channels[0]!.calls, ['show(true)', 'show(true)']);
    assert.equal(lab.logRequests(), 1);
  });

  it('get what the engine did not send when a silent log is opened again', async () => {
    lab.container.start();
    lab.container.write('one\n');
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith('one\n');
    lab.container.truncate();
    for (const text of ['two\n', 'three\n']) lab.container.write(text);
    const later = performance.now() + 60_000;
    // As if nothing had come for a minute.
    performance.now = () => later;
    try {
      await lab.open({ ...FOLLOW });
      await lab.channels[0]!.endsWith('three\n');
    } finally {
      Reflect.deleteProperty(performance, 'now');
    }
    assert.match(lab.channels[0]!.text, /^one\n[^\n]*Lines are missing here[^\n]*\ntwo\nthree\n$/);
    await seen(() => lab.container.followers === 1);
  });

  it('get new lines when a log without follow is opened again', async () => {
    lab.container.start();
    lab.container.write('one\n');
    await lab.open(ONCE);
    lab.container.write('two\n');
    await Promise.all([lab.open(ONCE), lab.open(ONCE)]);
    assert.equal(lab.channels[0]!.text, 'one\ntwo\n');
    assert.equal(lab.channels.length, 1);
  });

  it('are cleared and filled again when another view is opened', async () => {
    lab.container.start();
    for (const text of ['one\n', 'two\n']) lab.container.write(text);
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith('two\n');
    await lab.open({ ...FOLLOW, tail: 1 });
    lab.container.write('three\n');
    await lab.channels[1]!.endsWith('three\n');
    assert.equal(lab.channels[1]!.text, 'two\nthree\n');
    assert.deepEqual(lab.channels[0]!.calls, ['show(true)', 'dispose']);
    assert.deepEqual(lab.channels[1]!.calls, ['show(true)']);
  });

  it('get no late line of the previous view', async () => {
    lab.container.start();
    for (let line = 0; line < 20_000; line++) lab.container.write(`old ${line}\n`);
    const first = lab.open(FOLLOW);
    const second = lab.open({ ...ONCE, tail: 1 });
    assert.deepEqual(await Promise.all([first, second]), [
      { channel: 'Gantry: web' },
      { channel: 'Gantry: web' },
    ]);
    assert.equal(lab.channels.at(-1)!.text, 'old 19999\n');
  });

  /** Waits until the current channel contains exactly this text. */
  async function shows(text: string): Promise<void> {
    await seen(() => lab.channels.at(-1)?.text === text);
  }

  it('keep the newest lines, after a note of how many were dropped, when there are too many', async () => {
    lab.outputLines = 1000;
    lab.container.start();
    print(0, 1000);
    await lab.open(ONCE);
    assert.equal(lab.channels[0]!.text, numbered(0, 1000));
    print(1000, 1001);
    await lab.open(ONCE);
    await shows(leftOut(251) + numbered(251, 1001));
    print(1001, 1251);
    await lab.open(ONCE);
    await shows(leftOut(251) + numbered(251, 1251));
    assert.equal(lab.channels.length, 2);
    print(1251, 1252);
    await lab.open(ONCE);
    await shows(leftOut(502) + numbered(502, 1252));
    assert.deepEqual(
      lab.channels.map(({ calls }) => calls.at(-1)),
      ['dispose', 'dispose', 'show(true)'],
    );
  });

  it('start counting dropped lines again when another view is opened', async () => {
    lab.outputLines = 1000;
    lab.container.start();
    print(0, 3000);
    await lab.open(ONCE);
    await lab.open({ ...ONCE, tail: 10 });
    await shows(numbered(2990, 3000));
    await lab.open({ ...ONCE, tail: 1001 });
    await shows(leftOut(251) + numbered(2250, 3000));
  });

  it('keep the newest lines of a flood without coming to the front', async () => {
    lab.outputLines = 1000;
    lab.container.start();
    await lab.open(FOLLOW);
    // Another channel is in front now.
    lab.channels[0]!.see(false);
    print(0, 25_000);
    assert.deepEqual(lab.channels[0]!.calls, ['show(true)']);
    assert.equal(lab.channels.length, 1);
    lab.channels[0]!.see(true);
    await seen(() => lab.channels.at(-1)!.text.endsWith('line 24999\n'));
    const [head = '', ...lines] = lab.channels.at(-1)!.text.split('\n').slice(0, -1);
    const left = 25_000 - lines.length;
    assert.equal(`${head}\n`, leftOut(left));
    assert.equal(`${lines.join('\n')}\n`, numbered(left, 25_000));
    assert.ok(lines.length >= 750 && lines.length <= 1000, String(lines.length));
  });

  it('are dropped if the engine refuses, and open the next time', async () => {
    lab.engine.answer((request, response) => {
      if (request.path.endsWith('/json')) return lab.container.answer(request, response);
      json(response, 501, { message: 'configured logging driver does not support reading' });
    });
    for (const view of [FOLLOW, ONCE])
      await assert.rejects(lab.open(view), {
        engineMessage: 'configured logging driver does not support reading',
      });
    assert.deepEqual(
      lab.channels.map(({ calls }) => calls),
      [
        ['show(true)', 'dispose'],
        ['show(true)', 'dispose'],
      ],
    );
    lab.engine.answer(lab.container.answer);
    lab.container.start();
    lab.container.write('one\n');
    await lab.open(FOLLOW);
    await lab.channels[2]!.endsWith('one\n');
  });

  it('keep their text if reading new lines fails', async () => {
    lab.container.start();
    lab.container.write('one\n');
    await lab.open(ONCE);
    lab.engine.answer((_, response) => json(response, 500, { message: 'no' }));
    await assert.rejects(lab.open(ONCE), { engineMessage: 'no' });
    lab.engine.answer(lab.container.answer);
    lab.container.write('two\n');
    await lab.open(ONCE);
    assert.equal(lab.channels[0]!.text, 'one\ntwo\n');
  });

  it('include the short ID if two containers have the same name', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    const other = 'd'.repeat(64);
    assert.deepEqual(await lab.open(FOLLOW, 'web', other), {
      channel: `Gantry: web (${'d'.repeat(12)})`,
    });
    assert.deepEqual(await lab.open(FOLLOW, 'web', other), {
      channel: `Gantry: web (${'d'.repeat(12)})`,
    });
    assert.equal(lab.channels.length, 2);
  });

  it('take over the name of a removed container', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.remove();
    await lab.channels[0]!.endsWith(REMOVED);
    lab.use({});
    assert.deepEqual(await lab.open(FOLLOW, 'web', 'd'.repeat(64)), { channel: 'Gantry: web' });
    assert.deepEqual(lab.channels[0]!.calls.at(-1), 'dispose');
  });

  it('are renamed with their container', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    assert.deepEqual(await lab.open(FOLLOW, 'shop'), { channel: 'Gantry: shop' });
    assert.deepEqual(lab.channels[0]!.calls.at(-1), 'dispose');
  });

  it('stop when disposed', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    await seen(() => lab.container.followers === 1);
    lab.runs.dispose();
    await seen(() => lab.container.followers === 0);
    assert.deepEqual(lab.channels[0]!.calls, ['show(true)', 'dispose']);
  });
});
