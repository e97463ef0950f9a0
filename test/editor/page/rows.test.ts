import assert from 'node:assert/strict';
import { ViewerLab, type Seen } from './openViewer.ts';
import { noticeableMs } from './tasks.ts';
import { LIGHT } from './themes.ts';

const last = ({ rows }: Seen) => rows.at(-1);
const isAtEnd = (seen: Seen, text: string) =>
  last(seen)?.text === text && Math.abs(last(seen)!.top + last(seen)!.height - seen.height) < 2;

describe('log viewer page: rows', function () {
  this.timeout(60_000);
  const lab = new ViewerLab();
  after(() => lab.close());

  it('opens at the end and follows it, without requesting rows', async () => {
    const viewer = await lab.open({ lines: 1000 });
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 999'));
    await viewer.hears('follow');
    const before = viewer.host.heard.length;
    for (const count of [1, 1, 8, 50]) {
      await viewer.host.add(count);
      const end = `line ${viewer.host.end - 1}`;
      await viewer.settled('the new end', (seen) => isAtEnd(seen, end));
    }
    await viewer.still();
    assert.deepEqual(viewer.host.heard.slice(before), []);
    assert.deepEqual(viewer.complaints, []);
  });

  it('stops following when scrolled up, counts new lines, and follows again on a click', async () => {
    const viewer = await lab.open({ lines: 1000 });
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 999'));
    await viewer.page.mouse.move(300, 300);
    await viewer.page.mouse.wheel(0, -400);
    await viewer.settled('further up', (seen) => last(seen)!.index < 990);
    const before = await viewer.still();
    await viewer.host.add(1);
    const button = viewer.page.locator('.new-lines');
    await button.filter({ hasText: '1 new line' }).waitFor();
    await viewer.host.add(1200);
    await button.filter({ hasText: '1,201 new lines' }).waitFor();
    assert.deepEqual((await viewer.seen()).rows, before.rows);
    await button.click();
    await viewer.settled('the end again', (seen) => isAtEnd(seen, 'line 2200'));
    assert.equal(await button.isVisible(), false);
    await viewer.host.add(1);
    await viewer.settled('following again', (seen) => isAtEnd(seen, 'line 2201'));
  });

  it('follows again when scrolled to the end, or on the End key', async () => {
    const viewer = await lab.open({ lines: 1000 });
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 999'));
    await viewer.page.keyboard.press('Home');
    await viewer.settled('the beginning', ({ rows }) => rows[0]!.text === 'Start of the log');
    await viewer.page.keyboard.press('End');
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 999'));
    await viewer.scrollTo(100);
    await viewer.settled('the beginning', ({ rows }) => rows[0]!.index < 10);
    await viewer.scrollTo(1e9);
    await viewer.host.add(5);
    await viewer.settled('the new end', (seen) => isAtEnd(seen, 'line 1004'));
  });

  it('shows the right rows anywhere among a million', async () => {
    const viewer = await lab.open({ lines: 1_000_000 });
    const { scrollHeight, height } = await viewer.settled('the end', (seen) =>
      isAtEnd(seen, 'line 999999'),
    );
    for (const share of [0.5, 0.1, 0.9, 0.333, 0]) {
      await viewer.scrollTo(share * (scrollHeight - height));
      const middle = share * 1e6;
      const { rows, laidOut } = await viewer.settled(`the row at ${share}`, (seen) =>
        seen.rows.some(({ index }) => Math.abs(index - middle) < 30),
      );
      assert.ok(laidOut < 100, `${laidOut} rows are laid out`);
      assertInOrder(rows);
    }
  });

  it('scrolls row by row among a million with the mouse wheel', async () => {
    const viewer = await lab.open({ lines: 1_000_000 });
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 999999'));
    await viewer.scrollTo(4_000_000);
    const before = await viewer.settled('the middle', (seen) => last(seen)!.index < 900_000);
    await viewer.page.mouse.move(300, 300);
    const height = before.rows[1]!.height;
    for (let step = 1; step <= 5; step++) {
      await viewer.page.mouse.wheel(0, height * 10);
      const wanted = before.rows[0]!.index + step * 10;
      await viewer.settled(`row ${wanted}`, ({ rows }) => rows[0]!.index === wanted);
    }
  });

  it('keeps its position when older rows arrive', async () => {
    const viewer = await lab.open({ lines: 1000, prepare: (host) => (host.isStart = false) });
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 999'));
    await viewer.scrollTo(600);
    await viewer.hears('older');
    const before = await viewer.settled('a place', ({ rows }) => rows[0]!.index < 40);
    const texts = before.rows.map(({ text, top }) => [text, top]);
    for (let turn = 1; turn <= 3; turn++) {
      await viewer.host.prepend(500);
      const { rows } = await viewer.settled('shifted', (seen) => seen.rows[0]!.index >= 500 * turn);
      assert.deepEqual(
        rows.map(({ text, top }) => [text, top]),
        texts,
      );
    }
    assert.equal(viewer.host.of('older').length, 1);
  });

  it('reads back near the beginning, and shows where the log begins', async () => {
    const viewer = await lab.open({ lines: 300, prepare: (host) => (host.isStart = false) });
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 299'));
    assert.equal(viewer.host.of('older').length, 0);
    await viewer.page.keyboard.press('Home');
    await viewer.hears('older');
    const shape = { ...viewer.host.shape, isReadingOlder: true };
    await viewer.host.tell({ type: 'shape', shape });
    await viewer.sees(
      'the placeholder above the rows',
      ({ rows }) => rows[0]!.text === 'Reading older lines...',
    );
    viewer.host.isStart = true;
    await viewer.host.prepend(100);
    // The row before is now where the head was.
    const { rows } = await viewer.settled('shifted', (seen) => seen.rows[0]!.text === 'line -1');
    assert.deepEqual([rows[1]?.text, rows[1]?.top, rows[1]?.index], ['line 0', 18, 100]);
    await viewer.page.keyboard.press('Home');
    await viewer.settled('the beginning', ({ rows }) => rows[0]!.text === 'Start of the log');
    assert.equal((await viewer.seen()).rows[1]!.text, 'line -100');
  });

  it('reports that there are no lines only if there can be no older ones', async () => {
    const viewer = await lab.open({ lines: 0, prepare: (host) => (host.isStart = false) });
    await viewer.sees('the button', ({ rows }) => rows[0]?.text === 'Read older lines');
    viewer.host.isStart = true;
    await viewer.host.prepend(0);
    await viewer.sees('the text', ({ rows }) => rows[0]?.text === 'No lines yet');
  });

  it('keeps its position when lines are wrapped', async () => {
    const line = (number: number) => ({
      runs: [{ text: `${number} ${'word '.repeat(number % 90)}` }],
    });
    const viewer = await lab.open({ lines: 5000, line });
    await viewer.settled('the end', (seen) => last(seen)!.index === 4999);
    await viewer.scrollTo(30_000);
    const before = await viewer.settled('a place', (seen) => last(seen)!.index < 4000);
    for (const pressed of ['true', 'false']) {
      await viewer.page.getByRole('button', { name: 'Wrap Long Lines' }).click();
      await viewer.page
        .locator(`[aria-label="Wrap Long Lines"][aria-pressed=${pressed}]`)
        .waitFor();
      const first = before.rows[0]!.index;
      await viewer.settled('the same row', ({ rows }) => rows[0]!.index === first);
    }
    assert.equal((await viewer.hears('style')).style.wrap, false);
  });

  it('keeps its position when the theme and the size change', async () => {
    const viewer = await lab.open({ lines: 300 });
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 299'));
    await viewer.page.mouse.move(300, 300);
    await viewer.page.mouse.wheel(0, -900);
    const { rows } = await viewer.settled('further up', (seen) => last(seen)!.index < 290);
    const isThere = (seen: Seen) => seen.rows[0]!.index === rows[0]!.index;
    const size = viewer.page.viewportSize()!;
    await viewer.page.setViewportSize({ ...size, width: size.width / 2 });
    await viewer.settled('the same row', isThere);
    await viewer.page.setViewportSize(size);
    await viewer.setTheme(LIGHT);
    await viewer.still();
    await viewer.settled('the same row', isThere);
    const pressed = viewer.page.locator('[aria-label="Follow"]');
    assert.equal(await pressed.getAttribute('aria-pressed'), 'false');
  });

  it('shows no match behind the find widget', async () => {
    const viewer = await lab.open({ lines: 300 });
    const { page } = viewer;
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 299'));
    await page.keyboard.press('Control+f');
    const find = page.locator('.find');
    const isClear = async (text: string): Promise<void> => {
      const { height } = (await find.boundingBox())!;
      await viewer.settled(`${text} below the widget`, ({ rows }) =>
        rows.some((row) => row.text === text && row.top >= height),
      );
    };
    await page.keyboard.type('line 0');
    await isClear('line 0');
    await find.getByRole('textbox').fill('line 77');
    await isClear('line 77');
    // Far enough that the row is just above the view.
    const { rows } = await viewer.still();
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, rows.find(({ text }) => text === 'line 77')!.top + 20);
    await viewer.settled('it out of view', (seen) => seen.rows[0]!.index > 77);
    await page.keyboard.press('F3');
    await isClear('line 77');
    await page.keyboard.press('Escape');
    await find.waitFor({ state: 'hidden' });
  });

  it('reaches both ends of wrapped lines of any height', async () => {
    const line = (number: number) => ({
      runs: [{ text: `${number} ${'word '.repeat(number % 90)}` }],
    });
    const prepare = (host: { style: object }) => {
      host.style = { ...host.style, wrap: true };
    };
    const viewer = await lab.open({ lines: 5000, line, prepare });
    await viewer.settled('the end', (seen) => last(seen)!.index === 4999);
    await viewer.page.keyboard.press('Home');
    const { rows } = await viewer.settled('the beginning', (seen) => seen.rows[0]!.index === -1);
    assertInOrder(rows.slice(1));
    await viewer.scrollTo(1e9);
    const end = await viewer.settled('the end', (seen) => last(seen)!.index === 4999);
    assert.ok(isAtEnd(end, last(end)!.text));
  });

  it('keeps its position when other rows are shown', async () => {
    const viewer = await lab.open({ lines: 10_000 });
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 9999'));
    await viewer.scrollTo(40_000);
    const { rows } = await viewer.settled('a place', (seen) => last(seen)!.index < 9000);
    const even = Array.from({ length: 5000 }, (_, index) => index * 2);
    const id = rows[0]!.index;
    const anchor = await viewer.hears('want', (message) => message.anchor === id);
    assert.equal(anchor.anchor, id);
    const row = Math.ceil(id / 2);
    await viewer.host.show(even, { id: row * 2, row });
    const after = await viewer.settled('fewer rows', (seen) => seen.rows[0]!.index === row);
    assert.equal(after.rows[0]!.text, `line ${row * 2}`);
  });

  it('renders fewer than 100 rows and keeps up with 10,000 lines per second', async () => {
    const viewer = await lab.open({ lines: 1000 });
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 999'));
    const longest = await lab.longestTask(async () => {
      for (let tick = 0; tick < 25; tick++) {
        const added = viewer.host.add(200);
        await viewer.page.evaluate('new Promise(requestAnimationFrame)');
        await added;
      }
    });
    const end = viewer.host.end - 1;
    const { laidOut } = await viewer.settled('the end', (seen) => isAtEnd(seen, `line ${end}`));
    const most = noticeableMs();
    assert.ok(longest <= most, `a task took ${longest} ms of CPU time, more than ${most} ms`);
    assert.ok(laidOut < 100, `${laidOut} rows are laid out`);
  });

  it('restores its position and its search after a reload', async () => {
    const viewer = await lab.open({ lines: 10_000 });
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 9999'));
    await viewer.page.keyboard.press('ControlOrMeta+f');
    await viewer.page.keyboard.press('Alt+r');
    await viewer.page.keyboard.type('9');
    // By then the page has also received the first match to reveal.
    await viewer.page.locator('.find .count', { hasText: /^[\d,]+ of 3,\d+$/ }).waitFor();
    await viewer.scrollTo(50_000);
    const { rows } = await viewer.settled('a place', (seen) => last(seen)!.index < 9000);
    await viewer.host.tell({ type: 'keep', kept: { ids: ['c1'] } });
    const { index } = rows[0]!;
    const find = { pattern: '9', isRegex: true, matchCase: false, wholeWord: false };
    const kept = {
      find,
      position: { id: index, moment: `moment ${index}` },
      kept: { ids: ['c1'] },
    };
    await viewer.keeps(kept);
    await viewer.load();
    await viewer.settled('the same place', (seen) => seen.rows[0]!.index === index);
    assert.deepEqual(viewer.host.of('ready').at(-1)?.position, kept.position);
    assert.deepEqual(viewer.host.of('find').at(-1), { type: 'find', query: find });
    await viewer.page.locator('.find .count', { hasText: /^\? of 3,\d+$/ }).waitFor();
    await viewer.keeps(kept);
  });

  it('keeps its stored position while there are no rows, and until it is revealed', async () => {
    const viewer = await lab.open({ lines: 10_000 });
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 9999'));
    await viewer.scrollTo(50_000);
    const { rows } = await viewer.settled('a place', (seen) => last(seen)!.index < 9000);
    const positionOf = (index: number) => ({ position: { id: index, moment: `moment ${index}` } });
    const kept = positionOf(rows[0]!.index);
    await viewer.keeps(kept);
    viewer.host.end = 0;
    await viewer.load();
    await viewer.sees('no rows', (seen) => seen.rows[0]?.text === 'No lines yet');
    await viewer.host.add(1000);
    await viewer.settled('the end', (seen) => isAtEnd(seen, 'line 999'));
    await viewer.keeps(kept);
    await viewer.host.tell({ type: 'reveal', row: 500, id: 500 });
    const after = await viewer.settled('the row', (seen) => last(seen)!.index < 900);
    await viewer.keeps(positionOf(after.rows[0]!.index));
  });
});

function assertInOrder(rows: Seen['rows']): void {
  const shown = rows.filter(({ index }) => index >= 0);
  for (const [offset, { index, top, height }] of shown.entries()) {
    assert.equal(index, shown[0]!.index + offset);
    const next = shown[offset + 1];
    if (next) assert.ok(Math.abs(top + height - next.top) < 1, 'there must be no gap between rows');
  }
}
