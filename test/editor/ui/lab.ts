// Resources that the tests of the user interface create in an engine without the extension, and their removal.
import { randomBytes } from 'node:crypto';
import { bed } from '../../bed/env.ts';
import { ask, askWell } from '../../bed/http.ts';
import { until } from '../../bed/until.ts';

/** Options of a test container. */
export interface Wish {
  readonly cmd?: readonly string[];
  readonly image?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** A TCP port of the container, published at a port that the engine chooses. */
  readonly port?: number;
  /** Shell command of a health check. It runs every second; one failure makes the container unhealthy. */
  readonly health?: string;
  readonly restart?: 'always' | 'unless-stopped';
  /** Default: SIGKILL, because the shells and `sleep` used here ignore SIGTERM. */
  readonly stopSignal?: string;
  /** The name of a volume, mounted at `/data`. */
  readonly volume?: string;
  /** The memory limit in bytes, also with swap. */
  readonly memory?: number;
  /** The name of a network. */
  readonly network?: string;
}

interface Listed {
  readonly Id: string;
  readonly Names?: readonly string[] | null;
  readonly Image?: string;
  readonly RepoTags?: readonly string[] | null;
}

interface Named {
  readonly Id: string;
  readonly Name: string;
}

interface VolumeList {
  readonly Volumes: readonly Named[] | null;
}

/** Containers, images, volumes and networks with a mark in their names, in one engine. */
export class Lab {
  readonly #engine: { readonly socket: string; readonly image: string } | undefined;
  #mark = newMark();

  /** @param engine default: the engine under test */
  constructor(engine?: { readonly socket: string; readonly image: string }) {
    this.#engine = engine;
  }

