import assert from 'node:assert/strict';
import type { Container } from '../../../../src/engine/model.ts';
import { PLAIN } from '../../../../src/views/arrangement/arrangements.ts';
import { Pins, type Pin } from '../../../../src/views/arrangement/pins.ts';
import { ContainerNode } from '../../../../src/views/containers/containerNode.ts';
import { ContainerRows } from '../../../../src/views/containers/containerRows.ts';
import { container } from '../../inventory/support/nouns.ts';
import { fakeMemento } from '../../support/commandLab.ts';
import { inProject, record, Stage } from '../support/stage.ts';

describe('the work for container rows', () => {
  it('grows with the containers of a project, not with their square', () => {
    const few = readsToPresent(50);
    assert(readsToPresent(100) < 3 * few);
  });

  it('after a change of a hidden container grows with the project, not with services times containers', () => {
    const few = readsAfterHiddenChange(20);
    assert(readsAfterHiddenChange(40) < 3 * few);
  });

  it('after a change of a hidden container repaints its project and its service', () => {
    const { stage, rows, dropped } = filtered(20);
    const fired = record(stage, rows);
    stage.change({ ...dropped, state: 'paused' });
    assert.deepEqual(fired, ['shop s0']);
  });

  it('of sorting asks once for the pin and the time of a row, and again only for what changed', () => {
    const count = 100;
    const stage = new Stage();
    let dates = 0;
    const all = Array.from({ length: count }, (_, at) => ({
      ...numbered(at, { name: `c${at}` }),
      get createdAt() {
        dates += 1;
        return new Date(1e12 + ((at * 7919) % count) * 1e6).toISOString();
      },
    }));
    stage.show(all);
    const pins = new CountingPins(fakeMemento());
    pins.set([['default', 'container', 'c5']], true);
    const context = { ...stage.context, pins };
    const rows = new ContainerRows('default', context, undefined, { ...PLAIN, sortBy: 'created' });
    dates = 0;
    assert.equal(stage.labels(rows.roots.slice(0, 2)).join(' '), 'c5 c21');
    assert.deepEqual([pins.asked, dates], [count, count]);
    stage.change(numbered(7, { name: 'renamed', createdAt: '2030-01-01T00:00:00Z' }));
    pins.asked = dates = 0;
    assert.equal(stage.labels(rows.roots.slice(1, 2)).join(' '), 'renamed');
    assert.deepEqual([pins.asked, dates], [1, 0]);
  });
});

class CountingPins extends Pins {
  asked = 0;

  override has(pin: Pin): boolean {
    this.asked += 1;
    return super.has(pin);
  }
}

function numbered(at: number, fields: Partial<Container>): Container {
  return { ...container('a', fields), id: String(at).padStart(64, '0') };
}

/** Counts how often rows are asked for their containers when all rows of a project are presented. */
function readsToPresent(count: number): number {
  const stage = new Stage();
  stage.show(
    Array.from({ length: count }, (_, at) =>
      numbered(at, { name: `shop-s${at}-1`, labels: inProject('shop', `s${at}`, 1) }),
    ),
  );
  const [project] = stage.containerRows().roots;
  const property = Object.getOwnPropertyDescriptor(ContainerNode.prototype, 'container');
  assert(property);
  let reads = 0;
  Object.defineProperty(ContainerNode.prototype, 'container', {
    ...property,
    get(this: ContainerNode) {
      reads += 1;
      return property.get?.call(this) as Container;
    },
  });
  try {
    assert.equal(stage.labels(project?.children).length, count);
  } finally {
    Object.defineProperty(ContainerNode.prototype, 'container', property);
  }
  return reads;
}

/** Counts how often labels are read after a hidden container has changed, until all services are presented. */
function readsAfterHiddenChange(services: number): number {
  const { stage, rows, dropped, labelReads } = filtered(services);
  const [project] = rows.roots;
  const before = labelReads();
  stage.change({ ...dropped, state: 'paused' });
  stage.labels([...rows.roots, ...(project?.children ?? [])]);
  return labelReads() - before;
}

/** A project with services that have two containers each that the filter finds, and two that it does not. */
function filtered(services: number) {
  const stage = new Stage();
  let reads = 0;
  const all = Array.from({ length: services * 4 }, (_, at) => {
    const service = `s${at % services}`;
    const number = 1 + Math.floor(at / services);
    const labels = inProject('shop', service, number);
    const image = number % 2 === 0 ? 'drop' : 'keep';
    return {
      ...numbered(at, { name: `shop-${service}-${number}`, image }),
      get labels() {
        reads += 1;
        return labels;
      },
    };
  });
  stage.show(all);
  const rows = stage.containerRows({ filter: 'image:keep' });
  const dropped = all[services];
  assert(dropped);
  return { stage, rows, dropped, labelReads: () => reads };
}
