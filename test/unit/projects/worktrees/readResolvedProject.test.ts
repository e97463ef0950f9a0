import assert from 'node:assert/strict';
import {
  readResolvedProject,
  type ResolvedService,
} from '../../../../src/projects/worktrees/readResolvedProject.ts';

function web(fields: object): ResolvedService {
  const project = readResolvedProject({ services: { web: fields } });
  return project?.services[0] ?? assert.fail('no service');
}

const many = <T>(count: number, of: (at: number) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, of(at)]));

describe('readResolvedProject', () => {
  it('is undefined for what is no project', () => {
    for (const value of [
      undefined,
      null,
      'x',
      [],
      {},
      { services: null },
      { services: [] },
      { services: {} },
    ])
      assert.equal(readResolvedProject(value), undefined);
  });

  it('reads a thousand services, and no more than anybody writes', () => {
    const port = { target: 80, published: '8080' };
    const read = (services: object, more: object = {}) =>
      readResolvedProject({ services, ...more });
    assert.equal(read(many(1000, () => ({ ports: [port, port] })))?.services.length, 1000);
    assert.equal(read(many(1001, () => ({}))), undefined);
    assert.equal(read(many(1, () => ({ ports: Array(2001).fill(port) }))), undefined);
    for (const kind of ['networks', 'volumes'])
      assert.equal(
        read(
          many(1, () => ({})),
          { [kind]: many(1001, () => ({})) },
        ),
        undefined,
      );
  });

  it('reads services of any name, and no field that is odd', () => {
    const services = JSON.parse(
      '{"__proto__": {"image": "x"}, "constructor": null, "b": 5}',
    ) as object;
    const read = readResolvedProject({ services, networks: { a: null }, volumes: { a: 7 } });
    assert.deepEqual(
      read?.services.map(({ name, image, isBuilt }) => [name, image, isBuilt]),
      [
        ['__proto__', 'x', false],
        ['constructor', '', false],
        ['b', '', false],
      ],
    );
    assert.deepEqual([read.networks[0]?.name, read.volumes[0]?.name], ['', '']);
  });

  it('reads ports: published, in a range, random, and none that cannot be', () => {
    const ports = [
      {
        mode: 'ingress',
        target: 80,
        published: '8080',
        protocol: 'tcp',
        name: 'n',
        app_protocol: 'http',
      },
      { target: 53, published: '53', protocol: 'udp', host_ip: '127.0.0.1' },
      { target: 90, published: '9000-9010' },
      ...['', '0', '70000', '9000-8000', '1-70000', 'x', '8080;'].map((published) => ({
        target: 99,
        published,
      })),
      ...[0, 70_000, 1.5, '80', undefined].map((target) => ({ target, published: '8080' })),
    ];
    const { ports: all } = web({ ports });
    const [first, second, third] = all;
    const others = all.slice(3);
    assert.deepEqual(first, {
      ...{ target: 80, protocol: 'tcp', hostIp: '', published: { first: 8080, count: 1 } },
      more: { mode: 'ingress', name: 'n', app_protocol: 'http' },
    });
    assert.deepEqual([second?.protocol, second?.hostIp, second?.more], ['udp', '127.0.0.1', {}]);
    assert.deepEqual(third?.published, { first: 9000, count: 11 });
    assert.deepEqual(
      others.map(({ target, published }) => [target, published]),
      Array(7).fill([99, undefined]),
    );
  });

  it('reads what is outside of the project', () => {
    const service = web({
      network_mode: 'container:a',
      ipc: 'container:b',
      pid: 'host',
      volumes_from: ['container:c:ro', 'web'],
      external_links: ['d:e'],
      volumes: [{ type: 'bind', source: '/x' }, { type: 'volume', source: 'y' }, 'z'],
      provider: { type: 'p' },
    });
    assert.deepEqual(service.others, [
      ['network_mode', 'a'],
      ['ipc', 'b'],
      ['volumes_from', 'c:ro'],
      ['external_links', 'd:e'],
    ]);
    assert.deepEqual([service.binds, service.isProvided], [['/x'], true]);
  });

  it('reads builds, addresses, and texts', () => {
    const service = web({
      build: { context: '.', tags: ['a'], args: { D: 'y', E: null } },
      networks: {
        a: { ipv4_address: '1.2.3.4', ipv6_address: '::1' },
        b: null,
        c: { ipv4_address: '' },
      },
      environment: { A: '1', B: null },
      labels: { C: 'x' },
    });
    assert.deepEqual([service.isBuilt, service.hasBuildTags], [true, true]);
    assert.deepEqual(service.networks, [
      { network: 'a', addresses: ['ipv4_address', 'ipv6_address'] },
      { network: 'b', addresses: [] },
      { network: 'c', addresses: [] },
    ]);
    assert.deepEqual(service.texts, [
      ['environment.A', '1'],
      ['labels.C', 'x'],
      ['build.args.D', 'y'],
    ]);
    const flood = many(1000, () => 'x');
    assert.equal(web({ environment: flood }).texts.length, 500);
  });

  it('reads networks and volumes', () => {
    const read = readResolvedProject({
      services: { web: {} },
      networks: {
        own: { name: 'n', ipam: { config: [{ subnet: '10.0.0.0/24' }] } },
        lan: { name: 'l', driver: 'macvlan', external: 'true' },
        out: {
          name: 'o',
          external: true,
          driver_opts: { 'com.docker.network.bridge.name': 'br9' },
        },
      },
      volumes: { data: { name: 'd', driver_opts: { device: '/x' } }, plain: { driver: 'local' } },
    });
    assert.deepEqual(
      read?.networks.map((one) => [
        one.key,
        one.isExternal,
        one.driver,
        one.hasSubnets,
        one.bridge,
      ]),
      [
        ['own', false, '', true, ''],
        ['lan', false, 'macvlan', false, ''],
        ['out', true, '', false, 'br9'],
      ],
    );
    assert.deepEqual(
      read.volumes.map((one) => [one.key, one.device, one.hasOptions]),
      [
        ['data', '/x', true],
        ['plain', '', false],
      ],
    );
  });
});
