import assert from 'node:assert/strict';
import type { PageItem } from '../../../src/cleanup/protocol.ts';
import { until } from '../../bed/until.ts';
import type { PageElement } from '../../bed/vscode/dom.ts';
import { FAINT_TEXTS } from './faintTexts.ts';
import { CleanupLab, content, item } from './openCleanup.ts';
import { THEMES } from './themes.ts';

/** One of each kind and state. */
const ITEMS: readonly PageItem[] = [
  item('containers 1', {
    ...{ kind: 'containers', name: 'shop-worker-1', project: 'shop', size: 20_000 },
    note: 'Exited (0) 2 days ago',
  }),
  item('containers 2', {
    ...{ kind: 'containers', name: 'shop-web-1', project: 'shop', size: 812_000 },
    ...{ note: 'running', state: 'kept', isSuggested: false, age: '2 h', ageGroup: 'day' },
  }),
  item('images 1', { name: '4f06b3e2d1aa', size: 700_000_000, age: '5 wk', ageGroup: 'older' }),
  item('images 2', {
    ...{ name: 'registry.example.com/a-team/with-a-rather-long-name/service:2026-11-25' },
    ...{ size: undefined, atMost: 512_000_000, note: 'tagged image', isSuggested: false },
  }),
  item('images 3', {
    ...{ name: 'shop-worker:latest', project: 'shop', size: 90_000_000, isSuggested: false },
    ...{ note: 'used by shop-worker-1', needs: ['containers 1'] },
  }),
  item('images 4', {
    ...{ name: 'postgres:16', note: 'excluded by you', state: 'kept', isSuggested: false },
    ...{ isExcluded: true, size: 430_000_000 },
  }),
  item('volumes 1', { kind: 'volumes', name: '9f06b3e2d1aa', size: 50_000_000 }),
  item('volumes 2', {
    ...{ kind: 'volumes', name: 'shop_data', project: 'shop', size: 200_000_000 },
    ...{ note: 'used by shop-web-1', state: 'kept', isSuggested: false, age: '8 mo' },
  }),
  item('networks 1', { kind: 'networks', name: 'old_default', size: 0 }),
  item('buildCache 1', {
    ...{ kind: 'buildCache', name: '[build 3/5] RUN npm ci --ignore-scripts', size: 812_000_000 },
    ...{ age: '40 s', ageGroup: 'day' },
  }),
  item('buildCache 2', {
    ...{ kind: 'buildCache', name: 'mount / from exec /bin/sh -c make', size: 4_000_000 },
    ...{ note: 'in use by a build', state: 'kept', isSuggested: false },
  }),
];

