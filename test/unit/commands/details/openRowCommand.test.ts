import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import type { Settings } from '../../../../src/base/settings.ts';
import { openRowCommand } from '../../../../src/commands/details/openRowCommand.ts';
import { container } from '../../inventory/support/nouns.ts';
import {
  containerRow,
  imageRow,
  openCommandLab,
  type CommandLab,
} from '../../support/commandLab.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { json } from '../../support/fakeEngine.ts';
import { image } from '../../inventory/support/nouns.ts';
import type { TreeNode } from '../../../../src/views/treeNode.ts';

describe('opening a container by its row', () => {
  const web = containerRow(container('a', { name: 'web' }));
  const db = containerRow(container('b', { name: 'db' }));
  let lab: CommandLab;
  let clock: FakeClock;
  let opened: unknown[];
  let wanted: 'nothing' | 'details' | 'logs';
  let isDouble: boolean;
  let selection: readonly TreeNode[];
  let run: (first: unknown) => unknown;

  beforeEach(async () => {
    opened = [];
    wanted = 'details';
    isDouble = false;
    selection = [];
    clock = new FakeClock();
    lab = await openCommandLab((_, response) => json(response, 200, []), {
      openDetails: (target, options) =>
        Promise.resolve({ title: String(opened.push(target.name, options)) }),
      logs: () => Promise.resolve({ open: () => Promise.resolve(opened.push('log')) } as never),
    });
    lab.ui.settings = {
      openOnClick: () => wanted,
      listOpensOnDoubleClick: () => isDouble,
      logTail: () => 10,
      logsOpenIn: () => 'output',
    } as Settings;
    const parts = {
      ui: lab.ui,
      showDetails: () => undefined,
      choice: { ofEngine: () => lab.context },
      selection: () => selection,
    };
    const command = openRowCommand(parts as never, clock);
    run = (first) => command.run(first);
  });
  afterEach(() => lab.close());

  const click = (row: TreeNode): unknown => {
    selection = [row];
    return run(undefined);
  };

  const DETAILS = ['web', { preserveFocus: true }];

  it('opens the details at the second click on a row within half a second', async () => {
    await click(web);
    assert.deepEqual(opened, []);
    clock.pass(500);
    await click(web);
    assert.deepEqual(opened, DETAILS);
    await click(web);
    assert.deepEqual(opened, DETAILS);
  });

  it('opens also if the row was drawn anew between the clicks', async () => {
    await click(web);
    await click(containerRow(container('a', { name: 'web' })));
    assert.deepEqual(opened, DETAILS);
  });

  it('opens nothing at two slow clicks, or at clicks on two rows', async () => {
    await click(web);
    clock.pass(501);
    await click(web);
    await click(db);
    await click(web);
    assert.deepEqual(opened, []);
  });

  it('opens at the first call if VS Code waits for the second click', async () => {
    isDouble = true;
    await click(web);
    assert.deepEqual(opened, DETAILS);
  });

  it('opens the selected row at the key, only if it is one container', async () => {
    for (const rows of [[], [web, db], [imageRow(image('c'))]]) {
      selection = rows;
      await run('focusedView');
      await run(undefined);
    }
    assert.deepEqual(opened, []);
    selection = [web];
    await run('focusedView');
    assert.deepEqual(opened, DETAILS);
  });

  it('opens the log if that is set, and returns the focus to the list', async () => {
    wanted = 'logs';
    selection = [web];
    await run('focusedView');
    assert.deepEqual(opened, ['log']);
    assert.equal(lab.ui.of('focusView').length, 1);
  });

  it('opens nothing by default', async () => {
    wanted = 'nothing';
    selection = [web];
    await run('focusedView');
    assert.deepEqual(opened, []);
  });
});
