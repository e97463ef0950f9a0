// The window of a test file: opened before, cleaned up after each test, and reused by the next file.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PLUGINS } from '../../bed/newestSystem.ts';
import { SIZE } from '../../bed/vscode/browser.ts';
import { NEEDED_BUILT_IN } from '../../bed/vscode/serve.mjs';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import {
  DEFAULT_WIDTH,
  openWorkbench,
  shotOnFailure,
  type Editor,
  type OpenOptions,
} from '../harness.ts';
import { Lab } from './lab.ts';

/** Options of a file's window. */
export interface WindowOptions extends Pick<OpenOptions, 'settings' | 'size' | 'width'> {
  /** Each test continues where the one before it ended; cleanup only happens after the last one. */
  readonly isJourney?: boolean;
  /** The window is closed afterwards, because the tests leave it in another state than before. */
  readonly isLast?: boolean;
}

/** An open window and its folder. */
interface Opened {
  readonly editor: Editor;
  readonly folder: string;
}

const TIMEOUT_MS = 90_000;

const { PATH = '' } = process.env;
/** The folder of `docker-compose`, which is on the PATH: the machine's own Docker CLI may not have it. */
export const PLUGINS_FOLDER = join('/', process.env['GANTRY_BED_SYSTEM'] ?? '', PLUGINS);

/** Unlike that of the machine, so that a mix-up is noticed. */
const TIME_ZONE = 'Asia/Kolkata';
export const TIME_OFFSET = '+05:30';

/** The folder of Docker's configuration, in the folder of the window. */
export const DOCKER_CONFIG = '.docker';

/** A folder on the PATH, for programs that a file replaces, in the folder of the window. */
export const PROGRAMS = '.programs';

/** What has the name of the extension that attaches VS Code to containers. */
const DEV_CONTAINERS = join(import.meta.dirname, 'devContainers');

/**
 * Terminals render as text in the page, not as a canvas. All folders are trusted until the setting for it is changed
 * and the window is reloaded.
 */
const shared = (folder: string): OpenOptions => ({
  trust: true,
  builtIn: NEEDED_BUILT_IN,
  extensions: [DEV_CONTAINERS],
  env: {
    TZ: TIME_ZONE,
    PATH: [join(folder, PROGRAMS), PLUGINS_FOLDER, PATH].join(delimiter),
    DOCKER_CONFIG: join(folder, DOCKER_CONFIG),
  },
  settings: {
    'terminal.integrated.gpuAcceleration': 'off',
    'security.workspace.trust.startupPrompt': 'never',
  },
});

/** The window for the next file. */
let sharedWindow: Opened | undefined;
let changesOfSettings = 0;

/**
 * Describes tests in a window in which Gantry's view is open. The files share one window, as long as no test in it has
 * failed.
 */
export function describeWindow(
  title: string,
  options: WindowOptions,
  body: (window: TestWindow) => void,
): void {
  describe(title, function () {
    this.timeout(TIMEOUT_MS);
    const window = new TestWindow(options);
    before(() => window.open());
    // Registered first, to take the screenshot before any cleanup.
    shotOnFailure(() => window.opened);
    if (options.isJourney !== true) afterEach(() => window.tidy());
    body(window);
    after(() => window.leave(!hasFailed(this)));
  });
}

/** The window of a file, and the resources that its tests create in the engine. */
export class TestWindow {
  /** Cleaned after each test; in a journey after the last one. */
  readonly lab = new Lab();
  readonly #options: WindowOptions;
  readonly #changed = new Set<string>();
  #opened: Opened | undefined;
  #earlierComplaints = 0;

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  /** The window, if it could be opened. */
  get opened(): Editor | undefined {
    return this.#opened?.editor;
  }

  get editor(): Editor {
    return this.#opened?.editor ?? assert.fail('The window is not open.');
  }

  get workbench(): Workbench {
    return this.editor.workbench;
  }

  /** The folder that is open in the window. */
  get folder(): string {
    return this.#opened?.folder ?? assert.fail('The window is not open.');
  }

