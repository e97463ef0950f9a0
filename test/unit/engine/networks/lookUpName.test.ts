import assert from 'node:assert/strict';
import { parseIp } from '../../../../src/engine/networks/ipRange.ts';
import {
  readGetent,
  readHosts,
  readNslookup,
  type Lookup,
} from '../../../../src/engine/networks/lookUpName.ts';

const ips = (...texts: readonly string[]): Lookup => texts.flatMap((text) => parseIp(text) ?? []);

describe('engine/networks/lookUpName', () => {
  it('reads getent, and whether it found nothing', () => {
    assert.deepEqual(
      readGetent('10.0.0.2        db\nfd00::2   db\n', 0),
      ips('10.0.0.2', 'fd00::2'),
    );
    assert.deepEqual(readGetent('', 2), []);
    assert.equal(readGetent('', 1), undefined);
    assert.equal(readGetent('', undefined), undefined);
  });

  it('reads the hosts file', () => {
    const text = '127.0.0.1\tlocalhost\n10.0.0.2 db db.local # the database\n#10.0.0.3 old\n';
    assert.deepEqual(readHosts(text, 'db'), ips('10.0.0.2'));
    assert.deepEqual(readHosts(text, 'old'), []);
    assert.deepEqual(readHosts(text, 'd'), []);
  });

  const server = 'Server:\t\t127.0.0.11\nAddress:\t127.0.0.11:53\n\n';
  for (const [what, output, code, expected] of [
    [
      'busybox',
      `${server}Non-authoritative answer:\nName:\tdb\nAddress: 10.0.0.2\n\nNon-authoritative answer:\n`,
      0,
      ips('10.0.0.2'),
    ],
    [
      'older busybox',
      'Server:    127.0.0.11\nAddress 1: 127.0.0.11\n\nName:      db\nAddress 1: 10.0.0.2 db.app\n',
      0,
      ips('10.0.0.2'),
    ],
    [
      'BIND',
      'Server:\t\t10.0.0.1\nAddress:\t10.0.0.1#53\n\nName:\tdb\nAddress: 10.0.0.2\nName:\tdb\nAddress: fd00::2\n',
      0,
      ips('10.0.0.2', 'fd00::2'),
    ],
    ['a name that does not exist', `${server}** server can't find db: NXDOMAIN\n`, 1, []],
    ['a server that fails', `${server}** server can't find db: SERVFAIL\n`, 1, undefined],
    ['no server', ';; connection timed out; no servers could be reached\n', 1, undefined],
    ['nothing', '', 1, undefined],
    ['an answer without an address', `${server}Name:\tdb\n`, 0, undefined],
  ] as const) {
    it(`reads nslookup: ${what}`, () => assert.deepEqual(readNslookup(output, code), expected));
  }
});
