import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/context.ts';
import type * as commit from '../../../../src/commands/commit/commitCommand.ts';
import type * as review from '../../../../src/commands/commit/registerReviewCommands.ts';
import type { EngineChoice } from '../../../../src/commands/engines/engineChoice.ts';
import type * as registries from '../../../../src/commands/commandRegistry.ts';
import type { Container } from '../../../../src/engine/model.ts';
import type { Review } from '../../../../src/review/review.ts';
import type { ReviewController } from '../../../../src/review/reviewController.ts';
import { act, give, shown, type Answer } from '../../support/fakeEditor.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

const ID = 'c'.repeat(64);
const IMAGE = `sha256:${'a'.repeat(64)}`;

/** Picks the first item whose label begins so. */
const pickFrom =
  (label: string): Answer =>
  ({ items = [] }) =>
    items.find((item) => item.label.startsWith(label)) ?? assert.fail(`no ${label}`);

describe('the Commit button of the Changes view', () => {
  let commitCommand: typeof commit.commitCommand;
  let registerReviewCommands: typeof review.registerReviewCommands;
  let CommandRegistry: typeof registries.CommandRegistry;
  before(async () => {
    ({ commitCommand } = await import('../../../../src/commands/commit/commitCommand.ts'));
    ({ registerReviewCommands } =
      await import('../../../../src/commands/commit/registerReviewCommands.ts'));
    ({ CommandRegistry } = await import('../../../../src/commands/commandRegistry.ts'));
  });

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
    const context = {
      unit: { id: 'docker', recheck: () => undefined },
      engine: { connect: () => Promise.resolve(connection) },
      inventory: { phase: { kind: 'live' }, containers, images: new Map() },
      activity: { begin: () => ({ dispose: () => undefined }) },
      reveal: () => undefined,
    } as unknown as CommandContext;
    let current: Review | undefined;
    const reviews = {
      ...{ owner: 'test', drafts: new Map(), focus: () => Promise.resolve() },
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
    const registry = new CommandRegistry(choice, () => [], context);
    const buttons = new Map<string, (first: unknown) => unknown>();
    registry.simple = (id, run) => buttons.set(id, run);
    registerReviewCommands(registry, reviews, choice, context);
    return {
      ...{ engine, reviews, containers },
      command: () =>
        registry.runForUser(commitCommand(reviews), [{ id: ID, name: 'web', context, container }]),
      button: () => Promise.resolve(buttons.get('gantry.changes.commit')?.(undefined)),
    };
  }

  it('goes on with what was entered before the review, and then forgets it', async () => {
    const { engine, reviews, command, button } = await open();
    act(give('me/app:1'), pickFrom('Review what it will contain'));
    assert.equal(await command(), undefined);
    assert.equal(reviews.current?.subject.id, ID);
    act(pickFrom('Commit'));
    assert.deepEqual(await button(), { imageId: IMAGE });
    const made = engine.seen.find(({ path }) => path === '/commit');
    assert.equal(made?.query.toString().includes('repo=me%2Fapp&tag=1'), true);
    assert.equal(reviews.drafts.size, 0);
  });

  it('says so if the container is not there any more, or nothing is reviewed', async () => {
    const { reviews, containers, command, button } = await open();
    act();
    assert.equal(await button(), undefined);
    assert.deepEqual(shown(), []);
    act(give('me/app:1'), pickFrom('Review what it will contain'));
    await command();
    containers.clear();
    act();
    assert.equal(await button(), undefined);
    assert.deepEqual(
      shown().map(({ text }) => text),
      ['web is not there any more.'],
    );
    assert.equal(reviews.drafts.size, 1);
  });
});
