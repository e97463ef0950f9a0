import assert from 'node:assert/strict';
import { Activity } from '../../../../src/inventory/activity.ts';
import { Inventory } from '../../../../src/inventory/inventory.ts';
import { ComposeActivity } from '../../../../src/projects/cli/composeActivity.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';

describe('ComposeActivity', () => {
  let inventory: Inventory;
  let activity: Activity;
  let rows: ComposeActivity;
  beforeEach(() => {
    inventory = new Inventory();
    activity = new Activity();
    inventory.replaceAll([container('a', { name: 'shop-web-1' })], [], 0);
    rows = new ComposeActivity(inventory, activity);
  });
  afterEach(() => rows.dispose());

  const verb = (id = 'a'): unknown => activity.verbOf(idOf(id));
  const take = (id: string, ...statuses: readonly string[]): readonly unknown[] =>
    statuses.map((status) => {
      rows.apply({ id, status });
      return verb();
    });

  it('shows what happens to a container until the next report on it', () => {
    assert.deepEqual(
      take('Container shop-web-1', 'Recreate', 'Recreated', 'Starting', 'Started', 'Stopping'),
      ['recreating', undefined, 'starting', undefined, 'stopping'],
    );
    assert.deepEqual(take('Container shop-db-1', 'Starting'), ['stopping']);
    assert.deepEqual(take('Network shop-web-1', 'Removed'), ['stopping']);
    rows.dispose();
    assert.equal(verb(), undefined);
  });

  it('shows it for a container that is listed only afterwards', () => {
    take('Container shop-db-1', 'Creating', 'Created', 'Starting');
    take('Container shop-job-1', 'Starting', 'Started');
    const added = ['b', 'c'].map((id, at) =>
      container(id, { name: ['shop-db-1', 'shop-job-1'][at] ?? '' }),
    );
    inventory.replaceContainers([idOf('b'), idOf('c')], added, 0);
    assert.deepEqual([verb('b'), verb('c')], ['starting', undefined]);
    take('Container shop-db-1', 'Started');
    assert.equal(verb('b'), undefined);
  });

  it('forgets what was not listed when the run is over', () => {
    take('Container shop-db-1', 'Starting');
    rows.dispose();
    inventory.replaceContainers([idOf('b')], [container('b', { name: 'shop-db-1' })], 0);
    assert.equal(verb('b'), undefined);
  });
});
