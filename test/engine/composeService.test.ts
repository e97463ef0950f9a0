// Saves containers as services of a compose file, and compares them with what Compose creates from it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectContainer, listContainers } from '../../src/engine/containers/containers.ts';
import { createNetwork } from '../../src/engine/networks/networkOperations.ts';
import type { CreateArguments } from '../../src/engine/options/options.ts';
import { readContainerSpec } from '../../src/recipes/containerSpec.ts';
import { secretVariables } from '../../src/recipes/formatRecipe.ts';
import { formatComposeFile, serviceSpec } from '../../src/recipes/serviceSpec.ts';
import { PLUGINS } from '../bed/newestSystem.ts';
import { describeOnDocker, Site } from './support.ts';

const COMPOSE = join('/', process.env['GANTRY_BED_SYSTEM'] ?? '', PLUGINS, 'docker-compose');

/** All that could be read as something else: by YAML, or by Compose. */
const HOSTILE: Readonly<Record<string, string>> = {
  YES: 'yes',
  ON: 'on',
  NULL: 'null',
  TILDE: '~',
  EXPONENT: '1e3',
  OCTAL: '0o7',
  OLD_OCTAL: '0777',
  HEX: '0x1F',
  TIME: '22:22:22',
  DATE: '2026-11-29',
  INF: '.inf',
  TRUE: 'True',
  EMPTY: '',
  BLANK: ' a ',
  COLON: 'a: b',
  END_COLON: 'a:',
  COMMENT: 'a #b',
  BANG: '!x',
  ANCHOR: '&x',
  ALIAS: '*x',
  DASH: '- a',
  QUESTION: '? a',
  LITERAL: '| a',
  AT: '@a',
  PERCENT: '%a',
  BACKTICK: '`a`',
  FLOW: '{a: b}',
  LIST: '[a, b]',
  QUOTES: `it's "a" \\n \\`,
  LINES: 'a\n  b\r\n\tc\n',
  VARIABLE: '${X}',
  DOLLARS: '$X $$ $',
  CONTROLS: 'a\u0001\u001b[31m\u007f\u0085\u2028\ufeff\u202eb',
  EMOJI: '😀\u200d',
  MERGE: '<<',
  DOCUMENT: '---',
  LONG: 'x'.repeat(1024 * 1024),
  'a.b-c': 'x',
  'with blank': 'x',
  '<<': 'x',
  '1': 'x',
  yes: 'x',
  $X: 'x',
  ['k'.repeat(2000)]: 'long',
};

const SETTINGS = [
  ...['Annotations', 'CgroupnsMode', 'CpuShares', 'CpusetCpus', 'DeviceCgroupRules', 'DnsOptions'],
  ...['DnsSearch', 'GroupAdd', 'IpcMode', 'LogConfig', 'MemoryReservation', 'MemorySwap'],
  ...['OomScoreAdj', 'PidMode', 'Runtime', 'Sysctls', 'Ulimits', 'UTSMode', 'UsernsMode'],
];

