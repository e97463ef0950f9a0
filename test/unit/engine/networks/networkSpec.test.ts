import assert from 'node:assert/strict';
import { InputError } from '../../../../src/engine/errors.ts';
import {
  checkAlias,
  checkFixedIp,
  endpointOnWire,
  networkRequestBody,
  type NetworkSpec,
} from '../../../../src/engine/networks/networkSpec.ts';
import { network } from '../../inventory/support/nouns.ts';

const bodyOf = (spec: Partial<NetworkSpec>) => networkRequestBody({ name: 'app', ...spec });

function rejects(run: () => unknown, message: string): void {
  assert.throws(run, (error) => error instanceof InputError && error.message === message);
}

describe('engine/networks/networkSpec', () => {
  it('sends only what is given, and always asks for a check of duplicates', () => {
    assert.deepEqual(bodyOf({}), { Name: 'app', CheckDuplicate: true, Labels: {} });
    const options = { driver: 'macvlan', internal: true, attachable: false, ipv6: false } as const;
    assert.deepEqual(
      bodyOf({ ...options, subnet: '10.2.0.0/16', gateway: '10.2.0.9', labels: { a: '' } }),
      {
        ...{ Name: 'app', CheckDuplicate: true, Driver: 'macvlan', Internal: true },
        ...{ Attachable: false, EnableIPv6: false, Labels: { a: '' } },
        IPAM: { Config: [{ Subnet: '10.2.0.0/16', Gateway: '10.2.0.9' }] },
      },
    );
  });

  it('turns IPv6 on for an IPv6 subnet', () => {
    assert.deepEqual(bodyOf({ subnet: 'fd00:1::/64' }), {
      ...{ Name: 'app', CheckDuplicate: true, EnableIPv6: true, Labels: {} },
      IPAM: { Config: [{ Subnet: 'fd00:1::/64' }] },
    });
  });

  const name = 'Use letters, digits, _, ., or -, starting with a letter or digit.';
  const form = 'Use the form 10.20.0.0/16 or fd00:20::/64.';
  const faults: readonly (readonly [spec: Partial<NetworkSpec>, message: string])[] = [
    [{ name: '' }, `"" is not a valid network name. ${name}`],
    [{ name: 'my app' }, `"my app" is not a valid network name. ${name}`],
    [{ name: 'a/../b' }, `"a/../b" is not a valid network name. ${name}`],
    [{ name: 'host' }, '"host" is the name of a predefined network. Use another name.'],
    [{ driver: '' }, '"" is not a network driver. Use a name such as bridge or macvlan.'],
    [{ subnet: '10.2.0.0' }, `"10.2.0.0" is not a subnet. ${form}`],
    [{ subnet: '0.0.0.0/0' }, `"0.0.0.0/0" is not a subnet. ${form}`],
    [{ subnet: '10.2.0.1/16' }, 'The subnet "10.2.0.1/16" has host bits set. Use 10.2.0.0/16.'],
    [
      { subnet: '10.2.0.4/31' },
      'The subnet "10.2.0.4/31" is too small. Use a prefix of at most 30.',
    ],
    [{ gateway: '10.2.0.1' }, 'The gateway "10.2.0.1" needs a subnet. Set both, or neither.'],
    [
      { subnet: 'fd00:1::/64', ipv6: false },
      'The subnet "fd00:1::/64" needs IPv6. Turn IPv6 on, or use an IPv4 subnet.',
    ],
    [
      { subnet: '10.2.0.0/16', gateway: 'router' },
      '"router" is not an IP address. Use the form 10.20.0.5.',
    ],
    ...['10.3.0.1', '10.2.0.0', '10.2.255.255', 'fd00::1'].map(
      (gateway) =>
        [
          { subnet: '10.2.0.0/16', gateway },
          `The gateway "${gateway}" is not a host address in the subnet 10.2.0.0/16.`,
        ] as const,
    ),
    [{ labels: { ' ': 'x' } }, 'A label needs a name.'],
  ];
  for (const [spec, message] of faults) {
    it(`rejects ${JSON.stringify(spec)}`, () => rejects(() => bodyOf(spec), message));
  }

  it('sends a fixed address in the field of its family', () => {
    assert.deepEqual(endpointOnWire({}), {});
    const four = { Aliases: ['db'], IPAMConfig: { IPv4Address: '10.0.0.5' } };
    assert.deepEqual(endpointOnWire({ aliases: ['db'], ip: '10.0.0.5' }), four);
    assert.deepEqual(endpointOnWire({ ip: 'fd00::5' }), { IPAMConfig: { IPv6Address: 'fd00::5' } });
  });

  it('accepts a fixed address only in a subnet of the network', () => {
    const subnets = [{ subnet: '10.0.0.0/24', gateway: '10.0.0.1' }, { subnet: 'fd00::/64' }];
    const app = network('a', { name: 'app', subnets });
    assert.equal(checkFixedIp('10.0.0.5', app), '10.0.0.5');
    assert.equal(checkFixedIp('fd00::5', app), 'fd00::5');
    for (const ip of ['10.0.1.5', '10.0.0.255', 'fd01::1']) {
      const message = `"${ip}" is not a host address on the network "app" (10.0.0.0/24, fd00::/64).`;
      rejects(() => checkFixedIp(ip, app), message);
    }
    const gateway = '"10.0.0.1" is the gateway of the network "app".';
    rejects(() => checkFixedIp('10.0.0.1', app), gateway);
    const none = 'The network "app" has no subnet. Connect without a fixed address.';
    const bare = network('a', { name: 'app', subnets: [] });
    rejects(() => checkFixedIp('10.0.0.5', bare), none);
  });

  it('rejects an alias that is not a name', () => {
    assert.equal(checkAlias('_db.1'), '_db.1');
    for (const alias of ['', 'two words', '-db', 'a'.repeat(254)]) {
      assert.throws(() => checkAlias(alias), InputError);
    }
  });
});