  async open(): Promise<void> {
    const { settings = {}, size = SIZE, width = DEFAULT_WIDTH } = this.#options;
    const opened = (sharedWindow ??= await openWindow());
    this.#opened = opened;
    this.#earlierComplaints = opened.editor.complaints.length;
    await opened.editor.page.setViewportSize(size);
    await this.changeSettings(settings);
    await this.workbench.openView('Gantry');
    await this.workbench.setSideBarWidth(width);
  }

  /** Changes settings until the end of the file, and waits until the window has applied them. */
  async changeSettings(changes: Readonly<Record<string, unknown>>): Promise<void> {
    const keys = Object.keys(changes);
    if (keys.length === 0) return;
    for (const key of keys) this.#changed.add(key);
    const { page, served } = this.editor;
    // The title is also a setting, and its effect is visible.
    const title = `settings ${(changesOfSettings += 1)}`;
    served.changeSettings({ ...changes, 'window.title': title });
    await until(async () => (await page.title()).includes(title), 'the window has the settings');
  }

  /** Removes what a test has left behind. */
  async tidy(): Promise<void> {
    await this.workbench.quick.cancel();
    await this.workbench.notices.clear();
    await this.lab.clean();
  }

  /** Restores the window for the next file if no test failed; otherwise closes it. */
  async leave(isSound: boolean): Promise<void> {
    const opened = this.#opened;
    if (!opened) return;
    let isReady = false;
    try {
      await this.lab.clean();
      this.#assertHandled(opened.editor);
      if (isSound && this.#options.isLast !== true) {
        await this.#restore(opened);
        isReady = true;
      }
    } finally {
      if (!isReady) await closeWindow(opened);
    }
  }

  #assertHandled({ complaints }: Editor): void {
    const unhandled = complaints
      .slice(this.#earlierComplaints)
      .filter((line) => /not handled/i.test(line));
    assert.deepEqual(unhandled, [], 'A rejection was not handled.');
  }

  async #restore({ editor: { workbench }, folder }: Opened): Promise<void> {
    const { quick, notices } = workbench;
    await quick.cancel();
    await notices.clear();
    await workbench.closeEditors();
    await closePanel(workbench);
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    const unset = [...this.#changed].map((key) => [key, undefined] as const);
    await this.changeSettings(Object.fromEntries(unset));
    // A view that appears only at times would take space from the others.
    const views = workbench.sideBar.locator('.pane-header .title');
    await until(
      async () => (await views.count()) === 5,
      'only Containers, Images, Builds, Volumes and Networks are in the view',
    );
    for (const pane of ['Builds', 'Volumes', 'Networks']) await workbench.expand(pane, false);
  }
}

async function openWindow(): Promise<Opened> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'gantry-window-'));
  try {
    return { editor: await openWorkbench({ folder, ...shared(folder) }), folder };
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

async function closeWindow(opened: Opened): Promise<void> {
  sharedWindow = undefined;
  await opened.editor.close();
  rmSync(opened.folder, { recursive: true, force: true });
}

/** Closes the panel, and kills all terminals. */
async function closePanel({ page, quick }: Workbench): Promise<void> {
  const panel = page.locator('.part.panel');
  if (!(await panel.isVisible())) return;
  await quick.run('Terminal: Kill All Terminals');
  await until(async () => {
    // The panel closes automatically after the last terminal if that was in front.
    if (!(await panel.isVisible())) return true;
    await panel.getByRole('button', { name: /^Hide Panel/ }).click({ timeout: 500 });
    return false;
  }, 'the panel is closed');
}

/** Returns whether a test failed, or did not run because a hook failed. */
function hasFailed(suite: Mocha.Suite): boolean {
  const states: unknown[] = [];
  suite.eachTest((test) => states.push(test.isPending() ? 'passed' : test.state));
  return states.some((state) => state !== 'passed');
}

after(() => (sharedWindow ? closeWindow(sharedWindow) : undefined));
