import assert from 'node:assert/strict';
import { mountAt, mountBelow } from '../../../../src/engine/files/mountAt.ts';

const MOUNTS = [
  { type: 'volume', target: '/data/' },
  { type: 'bind', target: '/data/src' },
  { type: 'bind', target: '/etc/hosts' },
  { type: 'volume', target: '/dev/shm/keep' },
];

describe('mountAt', () => {
  it('finds the innermost mount that has a path', () => {
    const targetAt = (path: string): string | undefined => mountAt(path, MOUNTS)?.target;
    assert.equal(targetAt('/data'), '/data/');
    assert.equal(targetAt('/data/a'), '/data/');
    assert.equal(targetAt('/data/src/main.ts'), '/data/src');
    assert.equal(targetAt('/database'), undefined);
    assert.equal(targetAt('/etc/hosts'), '/etc/hosts');
    assert.equal(targetAt('/etc/hostname'), '/etc/hostname');
    assert.equal(targetAt('/dev/shm/x'), '/dev');
    assert.equal(targetAt('/dev/shm/keep/x'), '/dev/shm/keep');
    assert.equal(mountAt('/x', [{ type: 'bind', target: '/' }])?.target, '/');
  });

  it('takes a mount of the user for that of the engine at the same path', () => {
    const mine = { type: 'volume', target: '/proc' };
    assert.equal(mountAt('/proc/x', [mine])?.type, 'volume');
  });
});

describe('mountBelow', () => {
  it('finds a mount at a path or below it', () => {
    const targetBelow = (path: string): string | undefined => mountBelow(path, MOUNTS)?.target;
    assert.equal(targetBelow('/data'), '/data/');
    assert.equal(targetBelow('/data/src/lib'), undefined);
    assert.equal(targetBelow('/etc'), '/etc/hosts');
    assert.equal(targetBelow('/dat'), undefined);
    assert.equal(targetBelow('/')?.startsWith('/'), true);
  });
});
