import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import { commitCommand } from '../../../../src/commands/review/commitCommand.ts';
import { reviewCommands } from '../../../../src/commands/review/reviewCommands.ts';
import { runOnTargets } from '../../../../src/commands/frame/runOnTargets.ts';
import type { EngineChoice } from '../../../../src/commands/frame/engineChoice.ts';
import type { Container } from '../../../../src/engine/model.ts';
import type { ChangeEntry } from '../../../../src/review/changeTree.ts';
import type { Review } from '../../../../src/review/review.ts';
import type { ReviewController } from '../../../../src/review/reviewController.ts';
import '../../support/fakeEditor.ts';
import { runAsEditor } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';
import { give, pick, ScriptedUi } from '../../support/scriptedUi.ts';
import { InventoryRequests } from '../../../../src/inventory/inventoryRequests.ts';

const ID = 'c'.repeat(64);
const IMAGE = `sha256:${'a'.repeat(64)}`;

describe('the commands of the Changes view', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  async function open() {
    const { engine, connection } = await lab.fake((request, response) => {
      if (request.path === '/commit') json(response, 201, { Id: IMAGE });
      else if (request.path === '/images/json') json(response, 200, []);
      else if (request.path.startsWith('/images/'))
        json(response, 404, { message: 'no such image' });
      else if (request.path.endsWith('/changes')) json(response, 200, [{ Path: '/a', Kind: 1 }]);
      else
        json(response, 200, { Id: ID, Name: '/web', Image: IMAGE, Config: { Image: 'busybox' } });
    });
    const container = { id: ID, name: 'web', image: 'busybox' } as Container;
    const containers = new Map([[ID, container]]);
    const ui = new ScriptedUi();
    const context = {
      ui,
      unit: { id: 'docker', requests: new InventoryRequests() },
      engine: { connect: () => Promise.resolve(connection) },
      inventory: { phase: { kind: 'live' }, containers, images: new Map() },
      activity: { begin: () => ({ dispose: () => undefined }) },
      reveal: () => undefined,
    } as unknown as CommandContext;
    let current: Review | undefined;
    const reviews = {
      ...{ owner: 'test', drafts: new Map(), focus: () => Promise.resolve() },
      openEntry: ({ path }: ChangeEntry) => Promise.resolve(path === '/a'),
      show: (loaded: Review) => {
        current = loaded;
      },
      get current() {
        return current;
      },
    } as unknown as ReviewController;
    const choice = {
      ofEngine: (id: string) => (id === 'docker' ? context : undefined),
    } as unknown as EngineChoice;
    const parts = { ui, choice, showDetails: () => undefined };
    const commands = reviewCommands(parts, reviews);
    const target = { id: ID, name: 'web', context, container };
    return {
      ...{ engine, reviews, containers, ui },
      command: () => runOnTargets(commitCommand(reviews), [target], parts),
      press: (id: string, row?: unknown) => runAsEditor(commands, id, row),
      button: () => Promise.resolve(runAsEditor(commands, 'gantry.changes.commit')),
    };
  }

  it('commit with the values entered before the review, and then forget them', async () => {
    const { engine, reviews, ui, command, button } = await open();
    ui.act(give('me/app:1'), pick('Review what the image will contain'));
    assert.equal(await command(), undefined);
    assert.equal(reviews.current?.subject.id, ID);
    ui.act(pick('Commit'));
    assert.deepEqual(await button(), { imageId: IMAGE });
    const made = engine.seen.find(({ path }) => path === '/commit');
    assert.equal(made?.query.toString().includes('repo=me%2Fapp&tag=1'), true);
    assert.equal(reviews.drafts.size, 0);
  });

  it('report if the container no longer exists, and do nothing without a review', async () => {
    const { reviews, containers, ui, command, button } = await open();
    assert.equal(await button(), undefined);
    assert.deepEqual(ui.shown, []);
    ui.act(give('me/app:1'), pick('Review what the image will contain'));
    await command();
    containers.clear();
    ui.shown.length = 0;
    assert.equal(await button(), undefined);
    assert.deepEqual(
      ui.shown.map(({ text }) => text),
      ['web no longer exists.'],
    );
    assert.equal(reviews.drafts.size, 1);
  });

  it('open the file of a row unless it is gone, and copy paths', async () => {
    const { press, ui } = await open();
    const row = (path: string): object => ({ kind: 'entry', entry: { path } });
    await press('gantry.changes.open', row('/a'));
    await press('gantry.changes.open', { kind: 'more' });
    assert.deepEqual(ui.shown, []);
    await press('gantry.changes.open', row('/gone'));
    await press('gantry.changes.copyPath', row('/gone'));
    await press('gantry.changes.copyPath', { kind: 'mount', mount: { target: '/data' } });
    assert.deepEqual(
      ui.shown.map(({ text }) => text),
      ['/gone no longer exists. Refresh the changes.', '/gone', '/data'],
    );
  });
});
