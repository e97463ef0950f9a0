import assert from 'node:assert/strict';
import type { LogLine } from '../../../../src/engine/model.ts';
import { RowFeed } from '../../../../src/logviewer/page/rows/rowFeed.ts';
import type { Row, ToHost } from '../../../../src/logviewer/protocol.ts';
import { SessionLab } from '../sessionLab.ts';
import { memoryStore } from '../support.ts';

const SHOWN = 20;

/** A page that follows the end of a log, without a DOM. */
class FollowingPage {
  readonly asked: ToHost[] = [];
  readonly feed = new RowFeed((message) => this.asked.push(message));
  readonly lab: SessionLab;
  /** IDs of the received rows, once per receipt. */
  readonly came: number[] = [];

  constructor(lab: SessionLab) {
    this.lab = lab;
  }

  /** Takes all posted messages and sends that the page follows the end. */
  async hear(): Promise<void> {
    for (const message of this.lab.posted.splice(0)) {
      if (message.type === 'shifted') this.feed.applyShift(message.generation, message.by);
      assert.notEqual(message.type, 'rows');
      if (message.type !== 'shape') continue;
      const { shape, tail } = message;
      this.feed.applyExtent(shape);
      if (tail) this.feed.applyRows(shape.generation, tail, tail.from);
      this.came.push(...(tail?.rows.map(({ id }) => id) ?? []));
    }
    this.feed.follow(SHOWN);
    const [asked] = this.asked.splice(0);
    if (asked) {
      await this.lab.say(asked);
      await this.hear();
    }
  }

  /** The rows shown. Asserts that none is missing or outdated. */
  get shown(): readonly (Row | undefined)[] {
    const { rowCount } = this.feed.extent;
    const from = Math.max(0, rowCount - SHOWN);
    assert.equal(this.feed.cache.missing(from, rowCount), undefined);
    return Array.from({ length: rowCount - from }, (_, at) => this.feed.cache.at(from + at));
  }
}

const textOf = (row: Row | undefined): string | undefined =>
  row?.runs.map(({ text }) => text).join('');

async function following(lab: SessionLab): Promise<FollowingPage> {
  const page = new FollowingPage(lab);
  await lab.session.open();
  await lab.say({ type: 'ready' });
  await page.hear();
  page.came.length = 0;
  return page;
}

describe('page that follows the end', () => {
  it('receives the newest rows with the first extent, before it requests any', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.write('one', 'two');
    await lab.say({ type: 'ready' });
    const tails = lab.posted
      .filter((one) => one.type === 'shape')
      .flatMap(({ tail }) => tail ?? []);
    assert.deepEqual(
      tails.map(({ from, rows }) => [from, rows.map(textOf)]),
      [[0, ['one', 'two']]],
    );
  });

  it('receives each new row once without requesting any', async () => {
    const lab = new SessionLab();
    const page = await following(lab);
    const heard: unknown[] = [];
    lab.messages.event((message) => heard.push(message));
    for (let at = 0; at < 200; at++) {
      await lab.write(`line ${at}`);
      lab.clock.pass(at % 3 === 0 ? 200 : 7);
      await page.hear();
    }
    lab.clock.pass(200);
    await page.hear();
    assert.deepEqual(heard, []);
    assert.deepEqual(
      page.came,
      Array.from({ length: 200 }, (_, at) => at),
    );
    assert.deepEqual(
      page.shown.map(textOf),
      Array.from({ length: SHOWN }, (_, at) => `line ${180 + at}`),
    );
  });

  it('receives no more rows of a flood than it shows', async () => {
    const lab = new SessionLab();
    const page = await following(lab);
    await lab.write(...Array.from({ length: 5000 }, (_, at) => `line ${at}`));
    lab.clock.pass(200);
    await page.hear();
    assert.deepEqual([page.came.length, textOf(page.shown.at(-1))], [SHOWN, 'line 4999']);
  });

  it('shows the right rows while older rows arrive, rows are dropped, and rows are opened', async () => {
    const lab = new SessionLab(undefined, memoryStore(100_000));
    const page = await following(lab);
    const older = (text: string): LogLine => ({ source: 'stdout', timestamp: '', text });
    for (let at = 0; at < 60; at++) {
      await lab.write(`line ${at} ${'x'.repeat(at > 30 ? 5000 : 10)}`);
      if (at % 7 === 0) {
        lab.older = {
          lines: [{ member: 0, line: older(`older ${at}`) }],
          isStart: false,
          horizon: '',
        };
        void lab.say({ type: 'older' });
      }
      if (at % 5 === 0) await lab.say({ type: 'json', id: at, isOpen: true });
      if (at % 11 === 0) lab.clock.pass(130);
      else lab.clock.pass(20);
      await page.hear();
      const { rowCount } = page.feed.extent;
      const ids = page.shown.map((row) => row?.id);
      if (rowCount === lab.rows.rowCount) {
        const expected = lab.rows.slice(rowCount - SHOWN, rowCount).map(({ id }) => id);
        assert.deepEqual(ids, expected);
      }
      assert.equal(new Set(ids).size, ids.length);
    }
    assert.ok(lab.store.droppedCount > 0);
  });

  it('receives changed rows again', async () => {
    const lab = new SessionLab();
    const page = await following(lab);
    await lab.write('{"a":1}', 'two');
    lab.clock.pass(100);
    await lab.say({ type: 'json', id: 0, isOpen: true });
    lab.clock.pass(100);
    await page.hear();
    assert.deepEqual([page.shown[0]?.json?.isOpen, page.came], [true, [0, 1, 0, 1]]);
  });

  it('causes no reads while it is hidden', async () => {
    const lab = new SessionLab();
    const page = await following(lab);
    await lab.write('one');
    lab.clock.pass(100);
    await page.hear();
    lab.isVisible = false;
    lab.visibility.fire();
    lab.store.read = () => assert.fail('lines were read although the page is hidden');
    await lab.write('two');
    lab.folders.fire();
    lab.clock.pass(10_000);
    assert.deepEqual([lab.posted, lab.done], [[], []]);
  });

  it('receives no rows with the extent after it has left the end', async () => {
    const lab = new SessionLab();
    const page = await following(lab);
    await lab.write('one', 'two');
    lab.clock.pass(100);
    await page.hear();
    page.feed.want({ from: 0, to: 1 }, 0);
    for (const message of page.asked) await lab.say(message);
    lab.posted.length = 0;
    await lab.write('three');
    lab.clock.pass(100);
    const { shape, tail } = lab.last('shape');
    assert.deepEqual([shape.rowCount, tail], [3, undefined]);
  });

  it('receives one notice if rows cannot be read, and the rows once they can', async () => {
    const lab = new SessionLab();
    const page = await following(lab);
    const read = lab.store.read.bind(lab.store);
    lab.store.read = () => {
      throw new Error('The disk is gone');
    };
    for (const text of ['one', 'two']) {
      await lab.write(text);
      lab.clock.pass(1000);
    }
    const notices = lab.posted.filter(({ type }) => type === 'notice');
    assert.deepEqual(notices, [{ type: 'notice', text: 'The disk is gone' }]);
    lab.store.read = read;
    await lab.write('three');
    lab.clock.pass(100);
    await page.hear();
    assert.deepEqual(page.came, [0, 1, 2]);
  });
});
