import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { mock } from 'node:test';
import { EngineError } from '../../../src/engine/errors.ts';
import type * as ui from '../../../src/app/editorUi.ts';
import { act, ESCAPE, give, shown } from '../support/fakeEditor.ts';
import { turn } from '../support/fakeClock.ts';
import {
  env,
  UIKind,
  CancellationTokenSource,
  executed,
  Uri,
  window,
  workspace,
} from '../support/fakeVscode.ts';

/** What VS Code was asked to show in a notification, by its title. */
interface Notification {
  readonly title: string;
  readonly reports: object[];
  readonly cancel: () => void;
  isOver: boolean;
}

describe('the user interface in VS Code', () => {
  let editorUi: ReturnType<typeof ui.editorUi>;
  before(async () => {
    const module = await import('../../../src/app/editorUi.ts');
    editorUi = module.editorUi({} as Parameters<typeof module.editorUi>[0]);
  });
  beforeEach(() => act());

  it('runs the action of the button that the user presses', async () => {
    const ran: string[] = [];
    const action = (title: string) => ({ title, run: () => ran.push(title) });
    for (const kind of ['info', 'warn', 'error'] as const) {
      act(give('Edit...'), ESCAPE);
      editorUi[kind](`of ${kind}`, action('Remove'), action('Edit...'));
      editorUi[kind](`of ${kind}`, action('Remove'));
      await turn();
    }
    assert.deepEqual(ran, ['Edit...', 'Edit...', 'Edit...']);
    assert.deepEqual(
      shown().map(({ kind, text, buttons }) => [kind, text, buttons]),
      [
        ['error', 'of error', ['Remove', 'Edit...']],
        ['error', 'of error', ['Remove']],
      ],
    );
  });

  it('explains why the action of a button failed, unless the user canceled it', async () => {
    const failing = (error: Error) => ({ title: 'Retry', run: () => Promise.reject(error) });
    act(give('Retry'), ESCAPE);
    editorUi.info('done', failing(new EngineError('failed', { engineMessage: 'device busy' })));
    await turn();
    assert.deepEqual(
      shown().map(({ kind, text }) => `${kind}: ${text}`),
      ['information: done', 'error: device busy'],
    );
    act(give('Retry'), ESCAPE);
    editorUi.info('done', failing(new DOMException('canceled', 'AbortError')));
    await turn();
    assert.equal(shown().length, 1);
  });

  it('shows no links or invisible characters of an engine', async () => {
    const text = '[click](command:evil) \u202eabc';
    const harmless = '[click] (command:evil) abc';
    act(give('OK'), give('Remove'), give('Remove'));
    editorUi.info(text);
    assert.equal(await editorUi.message(text, text, ['Remove']), 'Remove');
    assert.equal(await editorUi.confirm(text, text, 'Remove'), true);
    for (const { text: message, detail = harmless } of shown())
      assert.deepEqual([message, detail], [harmless, harmless]);
    assert.equal(shown().length, 3);
  });

  it('confirms only what the user has confirmed', async () => {
    assert.equal(await editorUi.confirm('Remove web?', 'For good.', 'Remove'), false);
    act(give('Stop'));
    assert.equal(await editorUi.choose('Remove web?', '', ['Remove', 'Stop']), 'Stop');
  });

  it('does not ask what the user could not read to its end', async () => {
    const long = 'x\n'.repeat(50);
    const refused = { message: 'The confirmation is too long to show. Nothing was done.' };
    await assert.rejects(editorUi.confirm('Remove?', long, 'Remove'), refused);
    await assert.rejects(editorUi.confirm(long, '', 'Remove'), refused);
    assert.deepEqual(shown(), []);
  });

  describe('with progress', () => {
    const { withProgress } = window;
    let notifications: Notification[];
    beforeEach(() => {
      notifications = [];
      mock.timers.enable({ apis: ['setTimeout'] });
      const show = async (
        { title }: { title: string },
        work: (bar: object, token: object) => Promise<unknown>,
      ) => {
        const source = new CancellationTokenSource();
        const reports: object[] = [];
        const cancel = source.cancel.bind(source);
        const notification: Notification = { title, reports, cancel, isOver: false };
        notifications.push(notification);
        await work({ report: (one: object) => reports.push(one) }, source.token);
        notification.isOver = true;
      };
      Object.assign(window, { withProgress: show });
    });
    afterEach(() => {
      mock.timers.reset();
      Object.assign(window, { withProgress });
    });

    it('shows a notification if work takes longer than a second', async () => {
      const { promise, resolve } = Promise.withResolvers<string>();
      const working = editorUi.progress('Creating [a](b)', 'late', () => promise);
      mock.timers.tick(999);
      assert.equal(notifications.length, 0);
      mock.timers.tick(1);
      const [notification] = notifications;
      assert.deepEqual([notification?.title, notification?.isOver], ['Creating [a] (b)', false]);
      resolve('done');
      assert.equal(await working, 'done');
      await turn();
      assert.equal(notification?.isOver, true);
    });

    it('shows none for work that is done before', async () => {
      assert.equal(await editorUi.progress('Creating', 'late', () => Promise.resolve(1)), 1);
      mock.timers.tick(2000);
      assert.deepEqual(notifications, []);
    });

    it('shows what was reported, also before the notification', async () => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const working = editorUi.progress('Saving', 'atOnce', (_, report) => {
        report({ message: '1 of 4', percent: 25 });
        return promise.then(() => {
          report({ message: '3 of 4', percent: 75 });
          report({ message: 'cleaning up' });
          report({ message: '4 of 4', percent: 100 });
        });
      });
      mock.timers.tick(0);
      resolve(undefined);
      await working;
      assert.deepEqual(notifications[0]?.reports, [
        { message: '1 of 4', increment: 25 },
        { message: '3 of 4', increment: 50 },
        { message: 'cleaning up' },
        { message: '4 of 4', increment: 25 },
      ]);
    });

    it('cancels the work with Cancel', async () => {
      const working = editorUi.progress('Saving', 'atOnce', (signal) => {
        const { promise, reject } = Promise.withResolvers<undefined>();
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        return promise;
      });
      mock.timers.tick(0);
      notifications[0]?.cancel();
      await assert.rejects(working, { name: 'AbortError' });
    });
  });

  describe('with a dialog', () => {
    const { showOpenDialog, showSaveDialog } = window;
    const folder = Uri.file('/home/me/shop');
    let asked: Record<string, unknown>;
    let answer: unknown;
    beforeEach(() => {
      asked = {};
      answer = undefined;
      const show = (options: Record<string, unknown>) => {
        asked = options;
        return Promise.resolve(answer);
      };
      Object.assign(window, { showOpenDialog: show, showSaveDialog: show });
    });
    afterEach(() => {
      Object.assign(window, { showOpenDialog, showSaveDialog });
      workspace.workspaceFolders = undefined;
    });

    it('lets the user choose one file, several, or a folder', async () => {
      answer = [folder];
      assert.deepEqual(await editorUi.openDialog({}), [folder]);
      const { canSelectFiles, canSelectFolders, canSelectMany, ...others } = asked;
      assert.deepEqual([canSelectFiles, canSelectFolders, canSelectMany], [true, false, false]);
      assert(Object.values(others).every((value) => value === undefined));
      await editorUi.openDialog({ canSelect: 'folders', folder: '/srv' });
      assert.deepEqual([asked['canSelectFiles'], asked['canSelectFolders']], [false, true]);
      assert.equal(String(asked['defaultUri']), 'file:///srv');
      await editorUi.openDialog({ canSelect: 'both', isMany: true, title: 'Upload\nto web' });
      assert.deepEqual([asked['canSelectFiles'], asked['canSelectFolders']], [true, true]);
      assert.deepEqual([asked['canSelectMany'], asked['title']], [true, 'Upload to web']);
    });

    it('lets the user choose one of both where a dialog of the system cannot offer both', async () => {
      const { platform } = process;
      const labels: string[][] = [];
      const showQuickPick = (items: readonly { readonly label: string }[]) => {
        labels.push(items.map(({ label }) => label));
        return Promise.resolve(items[labels.length - 1]);
      };
      Object.assign(window, { showQuickPick });
      Object.assign(env, { uiKind: UIKind.Desktop });
      Object.defineProperty(process, 'platform', { value: 'linux' });
      try {
        answer = [folder];
        for (const expected of [
          [true, false],
          [false, true],
        ]) {
          await editorUi.openDialog({ canSelect: 'both' });
          assert.deepEqual([asked['canSelectFiles'], asked['canSelectFolders']], expected);
        }
        assert.deepEqual(await editorUi.openDialog({ canSelect: 'both' }), []);
        assert.deepEqual(labels[0], ['Files...', 'Folders...']);
      } finally {
        Object.defineProperty(process, 'platform', { value: platform });
        Object.assign(env, { uiKind: UIKind.Web });
        Object.assign(window, { showQuickPick: undefined });
      }
    });

    it('has chosen nothing after Escape', async () => {
      assert.deepEqual(await editorUi.openDialog({ title: 'Load' }), []);
      assert.equal(await editorUi.saveDialog({ name: 'app.tar' }), undefined);
    });

    it('proposes a name in the first local folder of the workspace, or in the home folder', async () => {
      answer = Uri.file('/tmp/app.tar');
      const filters = { 'Image archives': ['tar'] };
      assert.equal(await editorUi.saveDialog({ name: 'app.tar', filters }), answer);
      assert.equal(String(asked['defaultUri']), `file://${homedir()}/app.tar`);
      assert.deepEqual(asked['filters'], filters);
      assert.deepEqual(editorUi.workspaceFolders(), []);
      const far = new Uri('vscode-vfs', 'github', '/far');
      workspace.workspaceFolders = [{ uri: far }, { uri: folder }];
      await editorUi.saveDialog({ name: 'app.tar', title: 'Save' });
      assert.equal(String(asked['defaultUri']), 'file:///home/me/shop/app.tar');
      assert.equal(asked['title'], 'Save');
      assert.deepEqual(editorUi.workspaceFolders(), ['/home/me/shop']);
    });
  });

  it('opens files in the editor for their type, and moves the focus to a view', async () => {
    executed.length = 0;
    const uri = editorUi.uri({ scheme: 'gantry', path: '/a.png', query: 'q' });
    await editorUi.openFile(uri);
    editorUi.focusView('gantry.images.focus');
    assert.deepEqual(executed, [['vscode.open', uri], ['gantry.images.focus']]);
  });
});
