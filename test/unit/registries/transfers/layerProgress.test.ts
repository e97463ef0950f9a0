import assert from 'node:assert/strict';

import type { PullStep } from '../../../../src/engine/model.ts';
import { LayerProgress } from '../../../../src/registries/transfers/layerProgress.ts';
import { formatTransfer } from '../../../../src/registries/transfers/formatTransfer.ts';
import { formatBytes } from '../../../../src/registries/transfers/formatBytes.ts';

const MB = 1_000_000;

function downloading(id: string, current: number, total: number): PullStep {
  return { id, status: 'Downloading', current, total };
}

/** Adds all steps and returns the lines for the history. */
function addAll(tally: LayerProgress, steps: readonly PullStep[]): string[] {
  return steps.flatMap((step) => tally.add(step) ?? []);
}

function text(tally: LayerProgress): string {
  return formatTransfer(tally.state);
}

describe('registries/transfers/layerProgress: the progress of a pull', () => {
  let tally: LayerProgress;

  beforeEach(() => {
    tally = new LayerProgress();
  });

  it('is zero before the first layer, which a tag is not', () => {
    addAll(tally, [{ id: 'latest', status: 'Pulling from library/x' }, { status: 'hello' }]);
    assert.equal(tally.state.layersAll, 0);
    assert.equal(tally.state.fraction, 0);
    assert.equal(text(tally), '');
  });

  it('adds up the bytes of all layers', () => {
    addAll(tally, [
      { id: 'a', status: 'Pulling fs layer' },
      { id: 'b', status: 'Pulling fs layer' },
      downloading('a', 2 * MB, 4 * MB),
      downloading('b', 1 * MB, 6 * MB),
    ]);
    assert.deepEqual(tally.state, {
      bytesDone: 3 * MB,
      bytesAll: 10 * MB,
      isEstimate: false,
      fraction: 0.3,
      layersDone: 0,
      layersUnpacked: 0,
      layersAll: 2,
      isUnpacking: false,
    });
    assert.equal(text(tally), '30% · 3.0 MB of 10.0 MB · 0 of 2 layers');
  });

  it('counts a layer of unknown size with the average size', () => {
    addAll(tally, [
      { id: 'a', status: 'Pulling fs layer' },
      { id: 'b', status: 'Waiting' },
      { id: 'c', status: 'Already exists' },
      downloading('a', 3 * MB, 4 * MB),
    ]);
    assert.equal(tally.state.fraction, 3 / 8);
    assert.equal(text(tally), '37% · 3.0 MB of about 8.0 MB · 1 of 3 layers');
    tally.add(downloading('b', 0, 2 * MB));
    assert.equal(text(tally), '50% · 3.0 MB of 6.0 MB · 1 of 3 layers');
  });

  it('counts a layer as complete once it has arrived, whatever its status', () => {
    const arrivals = ['Verifying Checksum', 'Download complete', 'Extracting', 'Pull complete'];
    for (const status of arrivals) {
      const one = new LayerProgress();
      addAll(one, [downloading('a', 1, 4 * MB), { id: 'a', status }]);
      assert.equal(one.state.bytesDone, 4 * MB, status);
      assert.equal(one.state.fraction, 1, status);
      assert.equal(one.state.layersDone, 1, status);
    }
  });

  it('counts no bytes for a layer that already exists', () => {
    addAll(tally, [{ id: 'a', status: 'Already exists' }, downloading('b', 1 * MB, 2 * MB)]);
    assert.equal(tally.state.bytesAll, 2 * MB);
    assert.equal(tally.state.fraction, 0.5);
    assert.equal(tally.state.layersDone, 1);
  });

  it('shows that a layer is retried', () => {
    addAll(tally, [downloading('a', 1, 2), { id: 'a', status: 'Retrying in 5 seconds' }]);
    assert.deepEqual(
      tally.layers.map(({ phase }) => phase),
      ['retrying'],
    );
  });

  it('never decreases, also not on a retry, a late layer, or while extracting', () => {
    const steps = [
      downloading('a', 3 * MB, 4 * MB),
      { id: 'a', status: 'Retrying in 5 seconds' },
      downloading('a', 1, 4 * MB),
      downloading('b', 0, 40 * MB),
      { id: 'a', status: 'Download complete' },
      { id: 'a', status: 'Extracting', current: 1, total: 400 * MB },
      downloading('b', 40 * MB, 40 * MB),
    ];
    let before = tally.state;
    for (const step of steps) {
      tally.add(step);
      assert.ok(tally.state.fraction >= before.fraction, step.status);
      assert.ok(tally.state.bytesDone >= before.bytesDone, step.status);
      assert.ok(tally.state.bytesDone <= tally.state.bytesAll, step.status);
      before = tally.state;
    }
    assert.equal(before.bytesAll, 44 * MB);
    assert.equal(before.fraction, 1);
  });

  it('does not exceed the size of a layer, and accepts layers without one', () => {
    tally.add(downloading('a', 5 * MB, 4 * MB));
    assert.equal(tally.state.bytesDone, 4 * MB);
    tally.add({ id: 'b', status: 'Downloading', current: 7 });
    tally.add({ id: 'c', status: 'Downloading' });
    assert.equal(tally.state.layersAll, 3);
    assert.ok(tally.state.fraction <= 1);
  });

  it('counts layers if the engine reports no bytes, and stays below 1 until the end', () => {
    addAll(tally, [
      { id: 'a', status: 'Pulling fs layer' },
      { id: 'b', status: 'Pulling fs layer' },
      { id: 'a', status: 'Download complete' },
    ]);
    assert.equal(tally.state.fraction, 1 / 3);
    assert.equal(text(tally), '1 of 2 layers');
    tally.add({ id: 'b', status: 'Download complete' });
    assert.ok(tally.state.fraction < 1);
  });

  it('switches from layers to bytes once a size is known', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    addAll(
      tally,
      ids.map((id) => ({ id, status: 'Already exists' })),
    );
    assert.equal(tally.state.fraction, 5 / 6);
    tally.add(downloading('f', 1 * MB, 100 * MB));
    assert.equal(text(tally), '1% · 1.0 MB of 100.0 MB · 5 of 6 layers');
  });

  it('reports extracting once all layers have arrived', () => {
    addAll(tally, [
      downloading('a', 1, 2),
      downloading('b', 1, 2),
      { id: 'a', status: 'Extracting', current: 1, total: 2 },
      { id: 'a', status: 'Pull complete' },
    ]);
    assert.equal(tally.state.isUnpacking, false);
    tally.add({ id: 'b', status: 'Extracting', current: 1, total: 2 });
    assert.equal(text(tally), 'Extracting · 1 of 2 layers');
  });
});

