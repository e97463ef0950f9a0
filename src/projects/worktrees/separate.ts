import { isWithin } from '../fileAccess.ts';
import {
  EMPTIED,
  formatOverride,
  REMOVED,
  replaced,
  type OverrideMap,
  type OverrideValue,
} from './formatOverride.ts';
import { wantedPorts, type HostPort } from './hostPorts.ts';
import {
  BRIDGE_OPTION,
  type ResolvedNetwork,
  type ResolvedProject,
  type ResolvedService,
  type ResolvedVolume,
} from './readResolvedProject.ts';
import type { WorktreeName } from './worktreeProject.ts';

/**
 * Separates a project from those of other worktrees: returns what overrides its files so that both can run at the same
 * time, and what that changes.
 *
 * @param ports the ports of the host, one for each of `wantedPorts`, in their order.
 * @param root the worktree: what lies in it is its own.
 */
export function separate(
  project: ResolvedProject,
  { name, ports, root }: SeparateOptions,
): Separation {
  const parts = new Parts(project, name, root);
  const services = project.services.map((service): Entry => {
    return [
      service.name,
      parts.service(
        service,
        ports.filter((one) => one.service === service.name),
      ),
    ];
  });
  const networks = project.networks.map((one): Entry => [one.key, parts.network(one)]);
  const volumes = project.volumes.map((one): Entry => [one.key, parts.volume(one)]);
  return {
    override: formatOverride(
      filled({
        services: filled(Object.fromEntries(services)),
        networks: filled(Object.fromEntries(networks)),
        volumes: filled(Object.fromEntries(volumes)),
      }),
    ),
    differences: parts.differences,
    volumes: parts.volumes,
  };
}

type Entry = readonly [key: string, value: OverrideMap];

interface SeparateOptions {
  readonly name: WorktreeName;
  readonly ports: readonly HostPort[];
  readonly root: string;
}

interface Separation {
  /** The text of a compose file that overrides those of the project. */
  readonly override: string;
  readonly differences: readonly WorktreeDifference[];
  readonly volumes: readonly OwnVolume[];
}

/** A volume of the engine that the project of a worktree has for itself. Its texts are not for display. */
export interface OwnVolume {
  /** Its name in the files. */
  readonly key: string;
  readonly name: string;
  /** The name that the files give it in all projects. */
  readonly fixedName?: string;
  /** See `ResolvedVolume`. */
  readonly hasOptions: boolean;
}

/** What is different in the project of a worktree, or is not separate from the others. */
export interface WorktreeDifference {
  /** The keys that lead to it in the compose files: `services.web.ports`. */
  readonly path: string;
  readonly kind: MovedKind | SharedKind;
  /** Whether it is the same for all worktrees, although it should not be. */
  readonly isShared: boolean;
  /** The name of the service, network, or volume in the files. */
  readonly name: string;
  /** What the files say. */
  readonly from: string;
  /** What it is here, if it is not left out. */
  readonly to?: string;
}

type MovedKind =
  | 'port'
  | 'containerName'
  | 'image'
  | 'imageTags'
  | 'network'
  | 'subnets'
  | 'addressLeftOut'
  | 'bridge'
  | 'volume';

/** Something of others, or that is in a text: only the user can change it. */
type SharedKind =
  | 'externalNetwork'
  | 'externalVolume'
  | 'hostNetwork'
  | 'lanNetwork'
  | 'otherContainer'
  | 'portInText'
  | 'address'
  | 'path'
  | 'device'
  | 'provider';

/** Builds what overrides each part, and notes the differences. */
class Parts {
  readonly differences: WorktreeDifference[] = [];
  readonly volumes: OwnVolume[] = [];
  readonly #name: WorktreeName;
  readonly #root: string;
  readonly #built: ReadonlySet<string>;
  /** The networks whose addresses the engine chooses here. */
  readonly #freed: ReadonlySet<string>;
  readonly #published: ReadonlySet<number>;
  /** The services by the names that the files give their containers. */
  readonly #services: ReadonlyMap<string, string>;

  constructor(project: ResolvedProject, name: WorktreeName, root: string) {
    this.#name = name;
    this.#root = root;
    const built = project.services.filter(({ isBuilt, image }) => isBuilt && image !== '');
    this.#built = new Set(
      built.flatMap(({ image }) => (this.#isOwn(image) ? [] : fullNameOf(image))),
    );
    const own = project.networks.filter((one) => !one.isExternal && !isOfLan(one));
    this.#freed = new Set(own.map(({ key }) => key));
    this.#published = new Set(wantedPorts(project).map(({ published }) => published));
    this.#services = new Map(
      project.services.map(({ containerName, name: service }) => [containerName, service]),
    );
  }

