import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { pruneKindCommands } from '../../../../src/commands/system/pruneKindCommands.ts';
import type { CleanupKind } from '../../../../src/engine/system/cleanupKinds.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json, type SeenRequest } from '../../support/fakeEngine.ts';
import { TEMPORARY_LABEL } from '../../../../src/engine/images/temporaryMarks.ts';

export const WEB: string = idOf('1');
export const JOB: string = idOf('2');
export const NEW: string = idOf('3');
/** A temporary container of Gantry. */
export const OWN: string = idOf('4');
export const DANGLING = `sha256:${idOf('a')}`;
export const TAGGED = `sha256:${idOf('b')}`;
export const WEB_IMAGE = `sha256:${idOf('c')}`;
export const JOB_IMAGE = `sha256:${idOf('d')}`;
export const ANONYMOUS: string = idOf('e');
/** The anonymous volume of the stopped container. */
export const JOB_VOLUME: string = idOf('f');
export const NETWORK: string = idOf('7');
export const USED_NETWORK: string = idOf('8');

type Wire = Readonly<Record<string, unknown>>;

/** Commands on a fake engine with things that are used and things that are not. */
export interface SystemLab extends CommandLab {
  /** What the engine has now, by the start of its path and then by ID or name. */
  readonly things: ReadonlyMap<string, Map<string, Wire>>;
  /** Removals in order: a path, or the filters of a prune of the build cache. */
  readonly removals: readonly string[];
  /** Runs before the engine handles a request; returns a status and a message to refuse it. */
  before: (request: SeenRequest) => readonly [status: number, message: string] | undefined;
  /** What all layers of images use, in bytes. */
  layers: () => number;
}

const OLD = '2026-01-02T03:04:05Z';

function mount(Name: string): Wire {
  return { Type: 'volume', Name, Destination: '/data', RW: true };
}

function contents(): ReadonlyMap<string, Map<string, Wire>> {
  const containers: readonly Wire[] = [
    {
      ...{ Id: WEB, Names: ['/web'], State: 'running', ImageID: WEB_IMAGE, SizeRw: 100 },
      ...{ Mounts: [mount('data')] },
      NetworkSettings: { Networks: { shop: { NetworkID: USED_NETWORK } } },
    },
    {
      ...{ Id: JOB, Names: ['/job'], State: 'exited', ImageID: JOB_IMAGE, SizeRw: 20 },
      ...{ Status: 'Exited (0) 2 days ago', Mounts: [mount(JOB_VOLUME), mount('kept')] },
    },
    { Id: NEW, Names: ['/new'], State: 'created', ImageID: WEB_IMAGE, Created: 1_790_000_000 },
    {
      ...{ Id: OWN, Names: ['/gantry-temporary-0123456789ab'], State: 'created' },
      ...{ Command: 'gantry never', Labels: { [TEMPORARY_LABEL]: 'aaaaaaaaaaaa-1-bbbbbbbb' } },
    },
  ].map((one) => ({ Created: 1_700_000_000, ...one }));
  const images = [
    { Id: DANGLING, RepoTags: [], Size: 1000, SharedSize: 300 },
    { Id: TAGGED, RepoTags: ['app:1'], Size: 2000, SharedSize: 0 },
    { Id: WEB_IMAGE, RepoTags: ['web:1'], Size: 4000, SharedSize: 0 },
    { Id: JOB_IMAGE, RepoTags: ['job:1'], Size: 8000, SharedSize: 0 },
  ].map((one) => ({ Created: 1_700_000_000, ...one }));
  const volumes = ['data', 'kept', 'free', ANONYMOUS, JOB_VOLUME].map((Name) => ({
    ...{ Name, Driver: 'local', CreatedAt: OLD, UsageData: { Size: 50 } },
  }));
  const networks = [
    { Id: NETWORK, Name: 'lonely', Driver: 'bridge', Created: OLD },
    { Id: USED_NETWORK, Name: 'shop', Driver: 'bridge', Created: OLD },
    { Id: idOf('9'), Name: 'bridge', Driver: 'bridge', Created: OLD },
  ];
  const cache = [
    { ID: 'base', Size: 7, LastUsedAt: OLD },
    { ID: 'leaf', Size: 8, ' Parents': ['base'], LastUsedAt: OLD, Description: 'RUN x' },
    { ID: 'used', Size: 9, InUse: true, LastUsedAt: OLD },
    { ID: 'shared', Size: 10, Shared: true, LastUsedAt: OLD },
  ];
  const by = (key: string, all: readonly Wire[]) =>
    new Map(all.map((one) => [String(one[key]), one]));
  return new Map([
    ['containers', by('Id', containers)],
    ['images', by('Id', images)],
    ['volumes', by('Name', volumes)],
    ['networks', by('Id', networks)],
    ['cache', by('ID', cache)],
    ['pods', new Map()],
  ]);
}

