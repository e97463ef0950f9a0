import assert from 'node:assert/strict';
import {
  formatSubnet,
  isHostAddress,
  isInSubnet,
  parseIp,
  parseSubnet,
} from '../../../../src/engine/networks/ipRange.ts';

describe('engine/networks/ipRange', () => {
  it('parses addresses as numbers', () => {
    assert.deepEqual(parseIp('10.1.2.3'), { family: 4, value: 0x0a010203n });
    assert.deepEqual(parseIp('::'), { family: 6, value: 0n });
    assert.deepEqual(parseIp('fd00::1:2'), { family: 6, value: (0xfd00n << 112n) + 0x10002n });
    assert.deepEqual(
      parseIp('1:2:3:4:5:6:7:8')?.value.toString(16),
      '10002000300040005000600070008',
    );
    assert.deepEqual(parseIp('::ffff:10.1.2.3'), { family: 6, value: 0xffff0a010203n });
  });

  for (const text of [
    '',
    '10.1.2',
    '10.1.2.256',
    '1::2::3',
    'fe80::1%eth0',
    'host',
    '10.1.2.3/8',
  ]) {
    it(`does not take "${text}" for an address`, () => assert.equal(parseIp(text), undefined));
  }

  for (const text of [
    '10.1.0.0',
    '10.1.0.0/33',
    '10.1.0.0/',
    '/8',
    'fd00::/129',
    '10.1/16',
    'a/8',
  ]) {
    it(`does not take "${text}" for a subnet`, () => assert.equal(parseSubnet(text), undefined));
  }

  for (const [text, network] of [
    ['10.78.1.5/24', '10.78.1.0/24'],
    ['255.255.255.255/0', '0.0.0.0/0'],
    ['10.1.2.3/32', '10.1.2.3/32'],
    ['fd00:0:0:1::9/64', 'fd00:0:0:1::/64'],
    ['fd00:20::/48', 'fd00:20::/48'],
  ] as const) {
    it(`finds the network address of ${text}`, () => {
      const range = parseSubnet(text);
      assert(range);
      assert.equal(formatSubnet(range), network);
      assert.equal(range.hasHostBits, text !== network);
    });
  }

  it('knows which addresses of a subnet are those of hosts', () => {
    const range = parseSubnet('10.1.2.0/24');
    assert(range);
    const kinds = ['10.1.2.0', '10.1.2.1', '10.1.2.255', '10.1.3.0', '::'].map((text) => {
      const ip = parseIp(text);
      return ip && isInSubnet(ip, range) && isHostAddress(ip, range);
    });
    assert.deepEqual(kinds, [false, true, false, false, false]);
    const six = parseSubnet('fd00::/126');
    const last = parseIp('fd00::3');
    assert(six && last && isInSubnet(last, six) && isHostAddress(last, six));
  });
});
