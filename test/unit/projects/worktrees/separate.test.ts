import assert from 'node:assert/strict';
import { parse } from 'yaml';
import type { HostPort } from '../../../../src/projects/worktrees/hostPorts.ts';
import { wantedPorts } from '../../../../src/projects/worktrees/hostPorts.ts';
import { readResolvedProject } from '../../../../src/projects/worktrees/readResolvedProject.ts';
import { separate } from '../../../../src/projects/worktrees/separate.ts';

const NAME = { project: 'shop-main-12345678', suffix: 'main-12345678', base: 'shop' };
const ROOT = '/work/shop';

/** Returns what separates a project, with the ports of the host from 20000. */
function split(root: object, hosts: (port: number) => number = () => 20_000) {
  const project = readResolvedProject({ services: { web: {} }, ...root }) ?? assert.fail('none');
  const ports = wantedPorts(project).map((one): HostPort => ({
    ...one,
    host: hosts(one.published),
  }));
  const { override, differences, volumes } = separate(project, { name: NAME, ports, root: ROOT });
  return {
    override,
    // As the tag leaves it.
    read: parse(override.replaceAll('!reset ', ''), { logLevel: 'silent' }) as Readonly<
      Record<string, object>
    > | null,
    said: differences.map(({ kind, path, from, to }) => [
      kind,
      path,
      from,
      ...(to === undefined ? [] : [to]),
    ]),
    shared: differences.filter(({ isShared }) => isShared).map(({ kind }) => kind),
    volumes,
  };
}
const web = (fields: object, hosts?: (port: number) => number) =>
  split({ services: { web: fields } }, hosts);

