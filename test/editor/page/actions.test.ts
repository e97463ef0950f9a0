import assert from 'node:assert/strict';
import type { Row } from '../../../src/logviewer/protocol.ts';
import type { FakeHost } from './fakeHost.ts';
import { ViewerLab, type OpenViewer } from './openViewer.ts';

const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>&amp;';

const MEMBERS = [
  { index: 0, name: 'web-1', color: 0, isShown: true, isOver: false },
  { index: 1, name: 'db-1', color: 1, isShown: true, isOver: true },
];

const JSON_FIELDS = { isOpen: false, fields: [{ name: 'msg', value: HOSTILE }] };

/** A few lines of each kind among plain lines. */
function mixed(number: number): Partial<Row> {
  if (number === 3) return { runs: [{ text: HOSTILE }], kind: 'stderr', level: 'error' };
  if (number === 4) return { json: JSON_FIELDS };
  if (number === 5) return { folded: { count: 7, isOpen: false } };
  if (number !== 6) return {};
  return {
    runs: [
      { text: 'see ' },
      { text: 'http://a.test', link: { index: 0, title: 'http://a.test' } },
      { text: ' and ' },
      { text: 'app.js:3', link: { index: 1, title: 'src/app.js:3' } },
    ],
  };
}

describe('log viewer page: actions', function () {
  this.timeout(60_000);
  const lab = new ViewerLab();
  after(() => lab.close());

  const open = async (
    lines: number,
    line?: (number: number) => Partial<Row>,
    prepare?: (host: FakeHost) => void,
  ): Promise<OpenViewer> => {
    const viewer = await lab.open({ lines, ...(line && { line }), ...(prepare && { prepare }) });
    await viewer.settled(
      'the end',
      ({ rows }) => rows.at(-1)!.index === viewer.host.shape.rowCount - 1,
    );
    return viewer;
  };
  const row = (viewer: OpenViewer, index: number) => viewer.page.locator(`#line-${index}`);

  it('finds, marks, and steps through matches', async () => {
    const viewer = await open(10_000);
    const { page, host } = viewer;
    await page.keyboard.press('Control+f');
    await page.keyboard.type('77');
    await page.locator('.find .count', { hasText: /^\d+ of 2\d\d$/ }).waitFor();
    assert.equal((await viewer.hears('find')).query?.pattern, '77');
    assert.ok((await page.locator('.marks span').count()) > 100);
    await page.locator('.row .match', { hasText: '77' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Enter');
    await viewer.hears('findNext', ({ step }) => step === -1);
    await page.keyboard.press('Alt+r');
    await viewer.hears('find', ({ query }) => query?.isRegex === true);
    await page.keyboard.press('Alt+c');
    await page.keyboard.press('Alt+w');
    await viewer.hears('find', ({ query }) => query?.wholeWord === true && query.matchCase);
    await page.getByRole('button', { name: 'Search the Whole Log' }).click();
    await viewer.hears('searchBack', ({ isOn }) => isOn);
    await host.tell({ type: 'find', find: searching });
    await page.getByRole('button', { name: 'Stop' }).click();
    await viewer.hears('searchBack', ({ isOn }) => !isOn);
    assert.match((await page.locator('.find').textContent()) ?? '', /back to 14:02/);
    await page.keyboard.press('Escape');
    await viewer.hears('find', ({ query }) => query === undefined);
    await page.locator('.find').waitFor({ state: 'hidden' });
    await viewer.sees('the focus on the log', ({ focus }) => focus.includes('class="log"'));
    assert.equal(await page.locator('.marks span').count(), 0);
    await page.locator('.match').first().waitFor({ state: 'detached' });
  });

  it('scrolls to a match and makes it the current row', async () => {
    const viewer = await open(10_000);
    await viewer.page.keyboard.press('Control+f');
    await viewer.page.keyboard.type('line 424');
    await viewer.sees('the match in the current row', ({ rows }) =>
      rows.some(({ text, classes }) => text === 'line 424' && classes.includes('current')),
    );
    await viewer.page.keyboard.press('F3');
    await viewer.sees('the next match in the current row', ({ rows }) =>
      rows.some(({ text, classes }) => text === 'line 4240' && classes.includes('current')),
    );
  });

  it('runs commands from keybindings and the context menu on the clicked row', async () => {
    const viewer = await open(100);
    const { page, host } = viewer;
    await page.locator('.row', { hasText: /^line 95$/ }).click({ button: 'right' });
    await host.tell({ type: 'ask', what: 'copyWithColors' });
    const { from, to, withColors } = await viewer.hears('copy');
    assert.deepEqual([from.id, to.id, withColors], [95, 95, true]);
    await host.tell({ type: 'ask', what: 'find' });
    await page.locator('.find').waitFor();
  });

  it('says in the filter bar why an expression is invalid, and keeps the lines until it is valid', async () => {
    const viewer = await open(1000);
    const { page } = viewer;
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page
      .getByRole('button', { name: /^Use Regular Expression/ })
      .first()
      .click();
    const input = page.getByPlaceholder('Show lines with');
    await input.click();
    await page.keyboard.type('(warn');
    const reason = 'Invalid regular expression: Unterminated group';
    await page.getByRole('status').getByText(reason, { exact: true }).waitFor();
    assert.equal(await input.getAttribute('aria-invalid'), 'true');
    await page.keyboard.type(')');
    const { filter } = await viewer.hears(
      'filter',
      ({ filter: { include } }) => include !== undefined,
    );
    assert.equal(filter.include?.pattern, '(warn)');
    assert.equal(await input.getAttribute('aria-invalid'), 'false');
    assert.equal(await page.getByRole('status').getByText(reason).count(), 0);
  });

  it('takes a whole number of lines around each match, from 0 to 99', async () => {
    const viewer = await open(1000);
    const { page } = viewer;
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const around = page.getByLabel('Lines shown around each match');
    for (const [typed, kept] of [
      ['-1', '0'],
      ['1.5', '1'],
      ['99999999', '99'],
    ] as const) {
      await around.click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(typed);
      await page.keyboard.press('Tab');
      assert.equal(await around.inputValue(), kept);
    }
  });

  it('sends the filter and shows how many rows match', async () => {
    const viewer = await open(1000);
    const { page } = viewer;
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByPlaceholder('Show lines with').fill('warn');
    await page.getByPlaceholder('Hide lines with').fill('noise');
    await page.getByLabel('Lines shown around each match').fill('2');
    await page.getByRole('button', { name: /^Levels/ }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Error' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Streams/ }).click();
    await page.getByRole('menuitemcheckbox', { name: 'stderr' }).click();
    await page.keyboard.press('Escape');
    const { filter } = await viewer.hears(
      'filter',
      ({ filter: { streams } }) => streams.length > 0,
    );
    const flags = { isRegex: false, matchCase: false, wholeWord: false };
    assert.deepEqual(filter, {
      include: { pattern: 'warn', ...flags },
      exclude: { pattern: 'noise', ...flags },
      levels: ['error'],
      streams: ['stderr'],
      context: 2,
    });
    await viewer.host.show([1, 5, 900]);
    await page.locator('.filter .count', { hasText: '3 of 1,000 rows' }).waitFor();
    await viewer.settled('three rows', ({ rows }) => rows.at(-1)!.text === 'line 900');
    await page.getByRole('button', { name: 'Clear Filter' }).click();
    const cleared = await viewer.hears('filter', (message) => message.filter.levels.length === 0);
    assert.equal(cleared.filter.include, undefined);
  });

  it('folds and opens rows with the mouse and keyboard', async () => {
    const viewer = await open(20, mixed);
    await row(viewer, 5).locator('.badge', { hasText: '7 more lines' }).click();
    await viewer.hears('fold', ({ id, isOpen }) => id === 5 && isOpen);
    await viewer.page.locator('#line-5[aria-expanded=true]').waitFor();
    await viewer.page.keyboard.press('ArrowLeft');
    await viewer.hears('fold', ({ isOpen }) => !isOpen);
    await row(viewer, 4).locator('.twistie').click();
    await viewer.hears('json', ({ id, isOpen }) => id === 4 && isOpen);
    assert.equal(await row(viewer, 4).locator('.field-name').textContent(), 'msg');
    assert.equal(await row(viewer, 4).locator('.field-value').textContent(), HOSTILE);
    await viewer.page.getByRole('button', { name: 'JSON Fields' }).click();
    await viewer.page.getByRole('menuitemcheckbox', { name: 'msg' }).click();
    assert.deepEqual((await viewer.hears('style')).style.fields, ['msg']);
  });

  it('follows links with the mouse and keyboard', async () => {
    const viewer = await open(20, mixed);
    const links = row(viewer, 6).getByRole('link');
    await links.nth(1).click();
    await viewer.hears('openLink', ({ id, index }) => id === 6 && index === 1);
    await viewer.page.keyboard.press('Enter');
    await viewer.page.keyboard.press('Tab');
    await viewer.page.keyboard.press('Shift+Tab');
    await viewer.page.keyboard.press('Enter');
    await viewer.hears('openLink', ({ index }) => index === 0);
    viewer.host.line = (number) => ({ ...mixed(number), level: 'error' });
    await viewer.host.show(undefined);
    await viewer.page.locator('#line-6.level-error').waitFor();
    await viewer.sees('the focus on the link', ({ focus }) => focus.startsWith('<a'));
    await viewer.page.keyboard.press('Escape');
    await viewer.sees('the focus on the log', ({ focus }) => focus.startsWith('<div class="log"'));
  });

  it('shows untrusted text as plain text', async () => {
    const viewer = await open(20, mixed);
    assert.equal(await row(viewer, 3).locator('.content').textContent(), HOSTILE);
    assert.equal(await viewer.page.locator('img, .log script').count(), 0);
    assert.equal(await viewer.page.title(), 'web');
    await viewer.host.tell({ type: 'nonsense' } as never, { type: 'constructor' } as never);
    await viewer.host.add(1);
    await viewer.settled('what came after', ({ rows }) => rows.at(-1)!.text === 'line 20');
    assert.deepEqual(viewer.complaints, []);
  });

  it('selects with the mouse, keeps the selection while scrolling, and copies it', async () => {
    const viewer = await open(1000);
    const { page } = viewer;
    await viewer.scrollTo(0);
    await viewer.settled('the beginning', ({ rows }) => rows[0]!.index === -1);
    const box = (await row(viewer, 2).locator('.content').boundingBox())!;
    const size = box.width / 6;
    await page.mouse.move(box.x + size * 2.1, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + size * 4.1, box.y + 8 + 2 * box.height, { steps: 3 });
    await viewer.sees('a selection of two lines', ({ selected }) => selected.length === 2);
    await page.mouse.up();
    assert.deepEqual((await viewer.seen()).selected, ['ne 2', 'line']);
    await viewer.scrollTo(10_000);
    await viewer.settled('elsewhere', ({ rows }) => rows[0]!.index > 400);
    assert.deepEqual((await viewer.seen()).selected, []);
    await page.keyboard.press('Control+c');
    const { from, to, withColors } = await viewer.hears('copy');
    assert.deepEqual(
      [from, to, withColors],
      [{ id: 2, character: 2 }, { id: 4, character: 4 }, false],
    );
    await viewer.scrollTo(0);
    await viewer.sees('the selection again', ({ selected }) => selected.join() === 'ne 2,line');
  });

  it('selects all rows with Ctrl+A, and rows with Shift', async () => {
    const viewer = await open(1000);
    const { page } = viewer;
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+Shift+c');
    const all = await viewer.hears('copy', ({ withColors }) => withColors);
    assert.ok(all.from.id < -1e9 && all.to.id > 1e9);
    await page.keyboard.press('Home');
    await viewer.settled('the beginning', ({ rows }) => rows[0]!.index === -1);
    await page.keyboard.press('ArrowDown');
    await viewer.sees('the current row', ({ active }) => active === 'line 1');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.locator('.row.selected').nth(2).waitFor();
    await page.keyboard.press('Control+c');
    const some = await viewer.hears('copy', ({ withColors }) => !withColors);
    assert.deepEqual([some.from, some.to.id], [{ id: 1, character: 0 }, 3]);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.row.selected').count(), 0);
    await page.keyboard.press('PageDown');
    await viewer.sees('a page further', ({ active }) => Number(active?.slice(5)) > 20);
  });

  it('shows and hides containers', async () => {
    const prepare = (host: FakeHost) => {
      host.members = MEMBERS;
    };
    const viewer = await open(20, (number) => ({ member: number % 2 }), prepare);
    assert.equal(await row(viewer, 1).locator('.member').textContent(), 'db-1');
    await viewer.page.getByRole('button', { name: 'Containers' }).click();
    const items = viewer.page.getByRole('menuitemcheckbox');
    assert.deepEqual(await items.allTextContents(), ['All Containers', 'web-1', 'db-1 (exited)']);
    await items.nth(2).click();
    await viewer.hears('showMember', ({ index, isShown }) => index === 1 && !isShown);
    assert.equal(await items.nth(0).getAttribute('aria-checked'), 'false');
  });

  it('sends the commands of the toolbar', async () => {
    const viewer = await open(20);
    const { page } = viewer;
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByRole('button', { name: 'Go to Time...' }).click();
    for (const item of ['Save All Lines...', 'Save Shown Lines...', 'Open as Text Document']) {
      await page.getByRole('button', { name: 'Save and Open' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    }
    await viewer.hears('command', ({ name }) => name === 'openDocument');
    const names = viewer.host.of('command').map(({ name }) => name);
    assert.deepEqual(names, ['clear', 'jump', 'save', 'saveMatches', 'openDocument']);
    await page.getByRole('button', { name: 'Timestamps' }).click();
    await page.getByRole('menuitemradio', { name: 'UTC' }).click();
    assert.equal((await viewer.hears('style')).style.times, 'utc');
    await page.getByRole('button', { name: 'Fold Stack Traces' }).click();
    await viewer.hears('style', ({ style }) => style.fold);
  });
});

const searching = {
  count: 120,
  current: 3,
  isDone: false,
  marks: [1, 500],
  problem: undefined,
  horizon: 'Searched back to 14:02',
  isSearchingBack: true,
};