  service(service: ResolvedService, ports: readonly HostPort[]): OverrideMap {
    const { name, containerName, image, isBuilt, hasBuildTags } = service;
    const at = `services.${name}`;
    const isNamed = containerName !== '' && !this.#isOwn(containerName);
    if (isNamed) this.#moved('containerName', `${at}.container_name`, name, containerName);
    const tagged = this.#built.has(fullNameOf(image)) ? this.#tagged(image) : undefined;
    if (tagged !== undefined) this.#moved('image', `${at}.image`, name, image, tagged);
    if (isBuilt && hasBuildTags) this.#moved('imageTags', `${at}.build.tags`, name, '');
    this.#addShared(service);
    return filled({
      ...(isNamed && { container_name: REMOVED }),
      ...(tagged !== undefined && { image: tagged }),
      ...(isBuilt && hasBuildTags && { build: { tags: EMPTIED } }),
      ...(ports.length > 0 && { ports: this.#ports(service, ports) }),
      ...this.#otherContainers(service),
      networks: this.#networks(service, isNamed),
    });
  }

  network(network: ResolvedNetwork): OverrideMap {
    const { key, isExternal, hasSubnets, bridge } = network;
    const at = `networks.${key}`;
    if (isExternal) this.#shared('externalNetwork', at, key, network.name);
    if (isExternal) return {};
    const name = this.#renamed('network', network);
    if (isOfLan(network)) {
      this.#shared('lanNetwork', at, key, network.driver);
      return name;
    }
    if (hasSubnets) this.#moved('subnets', `${at}.ipam`, key, '');
    if (bridge !== '') this.#moved('bridge', `${at}.driver_opts`, key, bridge);
    return {
      ...name,
      ...(hasSubnets && { ipam: { config: EMPTIED } }),
      ...(bridge !== '' && { driver_opts: { [BRIDGE_OPTION]: REMOVED } }),
    };
  }

  volume(volume: ResolvedVolume): OverrideMap {
    const { key, name, isExternal, device } = volume;
    const at = `volumes.${key}`;
    if (isExternal) this.#shared('externalVolume', at, key, name);
    else if (device !== '' && !isWithin(device, [this.#root]))
      this.#shared('device', `${at}.driver_opts.device`, key, device);
    if (isExternal) return {};
    if (device === '') this.#addOwn(volume);
    return this.#renamed('volume', volume);
  }

  #addOwn({ key, name, hasOptions }: ResolvedVolume): void {
    const isOwn = this.#isOwn(name);
    const own = isOwn ? name : this.#nameOf(key);
    const isFixed = !isOwn && name !== '';
    this.volumes.push({ key, name: own, hasOptions, ...(isFixed && { fixedName: name }) });
  }

  #nameOf(key: string): string {
    return `${this.#name.project}_${key}`;
  }

  /** What has the name of the project in it, has it from a variable, and is the project's own. */
  #isOwn(name: string): boolean {
    return name.includes(this.#name.project);
  }

  #renamed(
    kind: 'network' | 'volume',
    { key, name }: { readonly key: string; readonly name: string },
  ): OverrideMap {
    if (name === '' || this.#isOwn(name)) return {};
    const own = this.#nameOf(key);
    this.#moved(kind, `${kind}s.${key}.name`, key, name, own);
    return { name: own };
  }

  #tagged(image: string): string {
    const full = fullNameOf(image);
    const end = full.lastIndexOf(':') + 1;
    const { suffix } = this.#name;
    return `${full.slice(0, end + LONGEST_TAG - suffix.length - 1)}-${suffix}`;
  }

  #ports(service: ResolvedService, chosen: readonly HostPort[]): OverrideValue {
    const left = [...chosen];
    const entries = service.ports.map(({ target, protocol, hostIp, published, more }) => {
      const own = published && left.shift();
      if (own && own.host !== published.first) {
        const at = `services.${service.name}.ports`;
        this.#moved(
          'port',
          at,
          service.name,
          rangeOf(published.first, own.count),
          rangeOf(own.host, own.count),
        );
      }
      return {
        target,
        protocol,
        ...(hostIp !== '' && { host_ip: hostIp }),
        ...(own && { published: rangeOf(own.host, own.count) }),
        ...more,
      };
    });
    return replaced(entries);
  }

