import assert from 'node:assert/strict';

import { readImageDefaults } from '../../../../src/engine/images/imageDefaults.ts';

describe('engine/imageDefaults', () => {
  it('reads the defaults of an image', () => {
    const defaults = readImageDefaults({
      Config: {
        ExposedPorts: { '8080/tcp': {}, '53/udp': {}, '443/tcp': {} },
        Volumes: { '/var/lib/b': {}, '/data': {} },
        Env: ['PATH=/bin', 'EMPTY='],
        Cmd: ['server', '--flag'],
        Entrypoint: ['/tini', '--'],
        User: 'me',
        WorkingDir: '/app',
        Labels: { a: '1', b: '2' },
        Healthcheck: {
          Test: ['CMD', 'curl', '-f'],
          Interval: 90e9,
          Timeout: 5e8,
          StartPeriod: 0,
          Retries: 5,
        },
      },
    });
    assert.deepEqual(defaults, {
      ports: ['53/udp', '443/tcp', '8080/tcp'],
      volumes: ['/data', '/var/lib/b'],
      env: ['PATH=/bin', 'EMPTY='],
      cmd: ['server', '--flag'],
      entrypoint: ['/tini', '--'],
      user: 'me',
      workingDir: '/app',
      healthcheck: { test: ['curl', '-f'], interval: '1m30s', timeout: '500ms', retries: 5 },
      labelCount: 2,
    });
  });

  it('reads health checks of every form', () => {
    const check = (Healthcheck: unknown): unknown =>
      readImageDefaults({ Config: { Healthcheck } }).healthcheck;
    assert.deepEqual(check({ Test: ['CMD-SHELL', 'a | b'] }), { test: 'a | b' });
    // The engine passes further words to the shell as parameters.
    assert.deepEqual(check({ Test: ['CMD-SHELL', 'a', 'b'] }), { test: 'a' });
    assert.equal(check({ Test: ['NONE'] }), false);
    for (const none of [undefined, null, {}, { Test: [] }, { Test: ['CMD'] }, 'x', [1]]) {
      assert.equal(check(none), undefined);
    }
  });

  it('ignores invalid values', () => {
    const nothing = {
      ...{ ports: [], volumes: [], env: [], cmd: [], entrypoint: [] },
      ...{ user: '', workingDir: '', labelCount: 0 },
    };
    for (const raw of [undefined, null, 7, 'x', {}, { Config: null }, { Config: { Env: 'A=1' } }]) {
      assert.deepEqual(readImageDefaults(raw), nothing);
    }
    const odd = readImageDefaults({
      Config: {
        ExposedPorts: { '80': {}, 'x/tcp': {}, '80/tcp:1': {}, '81/tcp': null },
        Volumes: { data: {}, '/a b': {}, '/a:b': {}, '/ok': 1 },
        Env: ['=x', 'A B=1', 'NUL=\0', 7, 'OK=1'],
        User: 'a\u202eb\nc',
        Labels: ['x'],
      },
    });
    assert.deepEqual(
      [odd.ports, odd.env, odd.user, odd.labelCount],
      [['81/tcp'], ['OK=1'], 'ab c', 0],
    );
    assert(odd.volumes.includes('/ok') && !odd.volumes.includes('data'));
  });
});
