import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Inventory } from '../../../src/inventory/inventory.ts';
import { Watcher } from '../../../src/inventory/watcher.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';
import { holdsInTime } from './holds.ts';
import { idOf } from '../inventory/support/nouns.ts';
import { ModelEngine, wordsOf, type SilentChange } from './modelEngine.ts';

const RUNS = 200;

/** A window and its engine, with a clock that the run controls. */
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
    const containers = [...this.inventory.containers.values()].map((one) =>
      [one.id, one.name, wordsOf(one), one.image].join(' '),
    );
    const images = [...this.inventory.images.values()].map(({ id, tags }) =>
      [id, ...tags].join(' '),
    );
    return [...containers, ...images].toSorted();
  }

  /** Removes what is not observable before the next list. */
  heard(words: readonly string[]): readonly string[] {
    return words.filter((one) => this.engine.isHeard(one.split(' ', 1)[0]!));
  }

  /** A failing operation of this window, which therefore knows to check again. */
  failOurs(letter: string, ...changes: readonly SilentChange[]): void {
    const done = changes.map((change) => this.engine.changeSilently(letter, change));
    if (done.includes(true)) this.watcher.requests.recheck(idOf(letter));
  }

  /** A removal fails without an event. The watcher checks it only if a list showed it in progress. */
  failRemoval(letter: string): void {
    const isSeen = this.inventory.containers.get(idOf(letter))?.state === 'removing';
    if (isSeen) this.engine.changeSilently(letter, 'removalFails');
    else this.engine.changeUnheard(letter, 'removalFails');
  }

  /** Recovers everything and lets fifteen seconds pass, so that all pending work is done. */
  async settle(): Promise<void> {
    this.engine.isUp = true;
    await this.#live(60, 250);
  }

  /** Lets enough time pass for events to reach the rows, unless the engine is down. */
  async catchUp(): Promise<void> {
    await this.#live(4, 60);
  }

  async #live(rounds: number, milliseconds: number): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      this.clock.pass(milliseconds);
      for (let answers = 0; answers < 3; answers++) {
        await turn();
        this.engine.answer(true);
      }
    }
    await turn();
  }
}

interface Step {
  readonly words: string;
  readonly run: (world: World) => Promise<void> | void;
}

const step = <T>(
  name: string,
  values: fc.Arbitrary<T>,
  run: (world: World, value: T) => Promise<void> | void,
): fc.Arbitrary<Step> =>
  values.map((value) => ({
    words: `${name} ${JSON.stringify(value)}`,
    run: (world) => run(world, value),
  }));

const letter = fc.constantFrom('a', 'b', 'c');
const action = fc.constantFrom(
  ...['create', 'start', 'die', 'stop', 'pause', 'unpause', 'rename', 'destroy'],
);
/** How long the engine takes to save a death. */
const lag = fc.constantFrom(0, 60, 3000);

/** A state that random steps rarely reach: a container between two runs. */
const crash = ({ engine }: World, [id, late]: readonly [string, number]): void => {
  for (const what of ['create', 'start', 'unpause']) engine.act(id, what, 0);
  engine.crash(id, late);
};

/** Another rare state: a death whose event is lost because the connection breaks. */
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
        ({ engine }, [tag, to]) => engine.tag(tag, to),
      ),
    },
    {
      weight: 5,
      arbitrary: step('answer', fc.boolean(), ({ engine }, isFresh) => engine.answer(isFresh)),
    },
    {
      weight: 4,
      arbitrary: step('pass', fc.constantFrom(5, 20, 90, 400, 2500, 20_000), ({ clock }, time) => {
        clock.pass(time);
      }),
    },
    {
      weight: 2,
      arbitrary: step('break', fc.boolean(), ({ engine }, isClean) => engine.break(isClean)),
    },
    {
      weight: 1,
      arbitrary: step('up', fc.boolean(), ({ engine }, isUp) => {
        engine.isUp = isUp;
        if (!isUp) engine.break(false);
      }),
    },
    { weight: 1, arbitrary: step('lostDeath', letter, lostDeath) },
    { weight: 2, arbitrary: step('crash', fc.tuple(letter, lag), crash) },
    {
      weight: 2,
      arbitrary: step('restart ends unheard', letter, async (world, id) => {
        crash(world, [id, 0]);
        await world.catchUp();
        world.engine.changeSilently(id, 'restartEnds');
      }),
    },
    {
      weight: 1,
      arbitrary: step('removal of another fails', letter, async (world, id) => {
        world.engine.changeUnheard(id, 'removalBegins');
        // For one of them, no list ever shows the removal in progress.
        if (id !== 'a') world.watcher.requests.renew();
        await world.catchUp();
        world.failRemoval(id);
      }),
    },
    {
      weight: 1,
      arbitrary: step('start of another fails', letter, ({ engine }, id) => {
        engine.changeUnheard(id, 'startFails');
      }),
    },
    {
      weight: 1,
      arbitrary: step('start of ours fails', letter, async (world, id) => {
        world.engine.act(id, 'die', 0);
        await world.catchUp();
        world.failOurs(id, 'startFails');
      }),
    },
    {
      weight: 1,
      arbitrary: step('removal of ours fails', letter, async (world, id) => {
        world.engine.act(id, 'die', 0);
        await world.catchUp();
        world.failOurs(id, 'removalBegins', 'removalFails');
      }),
    },
    {
      weight: 1,
      arbitrary: step('renew', fc.constant(0), ({ watcher }) => watcher.requests.renew()),
    },
    {
      weight: 1,
      arbitrary: step('verify', fc.constant(0), ({ watcher }) => watcher.requests.verify()),
    },
    {
      weight: 1,
      arbitrary: step('reconnect', fc.constant(0), ({ watcher }) => watcher.reconnect()),
    },
  ),
  { maxLength: 40, size: 'max' },
);

describe('the watcher, for any order of changes, responses, events, and disconnects,', function () {
  this.timeout(60_000);

  it('matches its engine after fifteen seconds, and silent changes of others after the next list', async () => {
    await holdsInTime(
      fc.asyncProperty(steps, async (all) => {
        const world = new World();
        world.watcher.start();
        for (const { run } of all) {
          await run(world);
          await turn();
        }
        await world.settle();
        const story = all.map(({ words }) => words).join('\n');
        assert.equal(world.inventory.phase.kind, 'live', story);
        const truth = world.engine.truth();
        assert.deepEqual(world.heard(world.seen()), world.heard(truth), story);
        world.watcher.requests.renew();
        await world.settle();
        assert.deepEqual(world.seen(), truth, story);
        world.watcher.dispose();
        await turn();
        assert.deepEqual(world.clock.sleeping, [], story);
      }),
      RUNS,
    );
  });
});
