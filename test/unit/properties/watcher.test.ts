import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Inventory } from '../../../src/inventory/inventory.ts';
import { Watcher } from '../../../src/inventory/watcher.ts';
import { FakeClock, turn } from '../inventory/support/fakeClock.ts';
import { holdsInTime } from './holds.ts';
import { ModelEngine } from './modelEngine.ts';

const RUNS = 400;

/** A window and its engine, in a time that passes when a run says so. */
class World {
  readonly clock = new FakeClock();
  readonly engine = new ModelEngine(this.clock);
  readonly inventory = new Inventory();
  readonly watcher = new Watcher({
    inventory: this.inventory,
    connect: () => this.engine.connect(),
    clock: this.clock,
    random: () => 0,
  });

  seen(): readonly string[] {
    const containers = [...this.inventory.containers.values()].map(({ id, name, state, image }) =>
      [id, name, state, image].join(' '),
    );
    const images = [...this.inventory.images.values()].map(({ id, tags }) =>
      [id, ...tags].join(' '),
    );
    return [...containers, ...images].toSorted();
  }

  /** Everything heals, and so much time passes that all that waits has had its turn. */
  async settle(): Promise<void> {
    this.engine.isUp = true;
    for (let round = 0; round < 60; round++) {
      this.clock.pass(250);
      for (let answers = 0; answers < 3; answers++) {
        await turn();
        this.engine.answer(true);
      }
    }
  }
}

interface Step {
  readonly words: string;
  readonly run: (world: World) => void;
}

const step = <T>(
  name: string,
  values: fc.Arbitrary<T>,
  run: (world: World, value: T) => void,
): fc.Arbitrary<Step> =>
  values.map((value) => ({
    words: `${name} ${JSON.stringify(value)}`,
    run: (world) => {
      run(world, value);
    },
  }));

const letter = fc.constantFrom('a', 'b', 'c');
const action = fc.constantFrom('create', 'start', 'die', 'pause', 'unpause', 'rename', 'destroy');
/** How long the engine takes to save a death. */
const lag = fc.constantFrom(0, 60, 3000);

/** What seldom comes together by itself: a death of which nobody hears before the connection breaks. */
const lostDeath = ({ engine, clock }: World, id: string): void => {
  for (const what of ['create', 'start', 'unpause', 'die']) engine.act(id, what, 3000);
  engine.break(false);
  clock.pass(2500);
};

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: step('act', fc.tuple(letter, action, lag), ({ engine }, [id, what, late]) => {
        engine.act(id, what, late);
      }),
    },
    {
      weight: 2,
      arbitrary: step(
        'tag',
        fc.tuple(fc.constantFrom('s', 't'), fc.constantFrom('e', 'f', undefined)),
        ({ engine }, [tag, to]) => {
          engine.tag(tag, to);
        },
      ),
    },
    {
      weight: 5,
      arbitrary: step('answer', fc.boolean(), ({ engine }, isFresh) => {
        engine.answer(isFresh);
      }),
    },
    {
      weight: 4,
      arbitrary: step('pass', fc.constantFrom(5, 20, 90, 400, 2500, 20_000), ({ clock }, time) => {
        clock.pass(time);
      }),
    },
    {
      weight: 2,
      arbitrary: step('break', fc.boolean(), ({ engine }, isClean) => {
        engine.break(isClean);
      }),
    },
    {
      weight: 1,
      arbitrary: step('up', fc.boolean(), ({ engine }, isUp) => {
        engine.isUp = isUp;
        if (!isUp) engine.break(false);
      }),
    },
    { weight: 1, arbitrary: step('lostDeath', letter, lostDeath) },
    {
      weight: 1,
      arbitrary: step('renew', fc.constant(0), ({ watcher }) => {
        watcher.renew();
      }),
    },
    {
      weight: 1,
      arbitrary: step('verify', fc.constant(0), ({ watcher }) => {
        watcher.verify();
      }),
    },
    {
      weight: 1,
      arbitrary: step('reconnect', fc.constant(0), ({ watcher }) => {
        watcher.reconnect();
      }),
    },
  ),
  { maxLength: 40, size: 'max' },
);

describe('the watcher, whatever changes, answers, events and breaks come in whatever order,', function () {
  this.timeout(60_000);

  it('ends in the true state of its engine', async () => {
    await holdsInTime(
      fc.asyncProperty(steps, async (all) => {
        const world = new World();
        world.watcher.start();
        for (const { run } of all) {
          run(world);
          await turn();
        }
        await world.settle();
        const story = all.map(({ words }) => words).join('\n');
        assert.equal(world.inventory.phase.kind, 'live', story);
        assert.deepEqual(world.seen(), world.engine.truth(), story);
        world.watcher.dispose();
        await turn();
        assert.deepEqual(world.clock.sleeping, [], story);
      }),
      RUNS,
    );
  });
});
