import assert from 'node:assert/strict';
import { Arrangements, PLAIN } from '../../../../src/views/arrangement/arrangements.ts';
import { Pins, type Pin } from '../../../../src/views/arrangement/pins.ts';
import { fakeMemento } from '../../support/commandLab.ts';

describe('the arrangement of a view', () => {
  const settings = { groupBy: 'registry', sortBy: 'size', isHiding: true };
  const open = (memory = fakeMemento()) => new Arrangements(memory, () => settings);

  it('is as set until something else is chosen, which the next window has', () => {
    const memory = fakeMemento();
    const arrangements = open(memory);
    assert.deepEqual(arrangements.of('images'), { ...PLAIN, ...settings });
    arrangements.show('images', { filter: 'web', sortBy: 'name' });
    assert.deepEqual(open(memory).of('images'), { ...PLAIN, ...settings });
    arrangements.keep('images');
    const wanted = { ...PLAIN, ...settings, filter: 'web', sortBy: 'name' };
    assert.deepEqual(open(memory).of('images'), wanted);
    arrangements.reset('images', 'sortBy');
    assert.equal(open(memory).of('images').sortBy, 'size');
    assert.equal(open(memory).of('images').filter, 'web');
  });

  it('remembers the last ten filters, each once', () => {
    const memory = fakeMemento();
    const arrangements = open(memory);
    for (const filter of [...Array.from({ length: 12 }, (_, at) => `f${at}`), 'f5', '']) {
      arrangements.show('volumes', { filter });
      arrangements.keep('volumes');
    }
    const recent = ['f5', 'f11', 'f10', 'f9', 'f8', 'f7', 'f6', 'f4', 'f3', 'f2'];
    assert.deepEqual(open(memory).recent('volumes'), recent);
    assert.deepEqual(open(memory).recent('images'), []);
  });

  it('ignores what another version has kept, and each field of another shape', async () => {
    const memory = fakeMemento();
    const chosen = { filter: 'a', groupBy: 'label:', sortBy: 'size', isWorkspaceFirst: 1 };
    const views = { containers: { chosen, recent: ['b', 2, 'x'.repeat(1001)] }, images: 'odd' };
    await memory.update('gantry.arrangements', { version: 2, views });
    assert.equal(open(memory).of('containers').filter, '');
    await memory.update('gantry.arrangements', { version: 1, views });
    const read = open(memory);
    assert.deepEqual(read.of('containers'), { ...PLAIN, ...settings, filter: 'a' });
    assert.deepEqual(read.recent('containers'), ['b']);
    await memory.update('gantry.arrangements', 'odd');
    assert.deepEqual(open(memory).of('images'), { ...PLAIN, ...settings });
  });
});

describe('pins', () => {
  const web: Pin = ['default', 'service', 'shop', 'web'];

  it('outlive the window', () => {
    const memory = fakeMemento();
    const pins = new Pins(memory);
    let changes = 0;
    pins.onDidChange(() => (changes += 1));
    pins.set([web], true);
    const next = new Pins(memory);
    assert.equal(next.has(web), true);
    assert.equal(next.has(['other', 'service', 'shop', 'web']), false);
    next.set([web], false);
    assert.equal(new Pins(memory).isEmpty, true);
    assert.equal(changes, 1);
  });

  it('of another version or shape are none', async () => {
    const memory = fakeMemento();
    await memory.update('gantry.pins', { version: 2, keys: [JSON.stringify(web)] });
    assert.equal(new Pins(memory).isEmpty, true);
    await memory.update('gantry.pins', { version: 1, keys: [1, JSON.stringify(web)] });
    assert.equal(new Pins(memory).has(web), true);
  });
});
