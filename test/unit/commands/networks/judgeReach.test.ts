import assert from 'node:assert/strict';
import { judgeReach } from '../../../../src/commands/networks/judgeReach.ts';
import { parseIp } from '../../../../src/engine/networks/ipRange.ts';
import type { ListeningSocket } from '../../../../src/engine/networks/listeningSocket.ts';
import {
  isSameStack,
  sharedNetworks,
  type ReachEnd,
  type ReachFacts,
} from '../../../../src/engine/networks/reachFacts.ts';
import { idOf } from '../../inventory/support/nouns.ts';

const end = (name: string, fields: Partial<ReachEnd> = {}): ReachEnd => ({
  ...{ id: idOf(name.slice(0, 1)), name, isRunning: true, mode: 'app', networks: [], ...fields },
});
const on = (ip: string, name = 'app') => ({ name, networkId: idOf('1'), ip });
const WEB = end('web', { networks: [on('10.0.0.2')] });
const DB = end('db', { networks: [on('10.0.0.3')] });
const socket = (ip: string, port: number): ListeningSocket => {
  const address = parseIp(ip);
  assert(address);
  return { ip: address, port };
};

/** Facts of a way that is open to port 80, except for `fields`. */
function facts(fields: Partial<ReachFacts> = {}): ReachFacts {
  const { from = WEB, to = DB } = fields;
  return {
    ...{ from, to, isSameStack: isSameStack(from, to), shared: sharedNetworks(from, to) },
    ...{ lookup: [socket('10.0.0.3', 1).ip], sockets: [socket('0.0.0.0', 80)], ...fields },
  };
}

/** Returns the answer, and each check with its fix. */
function judge(fields: Partial<ReachFacts>, port = 80) {
  const { isReachable, checks } = judgeReach(facts(fields), port);
  const [found] = checks.filter(({ ok }) => ok !== true);
  return { isReachable, ...found };
}

describe('commands/judgeReach', () => {
  it('is positive only if every check is', () => {
    const names = ['running', 'sharedNetwork', 'nameResolves', 'portListens'];
    const checks = names.map((name) => ({ name, ok: true }));
    assert.deepEqual(judgeReach(facts(), 80), { isReachable: true, checks });
  });

  it('is undecided, and never negative, if nothing in a container can check', () => {
    const name = 'nameResolves';
    assert.deepEqual(judge({ lookup: undefined }), { isReachable: undefined, name });
    const port = { isReachable: undefined, name: 'portListens' };
    assert.deepEqual(judge({ sockets: undefined }), port);
  });

  it('reports which container to start', () => {
    const to = { ...DB, isRunning: false };
    const fix = 'Start or unpause db.';
    const expected = { isReachable: false, name: 'running', ok: false, fix };
    assert.deepEqual(judge({ to, lookup: undefined, sockets: undefined }), expected);
  });

  it('reports which network to connect to', () => {
    const to = end('db', { networks: [{ ...on('10.1.0.3', 'data'), networkId: idOf('2') }] });
    const fix = 'Connect web and db to the same network, such as data.';
    assert.deepEqual(judge({ to, lookup: undefined }), {
      ...{ isReachable: false, name: 'sharedNetwork', ok: false, fix },
    });
  });

  it('does not take two networks of one name for one', () => {
    const twin = end('db', { networks: [{ ...on('10.0.0.3'), networkId: idOf('2') }] });
    assert.deepEqual(sharedNetworks(WEB, twin), []);
    const unknown = end('db', { networks: [{ ...on('10.0.0.3'), networkId: '' }] });
    assert.equal(sharedNetworks(WEB, unknown).length, 1);
  });

  it('cannot determine whether a container on the network of the host is reached', () => {
    const to = end('db', { mode: 'host', networks: [on('', 'host')] });
    const fix = "One container uses host networking. Use the host's address.";
    const expected = { isReachable: undefined, name: 'sharedNetwork', fix };
    assert.deepEqual(judge({ to, lookup: undefined }), expected);
  });

  it('asks for no name in one network stack, and accepts 127.0.0.1', () => {
    const from = end('web', { mode: `container:${DB.id}` });
    const sockets = [socket('127.0.0.1', 80)];
    const reach = judgeReach(facts({ from, sockets, lookup: undefined }), 80);
    assert.equal(reach.isReachable, true);
    assert.equal(reach.checks.length, 3);
    const both = ['web', 'db'].map((name) => end(name, { mode: 'host' }));
    assert.equal(isSameStack(both[0]!, both[1]!), true);
  });

  for (const [what, lookup] of [
    ['does not resolve', []],
    ['leads elsewhere', [socket('10.9.9.9', 1).ip]],
  ] as const) {
    it(`explains what to do if the name ${what}`, () => {
      const fix = 'Use the address 10.0.0.3, or give db an alias.';
      const expected = { isReachable: false, name: 'nameResolves', ok: false, fix };
      assert.deepEqual(judge({ lookup }), expected);
    });
  }

  it('reports that the default network has no names', () => {
    const from = end('web', { networks: [on('172.17.0.2', 'bridge')] });
    const to = end('db', { networks: [on('172.17.0.3', 'bridge')] });
    const fix = 'Connect both to a user-defined network, which resolves names, or use 172.17.0.3.';
    const no = { isReachable: false, name: 'nameResolves', ok: false, fix };
    assert.deepEqual(judge({ from, to, lookup: [] }), no);
    const hint = { isReachable: undefined, name: 'nameResolves', fix };
    assert.deepEqual(judge({ from, to, lookup: undefined }), hint);
  });

  for (const [what, sockets, fix] of [
    [
      'only on 127.0.0.1',
      [socket('127.0.0.1', 80), socket('::1', 80)],
      'The process in db listens on 127.0.0.1 only. Make it listen on 0.0.0.0.',
    ],
    [
      'only on another network',
      [socket('10.7.0.1', 80)],
      'The process in db listens on another network only. Make it listen on 0.0.0.0.',
    ],
    [
      'on other ports',
      [socket('0.0.0.0', 5432), socket('::', 5432), socket('127.0.0.11', 40000)],
      'No process in db listens on port 80. Listening ports: 5432.',
    ],
    ['on nothing', [], 'No process in db listens on port 80. Start the server.'],
  ] as const) {
    it(`explains what to do if a process listens ${what}`, () => {
      const expected = { isReachable: false, name: 'portListens', ok: false, fix };
      assert.deepEqual(judge({ sockets }), expected);
    });
  }

  it('accepts a process that listens on the address of the shared network', () => {
    assert.equal(judge({ sockets: [socket('10.0.0.3', 80)] }).isReachable, true);
  });
});