describe('registries/transfers/layerProgress: the history', () => {
  it('has the milestones of each layer, the digest, and the outcome in order', () => {
    const layer = (id: string): PullStep[] => [
      { id, status: 'Pulling fs layer' },
      { id, status: 'Waiting' },
      ...Array.from({ length: 200 }, (_, i) => downloading(id, i * 10_000, 2 * MB)),
      { id, status: 'Verifying Checksum' },
      { id, status: 'Download complete' },
      ...Array.from({ length: 200 }, (_, i) => ({ id, status: 'Extracting', current: i })),
      { id, status: 'Pull complete' },
    ];
    const lines = addAll(new LayerProgress(), [
      { id: '1', status: 'Pulling from me/app' },
      ...layer('aaa'),
      { id: 'bbb', status: 'Already exists' },
      { status: 'Digest: sha256:123' },
      { status: 'Status: Downloaded newer image for me/app:1' },
    ]);
    assert.deepEqual(lines, [
      '1: Pulling from me/app',
      'aaa: Pulling fs layer',
      'aaa: Download complete (2.0 MB)',
      'aaa: Pull complete',
      'bbb: Already exists',
      'Digest: sha256:123',
      'Status: Downloaded newer image for me/app:1',
    ]);
  });

  it('has repeated lines once, countdowns included', () => {
    const again = [5, 4, 3, 2, 1].map((n) => ({ id: 'a', status: `Retrying in ${n} seconds` }));
    const done = { id: 'a', status: 'Download complete' };
    assert.deepEqual(addAll(new LayerProgress(), [...again, done, done]), [
      'a: Retrying in 5 seconds',
      'a: Download complete',
    ]);
  });

  it('keeps unknown status texts', () => {
    const lines = addAll(new LayerProgress(), [
      { status: 'WARNING: something' },
      { id: 'a', status: 'Teleporting' },
    ]);
    assert.deepEqual(lines, ['WARNING: something', 'a: Teleporting']);
  });
});

describe('registries/transfers/formatBytes', () => {
  it('uses the largest unit with a value of at least 1', () => {
    const shown: [bytes: number, text: string][] = [
      [0, '0 B'],
      [999, '999 B'],
      [1000, '1.0 kB'],
      [1234, '1.2 kB'],
      [999_949, '999.9 kB'],
      [999_960, '1.0 MB'],
      [48 * MB, '48.0 MB'],
      [1_500 * MB, '1.5 GB'],
      [2_000_000 * MB, '2.0 TB'],
      [5_000_000_000 * MB, '5000.0 TB'],
    ];
    for (const [bytes, expected] of shown) assert.equal(formatBytes(bytes), expected);
  });
});

describe('registries/transfers/layerProgress: a pull with too many layers', () => {
  it('keeps at most 1000 layers and 10,000 lines', () => {
    const tally = new LayerProgress();
    let lines = 0;
    for (let at = 0; at < 20_000; at++) {
      const id = String.fromCodePoint(0x4e00 + at);
      if (tally.add({ id, status: 'Pulling fs layer' }) !== undefined) lines++;
    }
    assert.equal(tally.state.layersAll, 1000);
    assert.equal(lines, 10_000);
  });
});
