// Every kind of quick input takes what a person types: after a second, key by key, without a script that focuses it.
import assert from 'node:assert/strict';
import type { PageElement } from '../../bed/vscode/dom.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { pickRow } from './forms.ts';
import { Keys } from './keys.ts';
import { seen } from './seen.ts';

/** A command that opens a quick input when it is run from the palette. */
interface Opened {
  readonly kind: string;
  readonly category: string;
  readonly title: string;
  readonly asks: string | RegExp;
}

const ADDRESS = 'tcp://127.0.0.1:1';
/** Longer than a box that loses the focus while it opens was shown again without asking the window. */
const BUSY_MS = 1000;
const OVERVIEW = 'Select an option to change, or continue';

/** One of each kind: they differ in who filters their rows and in when the rows are set again. */
const QUICK_INPUTS: readonly Opened[] = [
  {
    kind: 'a quick pick whose first row is the typed text',
    category: 'Gantry Images',
    title: 'Pull...',
    asks: 'Pull Image',
  },
  {
    kind: 'a quick pick that is filled as rows arrive',
    category: 'Gantry Containers',
    title: 'Create Container...',
    asks: 'Select an image or enter an image name',
  },
  {
    kind: 'a quick pick that VS Code filters',
    category: 'Gantry Containers',
    title: 'Open Log Viewer',
    asks: 'Select a container',
  },
  {
    kind: 'a quick pick with rows to select or an address to enter',
    category: 'Gantry Engines',
    title: 'Add Engine...',
    // The latter if the machine has no other engine.
    asks: /Select an engine|No engine was found/,
  },
  {
    kind: 'an input box',
    category: 'Gantry Networks',
    title: 'Create...',
    asks: 'Network name',
  },
];

describeWindow('typing into a quick input', {}, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let keys: Keys;

  before(() => {
    ({ workbench } = window);
    keys = new Keys(workbench);
  });

  /** Types like a person who looks at the box first, and checks that all of it arrived. */
  const typed = async (text: string): Promise<void> => {
    const { box } = workbench.quick;
    await keys.type(text);
    await until(async () => (await box.inputValue()) !== '', 'a key that arrived');
    assert.equal(await box.inputValue(), text);
  };

  /** Waits until the quick input has lost the focus, and has it again: before, a person sees the box vanish. */
  const isBack = async (): Promise<void> => {
    const { page, quick } = workbench;
    const tree = page.locator('.monaco-list[data-taken]');
    await until(async () => (await tree.count()) > 0, 'the focus in the tree');
    await quick.box.and(page.locator(':focus')).waitFor();
    await tree.evaluate((element: PageElement) => element.removeAttribute('data-taken'));
  };

  for (const { kind, category, title, asks } of QUICK_INPUTS) {
    it(`works in ${kind} (${title})`, async () => {
      await seen(workbench, 'Containers', await lab.create('typed'));
      await keys.run(title, category);
      await workbench.quick.asks(asks);
      await typed(ADDRESS);
    });
  }

  it('works in a quick pick of several rows', async () => {
    const labels = {
      'com.docker.compose.project': lab.name('typed'),
      'com.docker.compose.service': 'member',
      'com.docker.compose.config-hash': 'hash',
    };
    await lab.running('member', { labels });
    await lab.ask('POST', '/volumes/create', { Name: lab.name('data'), Labels: labels });
    await seen(workbench, 'Containers', lab.name('typed'));
    await keys.focus('Containers', lab.name('typed'));
    await keys.run('Down...', 'Gantry Compose');
    await workbench.quick.asks('Select volumes and images to also remove');
    await typed(ADDRESS);
  });

  it('works in the overview of a form, and in the step of a field', async () => {
    await keys.run('Create Container...', 'Gantry Containers');
    await workbench.quick.asks('Select an image or enter an image name');
    await typed(lab.image);
    await workbench.quick.accept(lab.image);
    await pickRow(workbench, 'Environment variables');
    await typed('TZ=UTC');
    await keys.press('Enter');
    await workbench.quick.row('TZ=UTC').waitFor();
    await workbench.quick.pick(/: Environment variables$/m, 'Done');
    await workbench.quick.asks(OVERVIEW);
    await typed('port');
    await workbench.shot('typing/form');
  });

  it('completes no form whose rows do not have it', async () => {
    const volumes = (): Promise<string> => lab.ask('GET', '/volumes');
    const before = await volumes();
    await keys.run('Create...', 'Gantry Volumes');
    await workbench.quick.asks(OVERVIEW);
    await typed('my data');
    await keys.press('Enter');
    await workbench.page.waitForTimeout(1000);
    assert.equal(await workbench.quick.box.inputValue(), 'my data');
    assert.equal(await volumes(), before);
  });

  it('works in a box that a refresh took the focus from while it opened, in a busy window', async () => {
    await seen(workbench, 'Containers', await lab.create('typed'));
    await keys.run('Focus on Containers View');
    const tree = workbench.pane('Containers').locator('.monaco-list');
    await tree.evaluate(takeFocusOnce, BUSY_MS);
    await keys.press('/');
    await isBack();
    await workbench.quick.asks('Filter and Sort');
    await typed('health:u');
    await keys.press('Escape');
  });

  it('works in a list that a refresh took the focus from while it opened', async () => {
    const name = await lab.running('typed');
    const row = workbench.row(name, 'Containers');
    await row.waitFor();
    const tree = workbench.pane('Containers').locator('.monaco-list');
    await tree.evaluate(takeFocusOnce, BUSY_MS);
    await workbench.contextMenu(row, 'Network', 'Connect...');
    await isBack();
    await workbench.quick.asks('Select a network');
    await workbench.quick.row('bridge').waitFor();
    await typed('host');
    await until(async () => (await keys.active()) === 'host', 'the row of the network');
    await keys.press('Escape');
  });

  it('works in the search for a file', async () => {
    const name = await lab.running('searched');
    await seen(workbench, 'Containers', name);
    await keys.focus('Containers', name);
    await keys.run('Find File...', 'Gantry Files');
    await workbench.quick.asks('Type words of the path to find a file below /');
    await typed('etc hosts');
  });
});

/** A part of the page that can have the focus. */
interface FocusTarget extends PageElement {
  focus(): void;
}

interface FocusedWindow {
  readonly performance: { now(): number };
  readonly setTimeout: (run: () => void, milliseconds: number) => unknown;
  readonly addEventListener: FocusListener;
  readonly removeEventListener: FocusListener;
}

type FocusListener = (
  type: 'focusin',
  listener: (event: { readonly target: PageElement }) => void,
  capture: true,
) => void;

/**
 * Gives the focus to an element as soon as a quick input has it, as VS Code does at the end of a refresh of a tree, and
 * keeps the page busy, so that the box is closed late. Runs in the page.
 */
function takeFocusOnce(element: PageElement, busyMs: number): void {
  const page = globalThis as unknown as FocusedWindow;
  const take = ({ target }: { readonly target: PageElement }): void => {
    if (!target.closest('.quick-input-widget')) return;
    page.removeEventListener('focusin', take, true);
    page.setTimeout(() => {
      (element as FocusTarget).focus();
      for (const end = page.performance.now() + busyMs; page.performance.now() < end;);
      element.setAttribute('data-taken', '');
    }, 0);
  };
  page.addEventListener('focusin', take, true);
}
