import assert from 'node:assert/strict';
import type { Row, RowRun } from '../../../src/logviewer/protocol.ts';
import type { PageElement } from '../../bed/vscode/dom.ts';
import { FAINT_TEXTS } from './faintTexts.ts';
import { ViewerLab } from './openViewer.ts';
import { DARK, THEMES } from './themes.ts';

const LEVELS = ['none', 'trace', 'debug', 'info', 'warning', 'error', 'fatal'] as const;

/** Foreground colors 0 to 7, some of the color cube, and grays, each in its own run. */
const COLORS: readonly RowRun[] = [0, 1, 2, 3, 4, 5, 6, 7, 17, 52, 130, 226, 232, 255].map(
  (fg) => ({
    text: `${fg} `,
    fg,
  }),
);

/** Returns a line of each kind, as in a compose project. */
function sample(number: number): Partial<Row> {
  const base = {
    member: number % 3,
    level: LEVELS[number % 7]!,
    time: `14:02:${String(number % 60).padStart(2, '0')}.123`,
    runs: [{ text: `${LEVELS[number % 7]!} GET /items/${number} answered in 12 ms` }],
  };
  const special: Partial<Record<number, Partial<Row>>> = {
    0: { kind: 'marker', level: 'none', runs: [{ text: 'web-1 was started' }] },
    2: { level: 'none', runs: COLORS },
    3: {
      level: 'none',
      runs: [
        { text: 'on red ', bg: 1 },
        { text: 'dim', look: 'dim' },
        { text: ' bold', look: 'bold' },
        { text: ' #102030', fg: '#102030' },
      ],
    },
    4: {
      kind: 'stderr',
      level: 'error',
      folded: { count: 12, isOpen: false },
      runs: [
        { text: 'TypeError: x is undefined at ' },
        { text: '/srv/app/index.js:14:7', link: { index: 0, title: 'src/index.js:14:7' } },
      ],
    },
    6: {
      level: 'info',
      json: {
        isOpen: true,
        fields: [
          { name: 'msg', value: 'connected' },
          { name: 'db.host', value: 'db-1' },
        ],
      },
      runs: [{ text: '{"msg":"connected","db":{"host":"db-1"}}' }],
    },
    9: { kind: 'gap', level: 'none', runs: [{ text: 'Lines are missing here' }] },
  };
  return { ...base, ...special[number] };
}

describe('log viewer page: appearance', function () {
  this.timeout(60_000);
  const lab = new ViewerLab();
  after(() => lab.close());

  it('is readable in each theme', async () => {
    const viewer = await lab.open({
      lines: 24,
      line: sample,
      prepare: (host) => {
        host.style = { ...host.style, times: 'local' };
        host.open.add(6);
        host.members = ['web-1', 'db-1', 'cache-with-a-long-name-1'].map((member, index) => {
          return { index, name: member, color: index, isShown: true, isOver: false };
        });
      },
    });
    const assertReadable = async (what: string): Promise<void> => {
      for (const [name, theme] of THEMES) {
        await viewer.setTheme(theme);
        await viewer.still();
        await viewer.shot(`${name}-${what}`);
        assert.deepEqual(await viewer.page.evaluate(FAINT_TEXTS), [], name);
      }
    };
    await viewer.settled('the rows');
    await viewer.page.keyboard.press('Home');
    await viewer.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await viewer.page.keyboard.press('Control+f');
    await viewer.page.keyboard.type('GET');
    await viewer.page.locator('.match').first().waitFor();
    await viewer.page.locator('#line-11 .time').click();
    await viewer.page.keyboard.press('Shift+ArrowDown');
    await viewer.page.locator('.row.selected').nth(1).waitFor();
    await assertReadable('rows');
    await viewer.page.getByRole('button', { name: 'Containers' }).click();
    await viewer.page.locator('.menu').waitFor();
    await assertReadable('menu');
    assert.deepEqual(viewer.complaints, []);
  });

  it('does not animate if reduced motion is preferred', async () => {
    const viewer = await lab.open({ lines: 50, prepare: (host) => (host.isStart = false) });
    await viewer.settled('the rows');
    const shape = { ...viewer.host.shape, isReadingOlder: true };
    await viewer.host.tell({ type: 'shape', shape });
    await viewer.page.keyboard.press('Home');
    await viewer.page.locator('.spin').waitFor();
    const turns = () =>
      viewer.page.evaluate<string>(
        `getComputedStyle(document.querySelector('.spin'), '::before').animationName`,
      );
    assert.equal(await turns(), 'spin');
    // VS Code's setting first, then that of the operating system.
    await viewer.page.evaluate(`document.body.classList.add('vscode-reduce-motion')`);
    assert.equal(await turns(), 'none');
    await viewer.setTheme(DARK);
    assert.equal(await turns(), 'spin');
    await viewer.page.emulateMedia({ reducedMotion: 'reduce' });
    assert.equal(await turns(), 'none');
    await viewer.page.emulateMedia({ reducedMotion: null });
  });

  it('has a role and a name for every control and cell', async () => {
    const viewer = await lab.open({ lines: 1000, line: sample });
    await viewer.settled('the rows');
    const { page } = viewer;
    const grid = page.getByRole('treegrid', { name: 'Log of web' });
    assert.equal(await grid.getAttribute('aria-rowcount'), '1000');
    const label = await page.locator('#line-990').getAttribute('aria-label');
    assert.equal(label, '14:02:30.123, Info, info GET /items/990 answered in 12 ms');
    assert.equal(await page.locator('#line-990').getAttribute('aria-rowindex'), '991');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.keyboard.press('Control+f');
    const unnamed = await page
      .locator('button:visible, input:visible')
      .evaluateAll((all: PageElement[]) =>
        all
          .filter((one) => !one.getAttribute('aria-label') && !one.textContent)
          .map(({ className }) => className),
      );
    assert.deepEqual(unnamed, []);
    assert.equal(
      await page.locator('[role=row] :not([role=gridcell], [role=gridcell] *)').count(),
      0,
    );
    await viewer.host.tell({ type: 'notice', text: 'Copied 3 lines' });
    await page.locator('[aria-live=polite]', { hasText: 'Copied 3 lines' }).waitFor();
  });

  it('shows a notice until it is clicked', async () => {
    const viewer = await lab.open({ lines: 100 });
    await viewer.settled();
    const notice = viewer.page.locator('.notice');
    await viewer.host.tell({ type: 'notice', text: 'Cleared.', isQuiet: true });
    await viewer.page.locator('[aria-live=polite]', { hasText: 'Cleared.' }).waitFor();
    assert.equal(await notice.isVisible(), false);
    await viewer.host.tell({
      type: 'notice',
      text: 'No lines are that recent. This is the last line.',
    });
    await notice.filter({ hasText: 'No lines are that recent' }).waitFor();
    await viewer.shot('notice');
    await notice.click();
    await notice.waitFor({ state: 'hidden' });
  });

  it('moves the focus between the toolbar and the log with the keyboard', async () => {
    const viewer = await lab.open({ lines: 100 });
    await viewer.settled('the rows', ({ focus }) => focus.includes('class="log"'));
    await viewer.page.keyboard.press('Shift+Tab');
    await viewer.sees('the focus on the search button', ({ focus }) =>
      focus.includes('codicon-search'),
    );
    await viewer.page.keyboard.press('ArrowRight');
    await viewer.sees('the focus on the filter button', ({ focus }) =>
      focus.includes('codicon-filter'),
    );
    await viewer.page.keyboard.press('Tab');
    await viewer.sees('the focus on the log', ({ focus }) => focus.includes('class="log"'));
  });
});