  get socket(): string {
    return (this.#engine ?? bed()).socket;
  }

  /** A small image that exists in the engine. */
  get image(): string {
    return (this.#engine ?? bed()).image;
  }

  /** The current mark; `clean` replaces it. */
  get mark(): string {
    return this.#mark;
  }

  /** Returns a unique name. */
  name(what: string): string {
    return `${what}-${this.mark}`;
  }

  /** Creates a container; resolves to its name, which is valid in every request. */
  async create(what: string, wish: Wish = {}): Promise<string> {
    const name = this.name(what);
    await this.ask('POST', `/containers/create?name=${name}`, bodyOf(wish, this.image));
    return name;
  }

  async start(name: string): Promise<void> {
    await this.ask('POST', `/containers/${name}/start`);
  }

  /** Creates and starts a container. */
  async running(what: string, wish: Wish = {}): Promise<string> {
    const name = await this.create(what, wish);
    await this.start(name);
    return name;
  }

  /** Runs a container that does some work in a shell and then exits with this code. */
  async exited(what: string, status: number, work = 'true'): Promise<string> {
    const name = await this.running(what, { cmd: ['sh', '-c', `${work}; exit ${status}`] });
    await until(async () => (await this.state(name)) === 'exited', `${name} exits`);
    return name;
  }

  /**
   * Resolves to the state of a container. Returns `exited` for `stopped`, which Podman reports until it has
   * cleaned up.
   */
  async state(name: string): Promise<string> {
    const answer = await this.ask('GET', `/containers/${name}/json`);
    const { Status } = (JSON.parse(answer) as { State: { Status: string } }).State;
    return Status === 'stopped' ? 'exited' : Status;
  }

  /** Resolves to the ID of a container. */
  async id(name: string): Promise<string> {
    return (JSON.parse(await this.ask('GET', `/containers/${name}/json`)) as Listed).Id;
  }

  /** Resolves to whether a container exists. */
  async has(name: string): Promise<boolean> {
    return (await ask(this.socket, 'GET', `/containers/${name}/json`)).status === 200;
  }

  /** Runs a shell command as root in a running container; resolves to its output. */
  async run(name: string, command: string): Promise<string> {
    const spec = { Cmd: ['sh', '-c', command], User: '0', AttachStdout: true, Tty: true };
    const { Id } = JSON.parse(await this.ask('POST', `/containers/${name}/exec`, spec)) as Listed;
    const output = await this.ask('POST', `/exec/${Id}/start`, { Detach: false, Tty: true });
    return output.replaceAll('\r', '').trim();
  }

  /** Tags the bed's image with a unique name. */
  async tag(what: string): Promise<string> {
    const repository = `localhost/${this.name(what)}`;
    await this.ask('POST', `/images/${this.image}/tag?repo=${repository}&tag=1`);
    return `${repository}:1`;
  }

  /** Creates a volume; resolves to its name. */
  async volume(what: string): Promise<string> {
    const Name = this.name(what);
    await this.ask('POST', '/volumes/create', { Name });
    return Name;
  }

  /** Creates a network; resolves to its name. */
  async network(what: string): Promise<string> {
    const Name = this.name(what);
    await this.ask('POST', '/networks/create', { Name, CheckDuplicate: true });
    return Name;
  }

  /** Sends a request that must succeed. */
  ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<string> {
    return askWell(this.socket, method, path, body === undefined ? {} : { body });
  }

  /** Resolves to whether a container has a file at this path. */
  async hasFile(name: string, path: string): Promise<boolean> {
    const { status } = await ask(this.socket, 'GET', `/containers/${name}/archive?path=${path}`);
    return status === 200;
  }

  /** Removes an image if it exists. */
  async forget(reference: string): Promise<void> {
    await ask(this.socket, 'DELETE', `/images/${reference}?force=1`);
  }

  /** Removes everything with the mark, including containers of such images; switches to a new mark. */
  async clean(): Promise<void> {
    const mark = `-${this.#mark}`;
    this.#mark = newMark();
    const isOurs = (text: string): boolean => text.includes(mark);
    const containers = await this.#list('/containers/json?all=1');
    const ours = containers.filter(({ Names, Image = '' }) =>
      [...(Names ?? []), Image].some(isOurs),
    );
    await Promise.all(ours.map(({ Id }) => this.#remove(Id)));
    const images = await this.#list('/images/json?all=1');
    const tags = images.flatMap(({ RepoTags }) => RepoTags ?? []).filter(isOurs);
    for (const tag of tags) await this.forget(tag);
    const { Volumes } = JSON.parse(await this.ask('GET', '/volumes')) as VolumeList;
    const names = (Volumes ?? []).map(({ Name }) => Name).filter(isOurs);
    for (const name of names) await this.#removeVolume(name);
    const networks = JSON.parse(await this.ask('GET', '/networks')) as readonly Named[];
    for (const { Id, Name } of networks)
      if (isOurs(Name)) await this.ask('DELETE', `/networks/${Id}`);
  }

  async #remove(id: string): Promise<void> {
    await until(async () => {
      // Retried, because an engine rejects the removal of a container that it is about to restart.
      await ask(this.socket, 'DELETE', `/containers/${id}?force=1&v=1`);
      return !(await this.has(id));
    }, 'a container is removed');
  }

  async #removeVolume(name: string): Promise<void> {
    await until(async () => {
      // Retried, because Gantry reads a volume by a container of its own, also at the moment the last other one is gone.
      const { status } = await ask(this.socket, 'DELETE', `/volumes/${name}`);
      return status === 204 || status === 404;
    }, 'a volume is removed');
  }

  async #list(path: string): Promise<readonly Listed[]> {
    return JSON.parse(await this.ask('GET', path)) as readonly Listed[];
  }
}

/**
 * Returns a new mark. It is short, so that names stay readable at the width of the side bar, and never ends
 * with a number: the generated name after `web-2765` would be `web-2766`.
 */
function newMark(): string {
  return `${randomBytes(2).toString('hex').slice(1)}x`;
}

function bodyOf(wish: Wish, image: string): object {
  const { cmd = ['sleep', '100000'], labels, port, health, restart } = wish;
  const inside = port === undefined ? undefined : `${port}/tcp`;
  return {
    Image: wish.image ?? image,
    Cmd: cmd,
    StopSignal: wish.stopSignal ?? 'SIGKILL',
    Labels: labels ?? {},
    ...(health !== undefined && {
      Healthcheck: { Test: ['CMD-SHELL', health], Interval: 1e9, Timeout: 1e12, Retries: 1 },
    }),
    ...(inside !== undefined && { ExposedPorts: { [inside]: {} } }),
    HostConfig: {
      ...(restart !== undefined && { RestartPolicy: { Name: restart } }),
      ...(wish.volume !== undefined && { Binds: [`${wish.volume}:/data`] }),
      ...(wish.memory !== undefined && { Memory: wish.memory, MemorySwap: wish.memory }),
      ...(wish.network !== undefined && { NetworkMode: wish.network }),
      ...(inside !== undefined && { PortBindings: { [inside]: [{ HostPort: '' }] } }),
    },
  };
}
