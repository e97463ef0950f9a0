// What the tests of the user interface make in an engine, past the extension, and its removal.
import { randomBytes } from 'node:crypto';
import { bed } from '../../bed/env.ts';
import { ask, askWell, until } from '../../bed/http.ts';

const VERSION = '/v1.41';

/** What is not usual about a container. */
export interface Wish {
  readonly cmd?: readonly string[];
  readonly image?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** A TCP port inside, published at one the engine chooses. */
  readonly port?: number;
  /** A shell command; looked at every second. */
  readonly health?: string;
  readonly restart?: 'always' | 'unless-stopped';
  /** What ends it; the shells and sleepers here ignore the usual one. */
  readonly stopSignal?: string;
}

interface Listed {
  readonly Id: string;
  readonly Names?: readonly string[] | null;
  readonly RepoTags?: readonly string[] | null;
}

/** Containers and images with a mark in their names, in one engine. */
export class Lab {
  readonly socket: string;
  readonly image: string;
  /**
   * Short, so that names stay readable at the side bar's width. Never a number at its end: the next name after that of
   * `web-2765` would be `web-2766`.
   */
  readonly mark = `${randomBytes(2).toString('hex').slice(1)}x`;

  constructor({ socket, image }: { socket: string; image: string } = bed()) {
    this.socket = socket;
    this.image = image;
  }

  /** A name that nobody else has. */
  name(what: string): string {
    return `${what}-${this.mark}`;
  }

  /** Makes a container; resolves to its name, which is good for every request. */
  async create(what: string, wish: Wish = {}): Promise<string> {
    const name = this.name(what);
    await this.ask('POST', `/containers/create?name=${name}`, bodyOf(wish, this.image));
    return name;
  }

  async start(name: string): Promise<void> {
    await this.ask('POST', `/containers/${name}/start`);
  }

  /** Makes a container and starts it. */
  async running(what: string, wish: Wish = {}): Promise<string> {
    const name = await this.create(what, wish);
    await this.start(name);
    return name;
  }

  /** Makes a container, and lets it end with this status after some work in its shell. */
  async exited(what: string, status: number, work = 'true'): Promise<string> {
    const name = await this.running(what, { cmd: ['sh', '-c', `${work}; exit ${status}`] });
    await until(async () => (await this.state(name)) === 'exited', `${name} ends`);
    return name;
  }

  /** The engine's word for what a container does; `exited` for `stopped`, as Podman says until it has cleaned up. */
  async state(name: string): Promise<string> {
    const answer = await this.ask('GET', `/containers/${name}/json`);
    const { Status } = (JSON.parse(answer) as { State: { Status: string } }).State;
    return Status === 'stopped' ? 'exited' : Status;
  }

  /** Whether a container is there. */
  async has(name: string): Promise<boolean> {
    return (await ask(this.socket, 'GET', `${VERSION}/containers/${name}/json`)).status === 200;
  }

  /** Gives the bed's image a name of its own. */
  async tag(what: string): Promise<string> {
    const repository = `localhost/${this.name(what)}`;
    await this.ask('POST', `/images/${this.image}/tag?repo=${repository}&tag=1`);
    return `${repository}:1`;
  }

  /** One request whose answer has to be good. */
  ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<string> {
    return askWell(this.socket, method, VERSION + path, body === undefined ? {} : { body });
  }

  /** Removes an image if it is there. */
  async forget(reference: string): Promise<void> {
    await ask(this.socket, 'DELETE', `${VERSION}/images/${reference}?force=1`);
  }

  /** Removes all that bears the mark. */
  async clean(): Promise<void> {
    const isOurs = (text: string): boolean => text.includes(`-${this.mark}`);
    for (const { Id, Names } of await this.#list('/containers/json?all=1')) {
      if (!Names?.some(isOurs)) continue;
      await until(async () => {
        // Asked again: an engine refuses it for one that it is about to start anew.
        await ask(this.socket, 'DELETE', `${VERSION}/containers/${Id}?force=1&v=1`);
        return !(await this.has(Id));
      }, 'a container is removed');
    }
    const images = await this.#list('/images/json?all=1');
    for (const tag of images.flatMap(({ RepoTags }) => RepoTags ?? []).filter(isOurs)) {
      await this.forget(tag);
    }
  }

  async #list(path: string): Promise<readonly Listed[]> {
    return JSON.parse(await this.ask('GET', path)) as readonly Listed[];
  }
}

function bodyOf(wish: Wish, image: string): object {
  const { cmd = ['sleep', '100000'], labels, port, health, restart } = wish;
  const inside = port === undefined ? undefined : `${port}/tcp`;
  return {
    Image: wish.image ?? image,
    Cmd: cmd,
    StopSignal: wish.stopSignal ?? 'SIGKILL',
    Labels: labels ?? {},
    ...(health !== undefined && { Healthcheck: { Test: ['CMD-SHELL', health], Interval: 1e9 } }),
    ...(inside !== undefined && { ExposedPorts: { [inside]: {} } }),
    HostConfig: {
      ...(restart !== undefined && { RestartPolicy: { Name: restart } }),
      ...(inside !== undefined && { PortBindings: { [inside]: [{ HostPort: '' }] } }),
    },
  };
}
