import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/lifetime.ts';
import {
  TrackedRows,
  type ViewerRowsChange,
  type RowSource,
} from '../../../../src/logviewer/rows/viewerRows.ts';

/** A view whose rows are these ids; those in `hidden` are folded below the id before them. */
class FakeView implements RowSource {
  ids: readonly number[] = [];
  readonly folded = new Map<number, number>();
  readonly changes = new Emitter<undefined>();
  readonly failures = new Emitter<Error>();
  readonly onDidChange = this.changes.event;
  readonly onDidFail = this.failures.event;
  refusal: Error | undefined;

  get rowCount(): number {
    return this.ids.length;
  }

  rowAt(index: number) {
    const id = this.ids[index];
    if (id === undefined) return undefined;
    const follow = [...this.folded.values()].filter((head) => head === id).length;
    return { id, head: id, follow, isFolded: follow > 0 };
  }

  indexOf(id: number): number {
    return this.ids.indexOf(id);
  }

  indexFrom(id: number): number {
    const index = this.ids.findIndex((one) => one >= id);
    return index < 0 ? this.ids.length : index;
  }

  indexNear(id: number): number {
    return this.indexFrom(id);
  }

  headOf(id: number): number {
    return this.folded.get(id) ?? id;
  }

  isFolded(head: number): boolean {
    return [...this.folded.values()].includes(head);
  }

  fold(head: number, isFolded: boolean): void {
    if (isFolded) return;
    for (const [id, of] of this.folded) if (of === head) this.folded.delete(id);
  }

  show(): Promise<void> {
    return this.refusal ? Promise.reject(this.refusal) : Promise.resolve();
  }
}

describe('the rows of a viewer', () => {
  function changesFor(...steps: readonly (readonly number[])[]): readonly ViewerRowsChange[] {
    const view = new FakeView();
    const rows = new TrackedRows(view, () => undefined);
    const changes: ViewerRowsChange[] = [];
    rows.onDidChange((change) => changes.push(change));
    for (const ids of steps) {
      view.ids = ids;
      view.changes.fire(undefined);
    }
    return changes;
  }

  it('only come at the end', () => {
    assert.deepEqual(changesFor([1, 2], [1, 2], [1, 2, 3]), [{}, {}, {}]);
  });

  it('shift where others come before the first, also while some come at the end', () => {
    assert.deepEqual(changesFor([1, 2], [-1, 0, 1, 2]), [{}, { shiftedBy: 2 }]);
    assert.deepEqual(changesFor([1, 2], [0, 1, 2, 3]), [{}, { shiftedBy: 1 }]);
  });

  it('are new where some went, or came in between', () => {
    assert.deepEqual(changesFor([1, 2, 3], [2, 3])[1], { isNew: true });
    assert.deepEqual(changesFor([1, 2, 3], [1, 3])[1], { isNew: true });
    assert.deepEqual(changesFor([1, 3], [1, 2, 3])[1], { isNew: true });
    assert.deepEqual(changesFor([1, 3], [])[1], { isNew: true });
  });

  it('are those of the lines, of what they are folded below, or the nearest behind', () => {
    const view = new FakeView();
    view.ids = [10, 20, 30];
    view.folded.set(21, 20).set(22, 20);
    const rows = new TrackedRows(view, () => undefined);
    assert.deepEqual(
      [10, 22, 25, 99, -5].map((id) => rows.rowOf(id)),
      [0, 1, 2, 2, 0],
    );
    assert.deepEqual(rows.slice(1, 9), [
      { id: 20, folded: { count: 2, isOpen: false } },
      { id: 30 },
    ]);
    rows.uncover(22);
    assert.deepEqual(rows.slice(1, 2), [{ id: 20 }]);
  });

  it('stay where a filter is refused, and it is said why', async () => {
    const view = new FakeView();
    const problems: unknown[] = [];
    const rows = new TrackedRows(view, (error) => problems.push(error));
    view.refusal = new DOMException('another one', 'AbortError');
    rows.show(undefined, true);
    await new Promise(setImmediate);
    view.refusal = new Error('no expression');
    rows.show(undefined, true);
    await new Promise(setImmediate);
    assert.deepEqual(problems, [view.refusal]);
  });
});