  /** Other services may reach the container by the name that it has no more. */
  #networks({ name, containerName, networks }: ResolvedService, isNamed: boolean): OverrideMap {
    const isAlias = isNamed && containerName !== name;
    const aliases: OverrideMap = isAlias ? { aliases: [containerName] } : {};
    const all = networks.map(({ network, addresses }): Entry => {
      const isFreed = this.#freed.has(network);
      const path = `services.${name}.networks.${network}`;
      if (addresses.length > 0 && isFreed) this.#moved('addressLeftOut', path, name, network);
      else if (addresses.length > 0) this.#shared('address', path, name, network);
      if (!isFreed) return [network, {}];
      return [
        network,
        { ...Object.fromEntries(addresses.map((one) => [one, REMOVED])), ...aliases },
      ];
    });
    return filled(Object.fromEntries(all));
  }

  /** Names services in place of their containers, and notes the containers of others. */
  #otherContainers({ name, others }: ResolvedService): OverrideMap {
    const own = others.flatMap(([key, container]): readonly (readonly [string, string])[] => {
      const service = OF_SERVICES.has(key) ? this.#services.get(container) : undefined;
      if (service !== undefined) return [[key, `service:${service}`]];
      this.#shared('otherContainer', `services.${name}.${key}`, name, container);
      return [];
    });
    return Object.fromEntries(own);
  }

  #addShared({ name, networkMode, isProvided, binds, texts, ports }: ResolvedService): void {
    const at = `services.${name}`;
    if (networkMode === 'host')
      this.#shared('hostNetwork', `${at}.network_mode`, name, networkMode);
    if (isProvided) this.#shared('provider', `${at}.provider`, name, '');
    for (const path of binds)
      if (!isWithin(path, [this.#root])) this.#shared('path', `${at}.volumes`, name, path);
    const targets = new Set(ports.map(({ target }) => target));
    for (const [key, text] of texts) {
      const port = portIn(text, this.#published, targets);
      if (port !== undefined) this.#shared('portInText', `${at}.${key}`, name, String(port));
    }
  }

  #moved(kind: MovedKind, path: string, name: string, from: string, to?: string): void {
    const difference = { kind, path, name, from, isShared: false };
    this.#add(to === undefined ? difference : { ...difference, to });
  }

  #shared(kind: SharedKind, path: string, name: string, from: string): void {
    this.#add({ kind, path, name, from, isShared: true });
  }

  #add(difference: WorktreeDifference): void {
    if (this.differences.length < MOST_DIFFERENCES) this.differences.push(difference);
  }
}

/** The keys that can name a service in place of a container. */
const OF_SERVICES: ReadonlySet<string> = new Set(['network_mode', 'ipc', 'pid']);
const LONGEST_TAG = 128;
/** The most differences that are shown. */
const MOST_DIFFERENCES = 2_000;

/** A network of these drivers is a part of the network that the host is in. */
function isOfLan({ driver }: ResolvedNetwork): boolean {
  return driver === 'macvlan' || driver === 'ipvlan' || driver === 'host';
}

/** Returns the name of an image with its tag. The last part alone can have one: before may be a port. */
function fullNameOf(image: string): string {
  return image.lastIndexOf(':') > image.lastIndexOf('/') ? image : `${image}:latest`;
}

function rangeOf(first: number, count: number): string {
  return count === 1 ? String(first) : `${first}-${first + count - 1}`;
}

/** Host that a text can name, and mean the one that ports are published on. */
const ON_HOST =
  /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]|host\.docker\.internal):(\d{1,5})(?!\d)/g;

/** Returns the published port that a text names: on this host, or as the whole text, if nothing listens on it inside. */
function portIn(
  text: string,
  published: ReadonlySet<number>,
  targets: ReadonlySet<number>,
): number | undefined {
  const whole = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  const named = [...text.slice(0, LONGEST_TEXT).matchAll(ON_HOST)].map((match) => Number(match[1]));
  const all = targets.has(whole) ? named : [whole, ...named];
  return all.find((port) => published.has(port));
}

/** In characters. */
const LONGEST_TEXT = 10_000;

/** Returns a map without the maps in it that are empty. */
function filled(map: OverrideMap): OverrideMap {
  const isFilled = (value: OverrideValue): boolean =>
    typeof value !== 'object' || Object.keys(value).length > 0;
  return Object.fromEntries(Object.entries(map).filter(([, value]) => isFilled(value)));
}
