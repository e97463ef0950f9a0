import assert from 'node:assert/strict';
import { isLeftBehind, newOwner, TEMPORARY_LABEL } from '../../../src/engine/imageContainer.ts';
import type { Container } from '../../../src/engine/model.ts';
import { sweepLeftBehind } from '../../../src/files/leftBehind.ts';
import { Inventory } from '../../../src/inventory/inventory.ts';
import { Emitter } from '../../../src/lifetime.ts';
import { openLab, when, type Lab } from '../support/lab.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const OLD = '2026-01-01T00:00:00Z';

function temporary(owner: string, createdAt = OLD, id = 'a'.repeat(64)): Container {
  return {
    ...{ id, name: 'x', names: ['x'], image: 'x', imageId: 'x', state: 'created', status: '' },
    ...{ createdAt, ports: [], labels: { [TEMPORARY_LABEL]: owner }, command: '' },
  };
}

describe('files/leftBehind: a temporary container', () => {
  const own = newOwner();
  const [machine = ''] = own.split('-');
  const other = `${machine}-${process.pid + 1}-0000`;
  const isLeft = (container: Container, isAlive: boolean): boolean =>
    isLeftBehind(container, own, NOW, () => isAlive);

  it('is left alone where it is ours, or of a window that lives', () => {
    assert(!isLeft(temporary(own), false));
    assert(!isLeft(temporary(other), true));
  });

  it('is swept where its window was killed, or is an earlier run under our number', () => {
    assert(isLeft(temporary(other), false));
    assert(isLeft(temporary(`${machine}-${process.pid}-0000`), true));
  });

  it('of another machine is swept only once it is old', () => {
    assert(isLeft(temporary('elsewhere-1-0000'), true));
    assert(!isLeft(temporary('elsewhere-1-0000', '2026-01-01T23:59:00Z'), false));
    assert(isLeft(temporary('', ''), true));
  });

  describe('in an engine', () => {
    let lab: Lab;
    beforeEach(() => (lab = openLab()));
    afterEach(() => lab.close());

    it('shows in no list, and is removed when that is first known, once', async () => {
      const removed: string[] = [];
      const { connection } = await lab.fake((request, response) => {
        removed.push(`${request.method} ${request.path}`);
        response.writeHead(204).end();
      });
      const inventory = new Inventory();
      const changes = new Emitter<unknown>();
      const unit = { inventory, engine: { connect: () => Promise.resolve(connection) } };
      const engines = { all: [unit], onDidChangeInventory: changes.event };
      sweepLeftBehind(engines, own);
      const dead = temporary(`${machine}-${process.pid}-0000`);
      const mine = temporary(own, OLD, 'b'.repeat(64));
      const info = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;
      changes.fire(undefined);
      inventory.replaceAll([dead, mine], [], NOW, { kind: 'live', info });
      changes.fire(undefined);
      changes.fire(undefined);
      await when(() => removed.length > 0);
      assert.deepEqual(removed, [`DELETE /containers/${dead.id}`]);
      assert.deepEqual([inventory.containers.size, inventory.temporaries.size], [0, 2]);
      inventory.replaceContainers([mine.id], [mine], NOW);
      assert.equal(inventory.containers.size, 0);
    });
  });
});
