import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import {
  chooseHostPorts,
  isUnusedHere,
  portVariables,
  wantedPorts,
  type HostPort,
  type WantedPort,
} from '../../../../src/projects/worktrees/hostPorts.ts';
import { readResolvedProject } from '../../../../src/projects/worktrees/readResolvedProject.ts';

function portsOf(ports: readonly object[], more: object = {}): readonly WantedPort[] {
  const project = readResolvedProject({ services: { web: { ports, ...more } } });
  return wantedPorts(project ?? assert.fail('no project'));
}

const port = (target: number, published?: string, more: object = {}): object => ({
  target,
  ...(published !== undefined && { published }),
  ...more,
});

const choose = (
  wanted: readonly WantedPort[],
  isFree: (port: number) => boolean = () => true,
  known: ReadonlyMap<string, number> = new Map(),
): Promise<readonly HostPort[] | undefined> =>
  chooseHostPorts('shop-main', wanted, { known, isFree, signal: new AbortController().signal });

const hostsOf = (ports: readonly HostPort[] | undefined) =>
  (ports ?? assert.fail('none')).map(({ host }) => host);

describe('wantedPorts', () => {
  it('are those of the host that a service publishes: not random ones, and none with its network', () => {
    const ports = [port(80, '8080'), port(81), port(53, '53', { protocol: 'udp', host_ip: '::1' })];
    const [first, second, ...others] = portsOf(ports);
    assert.deepEqual(others, []);
    assert.deepEqual(first, {
      key: 'web 80 tcp  0',
      ...{ service: 'web', container: 80, protocol: 'tcp', hostIp: '', published: 8080, count: 1 },
    });
    assert.deepEqual([second?.protocol, second?.hostIp], ['udp', '::1']);
    assert.deepEqual(portsOf(ports, { network_mode: 'host' }), []);
  });

  it('tell several for one port of a service apart, and keep those of a range together', () => {
    const found = portsOf([port(80, '8080'), port(80, '8081'), port(90, '9000-9002')]);
    assert.equal(new Set(found.map(({ key }) => key)).size, 3);
    assert.deepEqual(
      found.map(({ count }) => count),
      [1, 1, 3],
    );
  });
});

describe('chooseHostPorts', () => {
  const wanted = portsOf([port(80, '8080'), port(443, '8443'), port(90, '9000-9004')]);

  it('follows from the project, and stays the same', async () => {
    const hosts = hostsOf(await choose(wanted));
    assert.deepEqual(hosts, hostsOf(await choose(wanted)));
    for (const host of hosts) assert.ok(host >= 20_000 && host < 30_000);
    const { signal } = new AbortController();
    const options = { known: new Map(), isFree: () => true, signal };
    assert.notDeepEqual(hosts, hostsOf(await chooseHostPorts('shop-other', wanted, options)));
  });

  it('keeps what the project had, and what is not free alone is the next one', async () => {
    const known = new Map(wanted.map(({ key }, at) => [key, 21_000 + 10 * at]));
    assert.deepEqual(hostsOf(await choose(wanted, undefined, known)), [21_000, 21_010, 21_020]);
    const isFree = (one: number): boolean => one !== 21_010 && one !== 21_022;
    assert.deepEqual(hostsOf(await choose(wanted, isFree, known)), [21_000, 21_011, 21_023]);
  });

  it('gives no port twice, and none beyond the last one', async () => {
    const all = new Map(wanted.map(({ key }) => [key, 29_999]));
    assert.deepEqual(hostsOf(await choose(wanted, undefined, all)), [29_999, 20_000, 20_001]);
    const range = wanted.slice(2);
    const late = new Map(range.map(({ key }) => [key, 29_998]));
    assert.deepEqual(hostsOf(await choose(range, undefined, late)), [20_000]);
  });

  it('ends if too few are free, or a range has more than there are, without a look at each', async () => {
    assert.equal(await choose(wanted, () => false), undefined);
    let looks = 0;
    const isFree = (): boolean => (looks += 1) > 0;
    assert.equal(await choose(portsOf([port(1, '1-65535')]), isFree), undefined);
    assert.equal(looks, 0);
  });

  it('ends with the signal', async () => {
    const canceled = new AbortController();
    const isFree = (): boolean => {
      canceled.abort();
      return false;
    };
    const choice = { known: new Map(), isFree, signal: canceled.signal };
    await assert.rejects(chooseHostPorts('shop', wanted, choice), { name: 'AbortError' });
  });
});

describe('isUnusedHere', () => {
  const [tcp = assert.fail(), local = assert.fail()] = portsOf([
    port(80, '8080'),
    port(80, '8081', { host_ip: '127.0.0.1' }),
  ]);
  const [udp = assert.fail()] = portsOf([port(53, '53', { protocol: 'udp' })]);

  it('is false for a port on which something listens, on one address or all', async () => {
    for (const host of ['127.0.0.1', '0.0.0.0', '::', '127.0.0.2', '::1']) {
      const server = createServer().listen(0, host).unref();
      await once(server, 'listening');
      const { port: taken } = server.address() as AddressInfo;
      assert.equal(await isUnusedHere(taken, tcp), false, host);
      const isOther = host === '127.0.0.2' || host === '::1';
      assert.equal(await isUnusedHere(taken, local), isOther, host);
      server.close();
      await once(server, 'close');
      assert.equal(await isUnusedHere(taken, tcp), true, host);
    }
  });

  it('knows UDP from TCP', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1').unref();
    await once(socket, 'listening');
    const { port: taken } = socket.address();
    assert.equal(await isUnusedHere(taken, udp), false);
    assert.equal(await isUnusedHere(taken, tcp), true);
    socket.close();
    await once(socket, 'close');
    assert.equal(await isUnusedHere(taken, udp), true);
  });

  it('leaves to Compose what cannot be tried: other protocols, and addresses that are not here', async () => {
    assert.equal(await isUnusedHere(20_000, { ...tcp, protocol: 'sctp' }), true);
    for (const hostIp of ['192.0.2.1', '2001:db8::1'])
      for (const one of [tcp, udp])
        assert.equal(await isUnusedHere(20_000, { ...one, hostIp }), true);
  });
});

describe('portVariables', () => {
  it('name the service and the port, of several the first one of TCP', () => {
    const one = (service: string, container: number, host: number, protocol = 'tcp') => {
      return { service, container, host, protocol };
    };
    const all = [
      one('my-web.1', 80, 20_000, 'udp'),
      one('my-web.1', 80, 20_001),
      one('my-web.1', 80, 20_002),
      one('dns', 53, 20_003, 'udp'),
    ];
    assert.deepEqual(portVariables(all), {
      GANTRY_PORT_MY_WEB_1_80: '20001',
      GANTRY_PORT_DNS_53: '20003',
    });
  });
});
