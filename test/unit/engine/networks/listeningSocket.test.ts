import assert from 'node:assert/strict';
import {
  isLoopbackSocket,
  isWildcard,
  parseListeningSockets,
} from '../../../../src/engine/networks/listeningSocket.ts';
import { parseIp } from '../../../../src/engine/networks/ipRange.ts';

const HEADER = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid';
const line = (local: string, state = '0A'): string =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 587743 1`;

/** Reads the only socket of a table. */
function only(local: string) {
  const [socket] = parseListeningSockets([HEADER, line(local), ''].join('\n')) ?? [];
  assert(socket);
  return socket;
}

describe('engine/networks/listeningSocket', () => {
  for (const [local, ip, port, kind] of [
    ['00000000:1F90', '0.0.0.0', 8080, 'wildcard'],
    ['0B00007F:95F1', '127.0.0.11', 38385, 'loopback'],
    ['324D590A:0050', '10.89.77.50', 80, 'address'],
    ['00000000000000000000000000000000:0050', '::', 80, 'wildcard'],
    ['00000000000000000000000001000000:0050', '::1', 80, 'loopback'],
    ['0000000000000000FFFF00000100007F:0050', '127.0.0.1', 80, 'loopback'],
    ['0000000000000000FFFF000000000000:0050', '0.0.0.0', 80, 'wildcard'],
    ['000000FD000077000000000099000000:0050', 'fd00:0:77::99', 80, 'address'],
  ] as const) {
    it(`reads ${ip}, port ${port}, from ${local}`, () => {
      const socket = only(local);
      assert.deepEqual(socket, { ip: parseIp(ip), port });
      assert.equal(isWildcard(socket), kind === 'wildcard');
      assert.equal(isLoopbackSocket(socket), kind === 'loopback');
    });
  }

  it('ignores connections and lines that are neither', () => {
    const odd = ['', 'x', line('0:1'), line('zz'), line('00000000:1F90', '01')];
    assert.deepEqual(parseListeningSockets([HEADER, ...odd].join('\n')), []);
  });

  it('takes two tables, of which one may be missing', () => {
    const six = line('00000000000000000000000000000000:0051');
    const both = [HEADER, line('00000000:0050'), HEADER, six].join('\n');
    const ports = parseListeningSockets(both)?.map(({ port }) => port);
    assert.deepEqual(ports, [80, 81]);
    assert.deepEqual(parseListeningSockets(HEADER), []);
    assert.equal(parseListeningSockets('cat: /proc/net/tcp: No such file or directory'), undefined);
  });
});