describe('clean-up page', function () {
  this.timeout(60_000);
  const lab = new CleanupLab();
  after(() => lab.close());

  const box = (name: string) => lab.page.getByRole('checkbox', { name, exact: true });
  const sum = () => lab.page.locator('.sum').textContent();
  const focus = () =>
    lab.page.evaluate<string>(`document.activeElement.getAttribute('aria-label') ?? ''`);

  /** Resolves to the heights of all rows once they are drawn: until then, each item is as high as the style says. */
  const drawnHeights = async (): Promise<number[]> => {
    await until(async () => !(await rows()).some(({ isDrawn }) => !isDrawn), 'all rows are drawn');
    return (await rows()).map(({ height }) => height);
  };
  const rows = () => lab.page.locator('.row').evaluateAll(readRows);

  /** Checks the contrast of all texts in each theme. */
  const assertReadable = async (what: string): Promise<void> => {
    for (const [name, theme] of THEMES) {
      await lab.setTheme(theme);
      await lab.shot(`${name}-${what}`);
      assert.deepEqual(await lab.page.evaluate(FAINT_TEXTS), [], name);
    }
  };

  it('is readable at 300 pixels in each theme', async () => {
    await lab.open(content(ITEMS));
    await lab.page.locator('.item').first().waitFor();
    await assertReadable('begin');
    const width = await lab.page.evaluate(`document.querySelector('.body').scrollWidth`);
    assert.equal(width, 300);
    await lab.page.getByRole('button', { name: 'Remove...' }).click();
    await lab.page.getByRole('dialog').waitFor();
    await assertReadable('question');
    await lab.page.keyboard.press('Escape');
    assert.deepEqual(lab.complaints, []);
  });

  it('selects what is easy to make again, and sums up what that reclaims', async () => {
    await lab.open(content(ITEMS));
    assert.equal(await sum(), '5 selected · Reclaims at least 1.6 GB.');
    for (const name of ['shop-worker-1', '4f06b3e2d1aa']) assert(await box(name).isChecked(), name);
    assert.equal(await box('postgres:16').isDisabled(), true);
    await box('Select Volumes').uncheck();
    assert.equal(await sum(), '4 selected · Reclaims at least 1.5 GB.');
  });

  it('selects an item only together with what uses it', async () => {
    await lab.open(content(ITEMS));
    await box('shop-worker:latest').check();
    assert.match((await sum()) ?? '', /^6 selected/);
    await box('shop-worker-1').uncheck();
    assert.match((await sum()) ?? '', /^4 selected/);
    assert.equal(await box('shop-worker:latest').isDisabled(), true);
    const title = await box('shop-worker:latest').getAttribute('title');
    assert.equal(title, 'Select what uses it first');
  });

  it('lists exactly what it removes, and removes nothing after Escape', async () => {
    await lab.open(content(ITEMS));
    const remove = lab.page.getByRole('button', { name: 'Remove...' });
    await remove.click();
    const dialog = lab.page.getByRole('dialog');
    assert.deepEqual(await dialog.locator('.name').allTextContents(), [
      'shop-worker-1',
      '4f06b3e2d1aa',
      '9f06b3e2d1aa',
      'old_default',
      '[build 3/5] RUN npm ci --ignore-scripts',
    ]);
    assert.match(await dialog.innerText(), /^Remove 5 items\?\s+All files in the selected volumes/);
    await lab.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(lab.heard.filter(({ type }) => type === 'remove').length, 0);
    await remove.click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    const { seen } = await lab.hears('remove');
    const expected = ['containers 1', 'images 1', 'volumes 1', 'networks 1', 'buildCache 1'];
    assert.deepEqual(seen, expected);
  });

  it('names every tag of an image that it removes', async () => {
    const names = '127.0.0.1:5001/qux/tool:1, tool:latest';
    await lab.open(content([item('images 1', { name: names, tags: 2 })], { engine: 'Engine: a.' }));
    await lab.page.getByRole('button', { name: 'Remove...' }).click();
    const dialog = lab.page.getByRole('dialog');
    assert.deepEqual(await dialog.locator('.name').allTextContents(), [names]);
    assert.equal(await dialog.locator('h3').textContent(), 'Images (1 image with 2 tags)');
    assert.match(await dialog.innerText(), /^Engine: a\.$/m);
    await lab.page.keyboard.press('Escape');
  });

  it('selects nothing that comes later, and counts nothing that is gone', async () => {
    const old = item('buildCache 1', { kind: 'buildCache' });
    const fresh = item('buildCache 2', { kind: 'buildCache' });
    await lab.open(content([], { isLoading: true }));
    await lab.tell({
      type: 'content',
      content: content([item('images 1')], { isMeasuring: true }),
    });
    await lab.tell({ type: 'content', content: content([item('images 1'), old]) });
    assert.match((await sum()) ?? '', /^2 selected/);
    const gone = { ...old, state: 'gone' } as const;
    const later = content([item('images 1'), item('images 2'), gone, fresh]);
    await lab.tell({ type: 'content', content: later });
    assert.match((await sum()) ?? '', /^1 selected/);
    const facts = await lab.page.locator('.facts').allTextContents();
    assert.deepEqual(
      facts.map((one) => one.split(' ')[0]),
      ['2', '1'],
    );
    await lab.load(later);
    assert.match((await sum()) ?? '', /^1 selected/);
  });

  it('shows what an image has for itself, if other images share the rest', async () => {
    const alone = item('images 1', { atMost: 1000 });
    const shared = item('images 2', { atMost: 5000 });
    await lab.open(content([alone, shared]));
    assert.deepEqual((await lab.page.locator('.size').allTextContents()).toSorted(), [
      '1.0 kB',
      '1.0 kB unique',
    ]);
  });

  it('forgets the selection and closes the question when another engine is in use', async () => {
    await lab.open(content(ITEMS));
    await box('4f06b3e2d1aa').uncheck();
    await lab.page.getByRole('button', { name: 'Remove...' }).click();
    const dialog = lab.page.getByRole('dialog');
    await dialog.waitFor();
    await lab.tell({ type: 'content', content: content(ITEMS, { switches: 1 }) });
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await box('4f06b3e2d1aa').isChecked(), true);
    assert.equal(lab.heard.filter(({ type }) => type === 'remove').length, 0);
  });

  it('groups by project and age, and keeps that and the selection over a reload', async () => {
    await lab.open(content(ITEMS));
    const labels = () => lab.page.locator('.group .label').allTextContents();
    const kinds = ['Containers', 'Images', 'Volumes', 'Networks', 'Build cache'];
    assert.deepEqual(await labels(), kinds);
    await lab.page.getByLabel('Group By').selectOption('Age');
    assert.deepEqual(await labels(), ['Last 24 hours', 'Last 7 days', 'Older']);
    await lab.page.getByLabel('Group By').selectOption('Compose Project');
    assert.deepEqual(await labels(), ['shop', 'No project']);
    await lab.page.getByLabel('Group By').selectOption('Worktree');
    assert.deepEqual(await labels(), ['Other']);
    await lab.page.getByLabel('Group By').selectOption('Compose Project');
    await box('4f06b3e2d1aa').uncheck();
    await lab.load(content(ITEMS));
    assert.deepEqual(await labels(), ['shop', 'No project']);
    assert.equal(await box('4f06b3e2d1aa').isChecked(), false);
  });

  it('works with the keyboard', async () => {
    await lab.open(content(ITEMS));
    const press = (...keys: readonly string[]) =>
      keys.reduce((done, key) => done.then(() => lab.page.keyboard.press(key)), Promise.resolve());
    await lab.page.getByRole('button', { name: 'Refresh' }).focus();
    await press('Tab');
    assert.match(await focus(), /^Containers/);
    await press('ArrowDown', ' ');
    assert.match((await sum()) ?? '', /^4 selected/);
    await press('ArrowRight');
    assert.equal(await focus(), 'Never Remove');
    await press('Enter');
    assert.deepEqual(await lab.hears('exclude'), {
      ...{ type: 'exclude', key: 'containers 1', isOn: true },
    });
    // The focus stays although the list is made again.
    await lab.tell({ type: 'content', content: content(ITEMS) });
    await press('ArrowLeft');
    assert.match(await focus(), /^shop-worker-1/);
    await press('ArrowLeft', 'ArrowLeft');
    const group = lab.page.locator('.group').first();
    assert.equal(await group.getAttribute('aria-expanded'), 'false');
    await press('End');
    assert.match(await focus(), /^mount \/ from/);
  });

  it('undoes an exclusion', async () => {
    await lab.open(content(ITEMS));
    await lab.page.getByRole('button', { name: 'Allow Removal' }).click();
    const { key, isOn } = await lab.hears('exclude');
    assert.deepEqual([key, isOn], ['images 4', false]);
  });

  it('shows the list before its sizes, and then changes no height', async () => {
    const early = ITEMS.map((one) => ({ ...one, size: undefined }));
    await lab.open(content(early, { isMeasuring: true, uses: [] }));
    // With sizes, the rows are in another order.
    const heights = async () => (await drawnHeights()).sort((a, b) => a - b);
    const before = await heights();
    assert.equal(await lab.page.getByRole('status').textContent(), 'Calculating sizes...');
    await lab.tell({ type: 'content', content: content(ITEMS) });
    await lab.page.getByText('5.5 GB').waitFor();
    assert.deepEqual(await heights(), before);
  });

  it('scrolls through rows of the same height, drawn or not', async () => {
    const many = Array.from({ length: 300 }, (_, at) => item(`images ${at}`, { name: `i${at}` }));
    await lab.open(content(many));
    const items = () => lab.page.locator('.item').evaluateAll(readRows);
    await until(async () => (await items())[0]?.isDrawn === true, 'the first row is drawn');
    const all = await items();
    assert.equal(all.at(-1)?.isDrawn, false);
    assert.deepEqual([...new Set(all.map(({ height }) => height))], [all[0]?.height]);
  });

  it('reports what is wrong, what is gone, and that nothing is there', async () => {
    await lab.open(content([], { isLoading: true, uses: [] }));
    assert.equal(await lab.page.getByRole('status').textContent(), 'Looking for unused data...');
    await lab.shot('loading');
    await lab.tell({ type: 'content', content: content([], { uses: [] }) });
    await lab.page.getByText('The engine has nothing to clean up.').waitFor();
    const problem = 'This list may be out of date. Connection lost.';
    const gone = ITEMS.map((one) => ({ ...one, state: 'gone' }) as const);
    await lab.tell({ type: 'content', content: content(gone, { problem, isConnected: false }) });
    await lab.page.getByRole('alert').getByText(problem).waitFor();
    assert.equal(await lab.page.getByText('no longer exists').count(), ITEMS.length);
    assert.equal(await lab.page.getByRole('button', { name: 'Remove...' }).isDisabled(), true);
    await lab.shot('lost');
  });

  it('opens for one kind with nothing of the others selected', async () => {
    await lab.open(content(ITEMS));
    await lab.tell({ type: 'focus', kind: 'buildCache' });
    await lab.page.locator('.sum', { hasText: '1 selected' }).waitFor();
    assert.equal(await lab.page.locator('.item').count(), 2);
    await lab.tell({ type: 'focus', kind: undefined });
    await lab.page.locator('.sum', { hasText: '5 selected' }).waitFor();
  });
});

/** A row of the list. */
interface RowElement extends PageElement {
  checkVisibility(options: { readonly contentVisibilityAuto: boolean }): boolean;
}

/** Returns the heights of rows, and whether what is in them is drawn. Runs in the page. */
function readRows(rows: PageElement[]) {
  return rows.map((row) => {
    const inside = row.querySelector('input') as RowElement;
    const isDrawn = inside.checkVisibility({ contentVisibilityAuto: true });
    return { height: row.getBoundingClientRect().height, isDrawn };
  });
}
