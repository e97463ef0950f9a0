import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import '../../support/fakeEditor.ts';
import { executed, views } from '../../support/fakeVscode.ts';
import type { UpChange } from '../../../../src/projects/cli/upChanges.ts';
import type { UpChangesView } from '../../../../src/app/upChanges/upChangesView.ts';

const NAME = 'gantry.upChanges';

describe('the view of what Up would change', () => {
  let view: UpChangesView;
  beforeEach(async () => {
    const { UpChangesView } = await import('../../../../src/app/upChanges/upChangesView.ts');
    executed.length = 0;
    view = new UpChangesView();
  });
  afterEach(() => view.dispose());

  function show(...changes: readonly UpChange[]): void {
    void view.show({ name: 'shop', differences: [], changes });
  }

  const change = (action: UpChange['action'], name: string, more = {}): UpChange => ({
    ...{ kind: 'container', name, action, ...more },
  });

  /** Returns each row with its description, those below another one indented. */
  function lines(): readonly string[] {
    const line = ({ label, description }: vscode.TreeItem): string =>
      `${label as string} | ${description as string}`;
    return view.getChildren().flatMap((group) => {
      const below = view.getChildren(group).map((row) => `  ${line(view.getTreeItem(row))}`);
      return [line(view.getTreeItem(group)), ...below];
    });
  }

  it('groups by what happens, the most severe first, and explains why', () => {
    show(
      change('unchanged', 'db'),
      change('recreated', 'web', { reason: 'configuration' }),
      change('recreated', 'api', { reason: 'dependency' }),
      change('orphaned', 'old'),
      change('other', 'back', { kind: 'network', text: 'Renamed' }),
      change('created', 'shop_default', { kind: 'network' }),
      change('removed', 'gone'),
    );
    assert.deepEqual(lines(), [
      ...['Removed | 1', '  gone | '],
      ...['Recreated | 2', '  web | configuration changed', '  api | dependency recreated'],
      ...['Created | 1', '  shop_default | network'],
      ...['Other | 1', '  back | Renamed · network'],
      ...['Orphaned | 1', '  old | ', 'Unchanged | 1', '  db | '],
    ]);
    const folds = view.getChildren().map((row) => view.getTreeItem(row).collapsibleState);
    assert.deepEqual(folds, [2, 2, 2, 2, 2, 1]);
    assert.equal(views.get(NAME)?.message, 'shop');
  });

  it('is shown until it is closed, and reports if nothing would change', () => {
    show(change('unchanged', 'db'), change('orphaned', 'old'));
    assert.deepEqual(executed.slice(-2), [['setContext', NAME, true], [`${NAME}.focus`]]);
    assert.equal(views.get(NAME)?.message, 'shop · No changes.');
    void view.show(undefined);
    assert.deepEqual(lines(), []);
    assert.deepEqual(executed.at(-1), ['setContext', NAME, false]);
  });

  it('refreshes its rows once and before it sets the message, after which VS Code refreshes later', () => {
    const messages: unknown[] = [];
    view.onDidChangeTreeData(() => messages.push(views.get(NAME)?.message));
    show(change('unchanged', 'db'));
    void view.show(undefined);
    assert.deepEqual(messages, [undefined, 'shop · No changes.']);
    assert.equal(views.get(NAME)?.message, '');
  });

  it('returns the same rows until there are other changes', () => {
    show(change('recreated', 'web'));
    assert.deepEqual(
      view.getChildren().map((row, index) => row === view.getChildren()[index]),
      [true],
    );
  });

  it('shows names of engines as plain text, and reads them aloud with what happens', () => {
    show(change('recreated', 'we\u001b[31mb\n', { reason: 'image' }));
    const [group = assert.fail()] = view.getChildren();
    const [row = assert.fail()] = view.getChildren(group);
    const { label, accessibilityInformation } = view.getTreeItem(row);
    assert.equal(label, 'web');
    assert.match(accessibilityInformation?.label ?? '', /Recreated, image changed$/);
  });
});
