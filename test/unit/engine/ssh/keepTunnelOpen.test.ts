import assert from 'node:assert/strict';
import type { OpenTunnel, SpareTunnels, Tunnel } from '../../../../src/engine/http/tunnel.ts';
import { keepTunnelOpen } from '../../../../src/engine/ssh/keepTunnelOpen.ts';
import { FakeClock } from '../../support/fakeClock.ts';

describe('a tunnel of a test', () => {
  let clock: FakeClock;
  let spare: SpareTunnels;
  let disposals: number;
  let open: () => Promise<string>;
  let factory: OpenTunnel;
  beforeEach(() => {
    clock = new FakeClock();
    spare = new Map();
    disposals = 0;
    open = () => Promise.resolve('/e1');
    const make = (): Tunnel => ({
      open: () => open(),
      enter: () => Promise.reject(new Error('not entered')),
      isNarrow: false,
      retry: () => undefined,
      dispose: () => (disposals += 1),
    });
    factory = keepTunnelOpen(() => take() ?? make(), spare, clock);
  });

  /** Takes the spare tunnel, as an engine does. */
  function take(): Tunnel | undefined {
    const kept = spare.get('ssh://nas');
    kept?.closing.dispose();
    spare.clear();
    return kept?.tunnel;
  }

  const create = () => factory({ kind: 'ssh', host: 'nas' }, 'ssh://nas');
  async function test(): Promise<void> {
    const tunnel = create();
    await tunnel.open().catch(() => undefined);
    tunnel.dispose();
  }

  it('is closed if no engine takes it within 30 seconds', async () => {
    await test();
    clock.pass(29_999);
    assert.deepEqual([[...spare.keys()], disposals], [['ssh://nas'], 0]);
    clock.pass(1);
    assert.deepEqual([spare.size, disposals], [0, 1]);
  });

  it('stays open if an engine has taken it', async () => {
    await test();
    take();
    clock.pass(30_000);
    assert.equal(disposals, 0);
  });

  it('is closed 30 seconds after the last test that took it', async () => {
    await test();
    clock.pass(20_000);
    await test();
    clock.pass(29_999);
    assert.deepEqual([spare.size, disposals], [1, 0]);
    clock.pass(1);
    assert.deepEqual([spare.size, disposals], [0, 1]);
  });

  it('is closed if it was not open, or if another one is spare now', async () => {
    open = () => Promise.reject(new Error('down'));
    await test();
    create().dispose();
    assert.deepEqual([spare.size, disposals], [0, 2]);
    open = () => Promise.resolve('/e2');
    const both = [create(), create()];
    for (const tunnel of both) await tunnel.open();
    for (const tunnel of both) tunnel.dispose();
    assert.deepEqual([spare.size, disposals], [1, 3]);
  });
});
