import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { refusal, run } from '../kit/commands.ts';
import { useLab } from '../kit/lab.ts';
import { until } from '../../../bed/until.ts';

describe('gantry.containers.openLogViewer', () => {
  const lab = useLab('viewer');

  const tabs = (): readonly string[] =>
    vscode.window.tabGroups.all.flatMap((group) =>
      group.tabs.filter(isViewer).map(({ label }) => label),
    );

  afterEach(async () => {
    const open = vscode.window.tabGroups.all.flatMap(({ tabs: all }) => all.filter(isViewer));
    await vscode.window.tabGroups.close(open);
    await until(() => tabs().length === 0, 'all log viewer tabs are closed');
  });

  it('opens an editor named after the container, and resolves to its title', async () => {
    const id = await lab.ended(['echo', 'hello']);
    const { title } = await run('containers.openLogViewer', { id });
    assert.ok(title.startsWith('Logs: ') && title.endsWith(lab.name()), title);
    // VS Code reports a new tab with a short delay.
    await until(() => tabs().includes(title), 'the log viewer tab is open');
    assert.deepEqual(await run('containers.openLogViewer', { id: lab.name() }), { title });
  });

  it('opens the same containers only once, in whatever order they are given', async () => {
    const [first, second] = [
      await lab.ended(['echo', '1'], 'one'),
      await lab.ended(['echo', '2'], 'two'),
    ];
    const { title } = await run('containers.openLogViewer', { ids: [first, second] });
    assert.match(title, /and 1 more$/);
    assert.deepEqual(await run('containers.openLogViewer', { ids: [second, first] }), { title });
    await until(() => tabs().length === 1, 'one log viewer tab is open');
  });

  it('rejects an argument without containers, or with too many', async () => {
    const open = (argument: object): Promise<unknown> => run('containers.openLogViewer', argument);
    await refusal(open({}), /either "id" or "ids"/);
    await refusal(open({ id: 'a', ids: ['b'] }), /either "id" or "ids"/);
    await refusal(open({ ids: [] }), /"ids" is empty/);
    await refusal(open({ id: ' ' }), /the ID is empty/);
    await refusal(open({ ids: 'web' }), /"ids" must be an array of strings/);
    await refusal(open({ id: 'a', tail: 5 }), /unknown property "tail"/);
    await refusal(
      open({ ids: Array.from({ length: 51 }, (_, at) => `c${at}`) }),
      /up to 50 containers/,
    );
    await refusal(open({ id: 'no-such-container' }), /Could not open the log viewer/);
    await refusal(open({ id: 'f'.repeat(64) }), /Could not open the log viewer/);
    assert.deepEqual(tabs(), []);
  });
});

function isViewer({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith('gantry.logViewer');
}
