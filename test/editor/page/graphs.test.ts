import assert from 'node:assert/strict';
import type { GraphMark } from '../../../src/graphs/protocol.ts';
import { FAINT_TEXTS } from './faintTexts.ts';
import { noticeableMs } from './tasks.ts';
import { END, GraphsLab, keyOf, members, work } from './openGraphs.ts';
import { THEMES } from './themes.ts';

const NAMES = ['shop-web-1', 'shop-db-1', 'shop-cache-with-a-rather-long-name-1', 'shop-worker-1'];

/** A start, an exit, and a kill for lack of memory. */
const MARKS: readonly GraphMark[] = [
  { key: keyOf(0), at: END - 1_500_000, kind: 'started' },
  { key: keyOf(0), at: END - 1_440_000, kind: 'healthy' },
  { key: keyOf(0), at: END - 700_000, kind: 'unhealthy' },
  { key: keyOf(0), at: END - 620_000, kind: 'outOfMemory' },
  { key: keyOf(0), at: END - 600_000, kind: 'exited', exitCode: 137 },
  { key: keyOf(0), at: END - 590_000, kind: 'started' },
];

describe('statistics page', function () {
  this.timeout(60_000);
  const lab = new GraphsLab();
  after(() => lab.close());

  const cpu = () => lab.page.getByRole('slider', { name: 'CPU' });

  for (const width of [400, 900, 1400])
    it(`is readable at ${width} pixels in each theme`, async () => {
      const all = members(...NAMES);
      const readings = all.map((_, index) => work(index, 60));
      await lab.open({ members: all, readings, marks: MARKS });
      await lab.page.setViewportSize({ width, height: 800 });
      await lab.tell({ type: 'position', at: END - 1_000_000 });
      for (const [name, theme] of THEMES) {
        await lab.setTheme(theme);
        await lab.shot(`${name}-${width}`);
        assert.deepEqual(await lab.page.evaluate(FAINT_TEXTS), [], name);
      }
      const wide = await lab.page.evaluate(`document.querySelector('.body').scrollWidth`);
      assert.equal(wide, width);
      await lab.open({ members: all.slice(0, 1), readings: readings.slice(0, 1), marks: MARKS });
      await lab.page.setViewportSize({ width, height: 800 });
      await lab.still();
      await lab.shot(`one-${width}`);
      assert.deepEqual(lab.complaints, []);
    });

  const moment = () => lab.page.locator('.moment').textContent();
  const range = () => lab.page.locator('.range').textContent();
  const openOne = (minutes = 30) =>
    lab.open({ members: members('web'), readings: [work(0, minutes)], marks: MARKS });

  it('moves the cursor, zooms and opens the log with the keyboard', async () => {
    await lab.page.setViewportSize({ width: 1400, height: 800 });
    await openOne();
    assert.equal(await range(), 'Last 30 min');
    await cpu().focus();
    await lab.page.keyboard.press('ArrowLeft');
    assert.equal(await moment(), 'At 13:59:55');
    await lab.page.keyboard.press('ArrowLeft');
    assert.match((await cpu().getAttribute('aria-valuetext')) ?? '', /^13:59:50, [\d.]+%$/);
    await lab.page.keyboard.press('Enter');
    assert.equal((await lab.hears('openLog')).at, END - 10_000);
    await lab.page.keyboard.press('+');
    await lab.still();
    assert.match((await range()) ?? '', /^13:44:\d\d to 13:59:\d\d$/);
    await lab.page.keyboard.press('Escape');
    await lab.still();
    assert.equal(await range(), 'Last 30 min');
    await lab.page.keyboard.press('Home');
    assert.equal(await moment(), 'At 13:30:00');
    await lab.page.keyboard.press('Escape');
    assert.equal(await moment(), '');
    assert.deepEqual(lab.complaints, []);
  });

  /** Returns a place in the CPU graph. @param share from its left edge. */
  const placeAt = async (share: number): Promise<readonly [number, number]> => {
    const box = await lab.page.locator('.cpu .u-over').boundingBox();
    assert(box);
    return [box.x + box.width * share, box.y + box.height / 2];
  };

  it('opens the log at the time that is clicked, and names what happened there', async () => {
    await openOne();
    const [x, y] = await placeAt(2 / 3);
    await lab.page.mouse.move(x, y);
    await lab.page.mouse.click(x, y);
    const { at } = await lab.hears('openLog');
    assert(Math.abs(at - (END - 600_000)) <= 6000, String(END - at));
    assert.match((await moment()) ?? '', /out of memory · exited \(137\) · started$/);
    await lab.page.mouse.move(2, 2);
    await lab.page.waitForFunction(`document.querySelector('.moment').textContent === ''`);
  });

  it('zooms to what is dragged, without opening the log', async () => {
    await openOne();
    const [from, y] = await placeAt(0.2);
    const [to] = await placeAt(0.4);
    await lab.page.mouse.move(from, y);
    await lab.page.mouse.down();
    await lab.page.mouse.move(to, y, { steps: 5 });
    await lab.page.mouse.up();
    await lab.still();
    assert.match((await range()) ?? '', /^13:3[56]:\d\d to 13:4[12]:\d\d$/);
    assert.equal(lab.heard.filter(({ type }) => type === 'openLog').length, 0);
    await lab.tell({ type: 'readings', now: END + 5000, readings: [] });
    await lab.still();
    assert.match((await range()) ?? '', /^13:3[56]/);
    await lab.page.getByRole('button', { name: 'Reset Zoom' }).click();
    await lab.still();
    assert.equal(await range(), 'Last 30 min');
  });

  it('hides and shows lines by the legend, and remembers it', async () => {
    const all = members('web', 'db');
    const content = { members: all, readings: [work(0, 10), work(1, 10)] };
    await lab.open(content);
    const value = () => lab.page.locator('.cpu .value').textContent();
    assert.match((await value()) ?? '', /^sum · /);
    await lab.page.getByRole('button', { name: 'db', exact: true }).click();
    await lab.still();
    assert.match((await value()) ?? '', /^[\d.]+%$/);
    await lab.load(content);
    const isOn = () =>
      lab.page.getByRole('button', { name: 'db', exact: true }).getAttribute('aria-pressed');
    assert.equal(await isOn(), 'false');
  });

  it('keeps the last values of what is gone, and says so', async () => {
    const [web, db] = members('web', 'db');
    assert(web && db);
    const gone = work(1, 10);
    const readings = [work(0, 10), { ...gone, rows: gone.rows.slice(0, -30) }];
    await lab.open({ members: [web, { ...db, state: 'gone' }], readings });
    const row = lab.page.getByRole('row', { name: /db/ });
    assert.match(await row.innerText(), /removed/);
    assert.match(await row.locator('td.cpu').innerText(), /%$/);
    assert.match((await lab.page.locator('.pids .value').textContent()) ?? '', /^sum · \d$/);
  });

  it('is a table, too: by the button, with links to the log', async () => {
    await openOne();
    await lab.page.getByRole('button', { name: 'Show as Table' }).click();
    const table = lab.page.locator('.readings table');
    assert.equal(
      await table.locator('caption').textContent(),
      'Highest values of each 30 s, newest first',
    );
    const rows = table.locator('tbody tr');
    assert((await rows.count()) > 50);
    await lab.shot('table');
    assert.match(await table.innerText(), /exited \(137\)/);
    await rows.nth(1).getByRole('button').click();
    assert.equal((await lab.hears('openLog')).at, END - 30_000);
    for (const [name, theme] of THEMES) {
      await lab.setTheme(theme);
      assert.deepEqual(await lab.page.evaluate(FAINT_TEXTS), [], name);
    }
  });

  it('says why it stands still, and that there is nothing yet', async () => {
    const problem = 'Connection lost: connection refused. Reconnecting...';
    await lab.open({ members: members('web'), readings: [work(0, 1)], problem });
    assert.equal(await lab.page.getByRole('alert').textContent(), problem);
    const [web] = members('web');
    assert(web);
    await lab.open({ members: [{ ...web, state: 'down' }], readings: [] });
    const note = () => lab.page.locator('.note').textContent();
    assert.equal(await note(), 'web · stopped · no data');
    await lab.open({ members: [{ ...web, state: 'down' }], readings: [work(0, 1)] });
    assert.equal(await note(), 'web · stopped');
    await lab.open({ members: [], readings: [] });
    assert.equal(await lab.page.locator('.note').textContent(), 'No containers');
    assert.deepEqual(lab.complaints, []);
  });

  it('has no task that users notice with 20 containers and an hour of data', async () => {
    const all = members(...Array.from({ length: 20 }, (_, index) => `web-${index}`));
    await lab.open({ members: all, readings: all.map((_, index) => work(index, 60)) });
    const longest = await lab.longestTask(async () => {
      for (let at = 1; at <= 5; at++) {
        const readings = all.map(({ key }, index) => {
          const last = work(index, 1).rows.at(-1) ?? assert.fail();
          return { key, rows: [[END + at * 5000, ...last.slice(1)]] as never };
        });
        await lab.tell({ type: 'readings', now: END + at * 5000, readings });
        await lab.still();
      }
    });
    assert(longest < Math.max(50, noticeableMs()), `${longest} ms`);
    await lab.shot('many');
  });
});