/** Returns the command that prunes a kind. */
export function pruneCommandOf(kind: Exclude<CleanupKind, 'buildCache'>) {
  const command = pruneKindCommands().find(({ id }) => id === `gantry.${kind}.prune`);
  return command ?? assert.fail(kind);
}

/** Returns the result of a prune without the reasons, which have tests of their own. */
export function withoutReasons(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result;
  return Object.fromEntries(Object.entries(result).filter(([key]) => key !== 'reasons'));
}

/** Opens a lab. Close it in `afterEach`. */
export async function openSystemLab(): Promise<SystemLab> {
  const things = contents();
  const removals: string[] = [];
  const all = (kind: string): readonly Wire[] => [...(things.get(kind)?.values() ?? [])];
  const lab = await openCommandLab((request, response) => {
    const refused = opened.before(request);
    if (refused) json(response, refused[0], { message: refused[1] });
    else answer(request, response);
  });

  function answer({ method, path, query }: SeenRequest, response: ServerResponse): void {
    const [, kind = '', encoded = ''] = /^\/(\w+)\/([^/]+)/.exec(path) ?? [];
    const id = decodeURIComponent(encoded);
    if (path === '/containers/json' || path === '/images/json') json(response, 200, all(kind));
    else if (path === '/volumes') json(response, 200, { Volumes: all('volumes') });
    else if (path === '/networks') json(response, 200, all('networks'));
    else if (path === '/libpod/pods/json') json(response, 200, all('pods'));
    else if (path === '/system/df') json(response, 200, diskUse());
    else if (path === '/build/prune') json(response, 200, pruneCache(query.get('filters') ?? ''));
    else if (!things.get(kind)?.has(id)) json(response, 404, { message: 'no such thing' });
    else if (method === 'DELETE' && kind === 'volumes' && isUsed(id))
      json(response, 409, { message: 'volume is in use' });
    else if (method === 'DELETE') {
      removals.push(`${path}${query.get('v') === '1' ? '?v' : ''}`);
      things.get(kind)?.delete(id);
      json(response, 200, []);
    } else json(response, 200, inspected(kind, things.get(kind)?.get(id) ?? {}));
  }

  function isUsed(volume: string): boolean {
    const mounts = all('containers').flatMap(({ Mounts = [] }) => Mounts as readonly Wire[]);
    return mounts.some(({ Name }) => Name === volume);
  }

  function diskUse(): Wire {
    const { containers, images, volumes, cache } = {
      ...{ containers: all('containers'), images: all('images') },
      ...{ volumes: all('volumes'), cache: all('cache') },
    };
    return {
      ...{ LayersSize: opened.layers(), Images: images, Containers: containers, Volumes: volumes },
      BuildCache: cache,
    };
  }

  /** As Docker: the filter is a regular expression, and a record with children stays. */
  function pruneCache(filters: string): Wire {
    removals.push(filters);
    const [pattern = ''] = (JSON.parse(filters) as { readonly id: readonly string[] }).id;
    const hasChild = (id: string): boolean =>
      all('cache').some((one) => (one[' Parents'] as readonly string[] | undefined)?.includes(id));
    const gone = all('cache')
      .filter(({ InUse }) => InUse !== true)
      .map(({ ID }) => String(ID))
      .filter((id) => new RegExp(pattern).test(id) && !hasChild(id));
    for (const id of gone) things.get('cache')?.delete(id);
    return { CachesDeleted: gone.length > 0 ? gone : null };
  }

  const opened: SystemLab = Object.assign(lab, {
    ...{ things, removals },
    before: () => undefined,
    layers: () => 15_000,
  });
  return opened;
}

function inspected(kind: string, wire: Wire): Wire {
  if (kind !== 'containers') return wire;
  const { State, Names } = wire as { readonly State: string; readonly Names: readonly string[] };
  return { ...wire, Name: Names[0], State: { Status: State, Running: State === 'running' } };
}
