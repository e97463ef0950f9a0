import assert from 'node:assert/strict';
import {
  askForFilter,
  filterAndSortCommand,
} from '../../../../src/commands/arrange/filterAndSortCommand.ts';
import { filterCompletions } from '../../../../src/commands/arrange/filterCompletions.ts';
import type { Container } from '../../../../src/engine/model.ts';
import { Arrangements, CHOICES } from '../../../../src/views/arrangement/arrangements.ts';
import { Pins } from '../../../../src/views/arrangement/pins.ts';
import type { RowFacts } from '../../../../src/views/arrangement/parseFilter.ts';
import { containerFacts } from '../../../../src/views/containers/containerFacts.ts';
import { container } from '../../inventory/support/nouns.ts';
import { fakeMemento } from '../../support/commandLab.ts';
import { ENTER, ESCAPE, pick, ScriptedUi, type Answer } from '../../support/scriptedUi.ts';
import { Stage } from '../../views/support/stage.ts';

const odd = 'say "a: b"';
const containers = [
  container('a', { name: 'web', image: 'nginx:1', labels: { team: 'x', note: odd } }),
  container('b', { name: 'db', image: 'postgres:16', health: 'unhealthy' }),
  container('c', { name: 'old', image: 'nginx:1', state: 'exited' }),
];

/** The commands on rows of these containers, in a window without VS Code. */
function lab(...all: readonly Container[]) {
  const stage = new Stage();
  stage.show(all);
  const arrangements = new Arrangements(fakeMemento(), () => ({}));
  const rows = stage.containerRows();
  arrangements.onDidChange(() => rows.arrange(arrangements.of('containers')));
  const ui = new ScriptedUi();
  const parts = {
    ui,
    rows: {
      arrangements,
      pins: new Pins(fakeMemento()),
      countRows: () => ({ shown: rows.size, all: all.length }),
      factsOf: () => all.map((one) => containerFacts(one, stage.context)),
    },
  };
  return {
    ui,
    arrangements,
    rows,
    names: () => stage.labels(rows.roots),
    ask: (...answers: readonly Answer[]) => {
      ui.act(...answers);
      return askForFilter('containers', parts);
    },
    command: filterAndSortCommand('gantry.containers.filterAndSort', 'containers', parts),
  };
}

/** Types into the pick, and reacts to the list. */
function typing(text: string, next: Answer): Answer {
  return (shown) => {
    const { pick: question } = shown;
    assert(question && typeof question.items === 'function');
    question.onType?.(text);
    const items = question.items(text);
    return next({ ...shown, items, active: items[0] });
  };
}