describeOnDocker('a compose service made of a container', function () {
  // Compose is a program of 60 MB.
  this.timeout(60_000);
  let site: Site;
  let folder: string;
  let projects: string[];

  before(function () {
    // Distributions differ in what they have.
    if (!existsSync(COMPOSE)) this.skip();
  });

  beforeEach(() => {
    site = new Site('default');
    folder = mkdtempSync(join(tmpdir(), 'gantry-compose-'));
    projects = [];
  });

  afterEach(async () => {
    for (const project of projects) compose(project, 'down', '--timeout', '0', '--volumes');
    rmSync(folder, { recursive: true });
    await site.leave();
  });

  function compose(project: string, ...words: readonly string[]): string {
    const args = ['--project-name', project, '--file', join(folder, 'compose.yaml'), ...words];
    return execFileSync(COMPOSE, args, {
      encoding: 'utf8',
      env: { DOCKER_HOST: `unix://${site.facts.socket}`, HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    });
  }

  /** Saves a container, creates it with Compose, and returns both. The first one keeps all but its name. */
  async function roundTrip(id: string, ...up: readonly string[]) {
    const spec = await readContainerSpec(site.connection, id);
    const { raw } = await inspectContainer(site.connection, id);
    const saved = serviceSpec(spec, raw, secretVariables(spec.args));
    writeFileSync(join(folder, 'compose.yaml'), formatComposeFile(saved));
    writeFileSync(join(folder, '.env'), [...saved.env.values()].join(''));
    const project = site.name();
    projects.push(project);
    const path = `/containers/${id}/rename?name=${site.name()}`;
    await site.connection.send({ method: 'POST', path });
    compose(project, ...(up.length > 0 ? up : ['create']));
    const all = await listContainers(site.connection, { all: true });
    const made = all.find(({ labels }) => labels['com.docker.compose.project'] === project);
    assert.ok(made);
    const again = await readContainerSpec(site.connection, made.id);
    return { saved, spec, made: again, project, id: made.id };
  }

  const sorted = (texts: readonly string[] | undefined): readonly string[] =>
    [...(texts ?? [])].sort();

  /** Without what differs: the name, the network, and how Compose writes capabilities and orders entries. */
  function comparable(args: CreateArguments): object {
    const capabilities = (all?: readonly string[]) => all?.map((one) => one.replace(/^CAP_/, ''));
    return {
      ...args,
      name: '',
      network: '',
      env: sorted(args.env),
      extraHosts: sorted(args.extraHosts),
      // Compose keeps them in a map of Go, which has no order.
      mounts: sorted(args.mounts),
      capAdd: capabilities(args.capAdd),
      capDrop: capabilities(args.capDrop),
    };
  }

  /** Returns the settings of the engine that no option has. */
  async function settingsOf(id: string): Promise<readonly unknown[]> {
    const { HostConfig, Config } = await inspected<{
      HostConfig: Record<string, unknown>;
      Config: { Domainname: string; ExposedPorts?: object };
    }>(id);
    // Compose leaves out the default protocol.
    const exposed = Object.keys(Config.ExposedPorts ?? {}).map((port) => port.replace('/tcp', ''));
    const settings = SETTINGS.map((name) => [name, HostConfig[name]]);
    return [Object.fromEntries(settings) as object, Config.Domainname, exposed.sort()];
  }

  async function same(id: string, ...up: readonly string[]) {
    const { saved, spec, made, project, id: again } = await roundTrip(id, ...up);
    assert.deepEqual(comparable(made.args), comparable(spec.args));
    assert.deepEqual(await settingsOf(again), await settingsOf(id));
    assert.equal(made.args.network, spec.args.network ?? `${project}_default`);
    return { saved, project, again };
  }

  it('has every value as it is, whatever YAML or Compose could read in it', async () => {
    const env = Object.entries(HOSTILE).map(([name, value]) => `${name}=${value}`);
    const secrets = env.map((entry) => `TOKEN_${entry}`);
    const id = await site.create(['sh', '-c', 'echo $X "${Y}" $$; # a', '', 'yes', '1e3', '\n'], {
      body: { Env: [...env, ...secrets], Labels: HOSTILE },
    });
    const { saved, project } = await same(id);
    assert.deepEqual(saved.leftOut, []);
    assert.ok(saved.env.size > 40);
    // What it prints can be read again.
    const printed = compose(project, 'config', '--format', 'json').replaceAll('$$', '$');
    const { services } = JSON.parse(printed) as {
      services: Record<string, { environment: object; labels: object }>;
    };
    const [read] = Object.values(services);
    const named = Object.entries(HOSTILE).map(([name, value]) => [`TOKEN_${name}`, value]);
    assert.deepEqual(read?.environment, { ...HOSTILE, ...Object.fromEntries(named) });
    assert.deepEqual(read?.labels, HOSTILE);
  });

  it('has every setting, and its volumes, networks and addresses', async () => {
    const volume = site.volume();
    await site.connection.send({ method: 'POST', path: '/volumes/create', body: { Name: volume } });
    const id = await site.create(['sleep', '1000'], {
      body: {
        Entrypoint: ['/bin/busybox', 'env'],
        ExposedPorts: { '80/tcp': {}, '81/udp': {}, '90/tcp': {} },
        Env: ['A=1', 'DB_PASSWORD=p$a"s\\s\'\n'],
        Labels: { team: 'red' },
        User: '1000:1000',
        WorkingDir: '/tmp',
        Tty: true,
        OpenStdin: true,
        Hostname: 'harbour',
        Domainname: 'example.org',
        StopSignal: 'SIGKILL',
        StopTimeout: 3,
        Healthcheck: { Test: ['CMD-SHELL', 'true || $X'], Interval: 90e9, Retries: 7 },
        HostConfig: {
          PortBindings: {
            '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '48123' }, { HostIp: '127.0.0.1' }],
            '81/udp': [{ HostIp: '', HostPort: '48124' }],
          },
          Binds: ['/tmp:/there:ro', `${volume}:/data`],
          Mounts: [{ Type: 'bind', Source: '/sys/dev/char/1:3', Target: '/colon', ReadOnly: true }],
          Tmpfs: { '/scratch': 'size=64m' },
          RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 },
          Dns: ['192.0.2.1'],
          DnsSearch: ['example.org'],
          ExtraHosts: ['db:192.0.2.2', 'six:2001:db8::1'],
          Memory: 64 * 1024 ** 2,
          MemoryReservation: 32 * 1024 ** 2,
          ShmSize: 32 * 1024 ** 2,
          NanoCpus: 700_000_000,
          PidsLimit: 100,
          ReadonlyRootfs: true,
          Init: true,
          CapAdd: ['NET_ADMIN'],
          CapDrop: ['CHOWN'],
          SecurityOpt: ['no-new-privileges'],
          Devices: [
            { PathOnHost: '/dev/null', PathInContainer: '/dev/null', CgroupPermissions: 'r' },
            { PathOnHost: '/dev/zero', PathInContainer: '/dev/nil', CgroupPermissions: 'rwm' },
          ],
          Ulimits: [{ Name: 'nofile', Soft: 1000, Hard: 2000 }],
          LogConfig: { Type: 'json-file', Config: { 'max-size': '10m' } },
          Sysctls: { 'net.ipv4.ip_forward': '1' },
          GroupAdd: ['29'],
          OomScoreAdj: 100,
          Annotations: { mine: '$x' },
          CgroupnsMode: 'host',
          CpuShares: 512,
          CpusetCpus: '0',
          DeviceCgroupRules: ['c 1:3 r'],
          DnsOptions: ['ndots:1'],
          IpcMode: 'shareable',
          MemorySwap: 128 * 1024 ** 2 + 4096,
          PidMode: 'host',
          UTSMode: '',
          UsernsMode: 'host',
          Runtime: 'runc',
        },
      },
    });
    const { saved } = await same(id, 'up', '-d');
    assert.deepEqual(saved.leftOut, []);
  });

  /** Creates a network that lives as long as the test. */
  async function network(subnet: string): Promise<string> {
    const name = site.name();
    const { id } = await createNetwork(site.connection, { name, subnet });
    site.ownsNetwork(id);
    return name;
  }

  /** Returns a part of the inspect response. */
  async function inspected<Part>(id: string): Promise<Part> {
    return (await inspectContainer(site.connection, id)).raw as Part;
  }

  it('is on the networks of the container, with its addresses and aliases', async () => {
    const front = await network('10.97.21.0/24');
    const back = await network('10.97.22.0/24');
    const endpoint = { IPAMConfig: { IPv4Address: '10.97.21.9' }, Aliases: ['www'] };
    const id = await site.sleeper({
      body: {
        HostConfig: { NetworkMode: front },
        NetworkingConfig: { EndpointsConfig: { [front]: endpoint } },
      },
    });
    const path = `/networks/${back}/connect`;
    await site.connection.send({ method: 'POST', path, body: { Container: id } });
    const { saved, made, id: again } = await roundTrip(id);
    assert.deepEqual(saved.leftOut, []);
    assert.ok([front, back].includes(made.args.network ?? ''));
    const { NetworkSettings } = await inspected<{
      NetworkSettings: { Networks: Record<string, { Aliases: string[]; IPAMConfig: object }> };
    }>(again);
    assert.deepEqual(Object.keys(NetworkSettings.Networks).sort(), [front, back].sort());
    const { Aliases, IPAMConfig } = NetworkSettings.Networks[front] ?? assert.fail();
    assert.ok(Aliases.includes('www'), Aliases.join());
    assert.deepEqual(IPAMConfig, { IPv4Address: '10.97.21.9' });
  });

  describe('has what other tools were reported to lose', () => {
    it('a label with dollars (docker-autocompose 63)', async () => {
      const Labels = { 'traefik.users': 'user:$apr1$H6uskkkW$IgXLP6ewTrSuBkTrqE8wj/' };
      await same(await site.create(['true'], { body: { Labels } }));
    });

    it('a network, a log driver and a signal (composerize 582)', async () => {
      const name = await network('10.97.23.0/24');
      const LogConfig = { Type: 'syslog', Config: { tag: 'a' } };
      const id = await site.create(['true'], {
        body: {
          Tty: true,
          StopSignal: 'SIGRTMIN+3',
          HostConfig: { AutoRemove: true, NetworkMode: name, LogConfig },
        },
      });
      const { saved, made, id: again } = await roundTrip(id);
      assert.deepEqual(saved.leftOut, ['autoRemove']);
      assert.deepEqual(saved.networks, { [name]: { external: true } });
      assert.equal(made.args.network, name);
      assert.equal(made.args.stopSignal, 'SIGRTMIN+3');
      const { HostConfig } = await inspected<{ HostConfig: { LogConfig: object } }>(again);
      assert.deepEqual(HostConfig.LogConfig, LogConfig);
    });

    it('the network of the host (dockhand 1464)', async () => {
      await same(await site.create(['true'], { body: { HostConfig: { NetworkMode: 'host' } } }));
    });

    it('the data in a volume (dockge 508)', async () => {
      const volume = site.volume();
      const Binds = [`${volume}:/data`];
      const { id } = await site.runToEnd(['touch', '/data/a'], { body: { HostConfig: { Binds } } });
      const { again, project } = await same(id);
      const { Mounts } = await inspected<{ Mounts: readonly { readonly Name: string }[] }>(again);
      assert.deepEqual(
        Mounts.map(({ Name }) => Name),
        [volume],
      );
      compose(project, 'down', '--volumes');
      await site.connection.send({ method: 'GET', path: `/volumes/${volume}` });
    });

    it('a path with blanks, and nothing generated (runlike 134, 138)', async () => {
      const id = await site.sleeper({
        body: {
          Volumes: { '/cache': {} },
          HostConfig: { Binds: [`${folder}/Music Drive/P $ound:/music`] },
        },
      });
      const { saved } = await same(id, 'up', '-d');
      assert.deepEqual(saved.leftOut, []);
      const generated = ['hostname', 'mac_address'].filter((key) => key in saved.service);
      assert.deepEqual(generated, []);
      assert.deepEqual(saved.volumes, {});
    });
  });
});