describe('separate', () => {
  it('changes nothing of a project that has nothing fixed', () => {
    const { override, said } = split({
      services: { web: { image: 'nginx', ports: [{ target: 80 }], networks: { default: null } } },
      networks: { default: { name: `${NAME.project}_default` } },
      volumes: { data: { name: `${NAME.project}_data` } },
    });
    assert.deepEqual([override, said], ['', []]);
  });

  it('moves ports, and keeps their protocol, address, range, order, and random ones', () => {
    const ports = [
      { target: 80, published: '8080', protocol: 'tcp', mode: 'host' },
      { target: 81 },
      { target: 80, published: '8081', protocol: 'tcp', host_ip: '127.0.0.1' },
      { target: 53, published: '53', protocol: 'udp' },
      { target: 90, published: '9000-9002', protocol: 'tcp', name: '$x' },
    ];
    const { read, said } = web({ ports }, (port) => port + 20_000);
    assert.deepEqual(read, {
      services: {
        web: {
          ports: [
            { target: 80, protocol: 'tcp', published: '28080', mode: 'host' },
            { target: 81, protocol: 'tcp' },
            { target: 80, protocol: 'tcp', host_ip: '127.0.0.1', published: '28081' },
            { target: 53, protocol: 'udp', published: '20053' },
            { target: 90, protocol: 'tcp', published: '29000-29002', name: '$$x' },
          ],
        },
      },
    });
    assert.deepEqual(said.at(-1), ['port', 'services.web.ports', '9000-9002', '29000-29002']);
  });

  it('says nothing of a port that the files have already', () => {
    const { read, said } = web({ ports: [{ target: 80, published: '20000' }] });
    assert.deepEqual(said, []);
    assert.notEqual(read, null);
  });

  it('leaves out the name of a container, unless the project is in it', () => {
    assert.deepEqual(web({ container_name: 'web' }).read, {
      services: { web: { container_name: null } },
    });
    assert.match(web({ container_name: 'web' }).override, /"container_name": !reset null/);
    assert.equal(web({ container_name: `${NAME.project}-x` }).override, '');
  });

  it('keeps the name of a container for other services, on the networks of the project', () => {
    const lan = { name: 'lan', driver: 'macvlan' };
    const networks = { own: { name: 'a' }, out: { name: 'b', external: true }, lan };
    const joined = { own: { ipv4_address: '10.0.0.5' }, out: null, lan: null };
    const { read } = split({
      services: {
        web: { container_name: 'shop-web', networks: joined },
        db: { container_name: 'db', networks: { own: null } },
        job: { networks: { own: null } },
      },
      networks,
    });
    const address = { ipv4_address: null, aliases: ['shop-web'] };
    assert.deepEqual(read?.['services'], {
      web: { container_name: null, networks: { own: address } },
      db: { container_name: null },
    });
  });

  it('names a service in place of the container of a service', () => {
    const { read, said } = split({
      services: {
        vpn: { container_name: 'shop-vpn' },
        web: { network_mode: 'container:shop-vpn', pid: 'container:other', ipc: 'host' },
        job: { volumes_from: ['container:shop-vpn:ro'] },
      },
    });
    assert.deepEqual(read?.['services'], {
      vpn: { container_name: null },
      web: { network_mode: 'service:vpn' },
    });
    assert.deepEqual(said.slice(1), [
      ['otherContainer', 'services.web.pid', 'other'],
      ['otherContainer', 'services.job.volumes_from', 'shop-vpn:ro'],
    ]);
  });

  it('gives a tag of its own to an image that is built, also where another service uses it', () => {
    const tags: Readonly<Record<string, string>> = {
      'shop/app:1.2': 'shop/app:1.2-main-12345678',
      'shop/app': 'shop/app:latest-main-12345678',
      'localhost:5000/x': 'localhost:5000/x:latest-main-12345678',
      'localhost:5000/x:y': 'localhost:5000/x:y-main-12345678',
    };
    for (const [image, own] of Object.entries(tags)) {
      const { read } = split({
        services: { web: { image, build: {} }, job: { image }, db: { image: 'db' } },
      });
      assert.deepEqual(read, { services: { web: { image: own }, job: { image: own } } });
    }
    const { read } = split({
      services: {
        web: { image: 'a', build: {} },
        job: { image: 'a:latest' },
        other: { image: 'a:1' },
      },
    });
    const own = { image: 'a:latest-main-12345678' };
    assert.deepEqual(read, { services: { web: own, job: own } });
  });

  it('has no tag that is too long, and none for an image that is not built, or has no name', () => {
    const { read } = web({ image: `a:${'t'.repeat(128)}`, build: {} });
    const { image } = (read as { services: { web: { image: string } } }).services.web;
    assert.equal(image.length, 'a:'.length + 128);
    assert.ok(image.endsWith('t-main-12345678'));
    assert.equal(web({ image: 'a' }).override, '');
    assert.equal(web({ build: {} }).override, '');
    assert.equal(web({ image: `x/${NAME.project}`, build: {} }).override, '');
    assert.deepEqual(web({ build: { tags: ['a:b'] } }).read, {
      services: { web: { build: { tags: [] } } },
    });
  });

  it('names networks and volumes of its own, and leaves those of others alone', () => {
    const { read, said, volumes } = split({
      networks: { a: { name: 'fixed' }, b: { name: 'out', external: true } },
      volumes: {
        c: { name: 'fixed' },
        d: { name: 'out', external: true },
        e: { name: `x_${NAME.project}` },
      },
    });
    assert.deepEqual(read, {
      networks: { a: { name: `${NAME.project}_a` } },
      volumes: { c: { name: `${NAME.project}_c` } },
    });
    assert.deepEqual(said, [
      ['network', 'networks.a.name', 'fixed', `${NAME.project}_a`],
      ['externalNetwork', 'networks.b', 'out'],
      ['volume', 'volumes.c.name', 'fixed', `${NAME.project}_c`],
      ['externalVolume', 'volumes.d', 'out'],
    ]);
    assert.deepEqual(volumes, [
      { key: 'c', name: `${NAME.project}_c`, hasOptions: false, fixedName: 'fixed' },
      { key: 'e', name: `x_${NAME.project}`, hasOptions: false },
    ]);
  });

  it('leaves out subnets, bridges, and addresses in them, but not those of a LAN', () => {
    const options = { 'com.docker.network.bridge.name': 'br9', other: 'x' };
    const ipam = { config: [{ subnet: '10.0.0.0/24' }] };
    const networks = {
      own: { name: 'a', ipam, driver_opts: options },
      lan: { name: 'b', ipam, driver: 'macvlan' },
      out: { name: 'c', external: true },
    };
    const address = { ipv4_address: '10.0.0.5', ipv6_address: '::5', aliases: ['x'] };
    const services = { web: { networks: { own: address, lan: address, out: address } } };
    const { read, said, shared, override } = split({ services, networks });
    assert.deepEqual(shared, ['address', 'address', 'lanNetwork', 'externalNetwork']);
    assert.deepEqual(read, {
      services: { web: { networks: { own: { ipv4_address: null, ipv6_address: null } } } },
      networks: {
        own: {
          name: `${NAME.project}_own`,
          ipam: { config: [] },
          driver_opts: { 'com.docker.network.bridge.name': null },
        },
        lan: { name: `${NAME.project}_lan` },
      },
    });
    assert.match(override, /"config": !override \[\]/);
    assert.deepEqual(
      said.map(([kind, path]) => [kind, path]),
      [
        ['addressLeftOut', 'services.web.networks.own'],
        ['address', 'services.web.networks.lan'],
        ['address', 'services.web.networks.out'],
        ['network', 'networks.own.name'],
        ['subnets', 'networks.own.ipam'],
        ['bridge', 'networks.own.driver_opts'],
        ['network', 'networks.lan.name'],
        ['lanNetwork', 'networks.lan'],
        ['externalNetwork', 'networks.out'],
      ],
    );
  });

  it('says what is shared', () => {
    const { shared, override } = split({
      services: {
        a: { network_mode: 'host', ports: [{ target: 80, published: '8080' }] },
        b: { network_mode: 'container:x', provider: { type: 'p' } },
        c: {
          volumes: [
            { type: 'bind', source: '/work/shop/src' },
            { type: 'bind', source: '/work/shop-other' },
            { type: 'bind', source: '/work/shop/../x' },
          ],
        },
      },
      volumes: {
        here: { name: `${NAME.project}_here`, driver_opts: { device: '/work/shop/data' } },
        there: { name: `${NAME.project}_there`, driver_opts: { device: '//server/share' } },
      },
    });
    assert.deepEqual(shared, [
      'hostNetwork',
      'provider',
      'otherContainer',
      'path',
      'path',
      'device',
    ]);
    assert.equal(override, '');
  });

  it('finds published ports in texts: with a host, or alone if nothing listens on them inside', () => {
    const ports = [
      { target: 80, published: '8080' },
      { target: 5000, published: '5000' },
    ];
    const texts: Readonly<Record<string, string | undefined>> = {
      'http://localhost:8080/x': '8080',
      '[::1]:8080': '8080',
      'host.docker.internal:8080': '8080',
      '8080': '8080',
      'localhost:80801': undefined,
      'db:8080': undefined,
      '5000': undefined,
      'localhost:5000': '5000',
      '9999': undefined,
    };
    for (const [text, port] of Object.entries(texts)) {
      const { said } = web({ ports, environment: { URL: text } });
      const found = said.filter(([kind]) => kind === 'portInText').map(([, ...rest]) => rest);
      assert.deepEqual(
        found,
        port === undefined ? [] : [['services.web.environment.URL', port]],
        text,
      );
    }
  });

  it('finds published ports in the arguments of a build', () => {
    const args = { API: 'http://localhost:8080', NONE: null };
    const { said } = web({ ports: [{ target: 80, published: '8080' }], build: { args } });
    assert.deepEqual(said[0], ['portInText', 'services.web.build.args.API', '8080']);
  });

  it('is exact for expressions, and for names of any kind', () => {
    const name = '${HOME}$$x"\n- y';
    const services = JSON.parse('{"__proto__": {"container_name": "x"}}') as object;
    const { read, override } = split({
      services,
      networks: { [name]: { name: `${NAME.project}x`, ipam: { config: [{}] } } },
    });
    assert.deepEqual(Object.keys(read?.['networks'] ?? {}), [name]);
    assert.deepEqual(Object.keys(read?.['services'] ?? {}), ['__proto__']);
    assert.doesNotMatch(override, /^- y/m);
    const { read: second } = web({ image: '${EVIL}/x:1', build: {} });
    assert.deepEqual(second, { services: { web: { image: '$${EVIL}/x:1-main-12345678' } } });
  });

  it('separates a thousand services, and keeps as many differences as can be shown', () => {
    const services = Object.fromEntries(
      Array.from({ length: 1000 }, (_, at) => [
        `s${at}`,
        { container_name: `c${at}`, image: `i${at}`, build: { tags: ['x'] } },
      ]),
    );
    const { read, said } = split({ services });
    assert.equal(Object.keys(read?.['services'] ?? {}).length, 1000);
    assert.equal(said.length, 2000);
  });
});
