import assert from 'node:assert/strict';
import { Transfers } from '../../../src/registries/transfers/transfers.ts';
import type { Memento } from '../../../src/base/lifetime.ts';
import { Folds } from '../../../src/views/folds.ts';
import type { TreeNode } from '../../../src/views/treeNode.ts';
import { TransferNode } from '../../../src/views/transfers/transferNode.ts';
import { container } from '../inventory/support/nouns.ts';
import { inProject, Stage } from './support/stage.ts';

const exited = { state: 'exited', exitCode: 0 } as const;

class Memory implements Memento {
  value: unknown;
  get(): unknown {
    return this.value;
  }
  update(_: string, value: unknown): Promise<void> {
    this.value = JSON.parse(JSON.stringify(value));
    return Promise.resolve();
  }
}

describe('Folds', () => {
  const projects = (stage: Stage): readonly [TreeNode, TreeNode] => {
    stage.show([
      container('a', { labels: inProject('over'), ...exited }),
      container('b', { labels: inProject('fresh'), state: 'created' }),
    ]);
    const [fresh, over] = stage.containerRows().roots;
    assert.ok(fresh && over);
    return [fresh, over];
  };

  it('starts with a project collapsed if all its containers have exited, but not if some are still to start', () => {
    const folds = new Folds(new Memory());
    const [fresh, over] = projects(new Stage());
    assert.equal(folds.isFolded(over), true);
    assert.equal(folds.isFolded(fresh), false);
  });

  it('keeps the initial state of a row while its containers start and exit', () => {
    const stage = new Stage();
    const folds = new Folds(new Memory());
    const [fresh] = projects(stage);
    assert.equal(folds.isFolded(fresh), false);
    stage.change(container('b', { labels: inProject('fresh'), ...exited }));
    assert.equal(folds.isFolded(fresh), false);
  });

  it("keeps the user's choice after a reload", () => {
    const memory = new Memory();
    const [fresh, over] = projects(new Stage());
    const folds = new Folds(memory);
    folds.set(over, false);
    folds.set(fresh, true);
    const [freshLater, overLater] = projects(new Stage());
    const later = new Folds(memory);
    assert.equal(later.isFolded(overLater), false);
    assert.equal(later.isFolded(freshLater), true);
  });

  it("starts with a pull collapsed, and keeps the user's choice for it only in this window", () => {
    const stage = new Stage();
    const transfers = new Transfers(stage.clock);
    const transfer = transfers.pull({
      ...{ kind: 'pull', engine: 'default', reference: 'nginx:latest', title: 'nginx:latest' },
      ...{ fullName: 'nginx:latest', keepsFailure: true },
      work: () => new Promise(() => undefined),
    });
    const memory = new Memory();
    const folds = new Folds(memory);
    const node = new TransferNode(transfer, String);
    assert.equal(folds.isFolded(node), true);
    folds.set(node, false);
    assert.equal(folds.isFolded(node), false);
    assert.equal(memory.value, undefined);
    assert.equal(new Folds(memory).isFolded(new TransferNode(transfer, String)), true);
    transfers.dispose();
  });

  it('keeps at most 500 choices and drops the oldest', () => {
    const memory = new Memory();
    const folds = new Folds(memory);
    const stage = new Stage();
    stage.show(
      Array.from({ length: 501 }, (_, index) =>
        container('a', { id: String(index).padStart(64, '0'), labels: inProject(`p${index}`) }),
      ),
    );
    const [first, second, ...others] = stage.containerRows().roots;
    assert(first && second);
    for (const node of [first, second]) folds.set(node, true);
    // Chosen again: it is the newest now.
    folds.set(first, false);
    for (const node of others) folds.set(node, true);
    const stored = memory.value as readonly [string, boolean][];
    assert.equal(stored.length, 500);
    assert.deepEqual(stored[0], [first.id, false]);
    assert(!stored.some(([id]) => id === second.id));
  });

  it('ignores invalid entries of another version', () => {
    const memory = new Memory();
    memory.value = [['default/project/over', 'yes'], 'x', null, ['default/project/over']];
    const [, over] = projects(new Stage());
    assert.equal(new Folds(memory).isFolded(over), true);
  });
});