describe('filter and sort', () => {
  it('filters while the user types, says how many rows are left, and keeps it at Enter', async () => {
    const { ask, names, arrangements } = lab(...containers);
    await ask(
      typing('unh', (shown) => {
        assert.deepEqual(names(), ['db']);
        const [first] = shown.items ?? [];
        assert.deepEqual([first?.label, first?.description], ['unh', '1 of 3 containers']);
        assert(shown.items?.every(({ alwaysShow }) => alwaysShow));
        return ENTER(shown);
      }),
    );
    assert.deepEqual(names(), ['db']);
    assert.deepEqual(arrangements.recent('containers'), ['unh']);
  });

  it('restores at Escape what was there before', async () => {
    const { ask, names, arrangements } = lab(...containers);
    arrangements.show('containers', { filter: 'web' });
    await ask(typing('db', ESCAPE));
    assert.deepEqual(names(), ['web']);
    assert.deepEqual(arrangements.recent('containers'), []);
  });

  it('says what cannot be read, shows all rows meanwhile, and does not keep it', async () => {
    const { ask, names } = lab(...containers);
    await ask(
      typing('web "', (shown) => {
        const [first] = shown.items ?? [];
        assert.equal(names().length, 3);
        assert.deepEqual(
          [first?.description, first?.icon, first?.isDisabled],
          ['A quotation mark is not closed.', 'warning', true],
        );
        return ESCAPE(shown);
      }),
    );
  });

  it('doubts a key that finds nothing', async () => {
    const { ask } = lab(...containers);
    const look: Answer = (shown) => {
      assert.equal(shown.items?.[0]?.description, '0 of 3 containers "helth" is not a key.');
      return ESCAPE(shown);
    };
    await ask(typing('helth:x', look));
  });

  it('completes a key and goes on, and a value', async () => {
    const { ask, names, arrangements } = lab(...containers);
    await ask(typing('!im', pick('image:')), typing('!image:', pick('image:nginx:1')));
    assert.equal(arrangements.of('containers').filter, '!image:nginx:1');
    assert.deepEqual(names(), ['db']);
    await ask(pick('!image:nginx:1'));
    assert.deepEqual(arrangements.recent('containers'), ['!image:nginx:1']);
  });

  it('groups, sorts, and puts the workspace first, with a check at what holds', async () => {
    const { ask, names, arrangements } = lab(...containers);
    await ask(pick('Group by: Project'), pick('Image'));
    assert.deepEqual(names(), ['nginx:1', 'postgres:16']);
    await ask(pick('Sort by: Name'), pick('State'));
    await ask(pick('This Workspace First'));
    await ask((shown) => {
      const first = shown.items?.find(({ label }) => label === 'This Workspace First');
      assert.equal(first?.icon, 'check');
      return pick('This Workspace Only')(shown);
    });
    assert.deepEqual(arrangements.of('containers'), {
      filter: 'workspace:',
      groupBy: 'image',
      sortBy: 'state',
      isWorkspaceFirst: true,
      isHiding: false,
    });
    await ask(pick('This Workspace Only'));
    await ask(pick('Hide Stopped Containers'));
    const { filter, isHiding } = arrangements.of('containers');
    assert.deepEqual([filter, isHiding], ['', true]);
  });

  it('groups by the value of a label that exists', async () => {
    const { ask, names } = lab(...containers);
    await ask(pick('Group by: Project'), pick('Label...'), pick('team'));
    assert.deepEqual(names(), ['no team', 'x']);
  });

  it('asks nothing with an argument, and returns what holds', async () => {
    const { command, names } = lab(...containers);
    const sorted = await command.run({ filter: ' nginx ', sortBy: 'created', groupBy: 'none' });
    assert.deepEqual(sorted, {
      filter: 'nginx',
      groupBy: 'none',
      sortBy: 'created',
      workspaceFirst: false,
      shown: 2,
      all: 3,
    });
    assert.deepEqual(names(), ['old', 'web']);
    assert.throws(() => command.run({ filter: '"' }), /quotation mark is not closed/);
    assert.throws(() => command.run({ groupBy: 'label:' }), /cannot be grouped by label:/);
  });
});

describe('the completions of a filter', () => {
  const { keys } = CHOICES.containers;
  const facts = containers.map((one) => containerFacts(one, new Stage().context));
  const completed = (text: string, rows: Iterable<RowFacts> = facts) =>
    filterCompletions(text, keys, rows).map((one) => one.text);

  it('are keys, and values that exist', () => {
    assert.deepEqual(completed('').slice(0, 2), ['state:', 'health:']);
    assert.deepEqual(completed('he'), ['health:', 'health:unhealthy']);
    assert.deepEqual(completed('web !h:'), ['web !health:unhealthy']);
    assert.deepEqual(completed('gin'), ['image:nginx:1']);
    assert.deepEqual(completed('p:'), []);
    assert.deepEqual(completed('none:x'), []);
  });

  it('write values with quotes, colons, and spaces so that they can be read again', () => {
    assert.deepEqual(completed('label:say'), ['label:"note=say \\"a: b\\""']);
  });

  it('leave out values with which the filter would be too long', () => {
    const labels: Record<string, string> = { z: 'a'.repeat(1000 - 'label:z='.length) };
    for (let at = 0; at < 30; at += 1) labels[`a${at}`] = 'x'.repeat(1000);
    const rows = [containerFacts(container('d', { labels }), new Stage().context)];
    assert.deepEqual(completed('label:a', rows), [`label:z=${labels['z']}`]);
    assert.deepEqual(completed('web label:a', rows), []);
  });

  it('are bounded, and quick with 10,000 values', () => {
    const labels = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`key ${at}`, 'x'.repeat(200)]),
    );
    const big = container('d', { labels });
    const started = performance.now();
    const found = completed('label:9', [containerFacts(big, new Stage().context)]);
    assert.equal(found.length, 20);
    assert(performance.now() - started < 1000);
  });
});
