import type { Container } from '../../engine/model.ts';
import { oneLine } from '../../plainText.ts';
import { dependenciesOf, isOneOff, projectOf, serviceOf } from '../projectLabels.ts';
import type { ComposeEvent } from './composeProgress.ts';

const CONFIG_HASH = 'com.docker.compose.config-hash';
const IMAGE = 'com.docker.compose.image';

/**
 * Returns what `up` would do, in the order of kind and name. Undefined if the dry run reports nothing that is known:
 * some versions report nothing of a project that stays as it is, but nothing is known of a project to create.
 */
export function upChanges(run: DryRun): readonly UpChange[] | undefined {
  const actions = actionsOf(run.events);
  const all = run.containers.filter(
    (one) => projectOf(one) === run.project && run.project !== undefined && !isOneOff(one),
  );
  if (actions.size === 0 && (run.events.length > 0 || all.length === 0)) return undefined;
  const recreated = new Set(
    all
      .filter(({ name }) => actions.get(`Container ${name}`) === 'recreated')
      .flatMap((one) => serviceOf(one) ?? []),
  );
  const known = all.flatMap((one) => changeOf(one, actions, recreated, run));
  const names = new Set(all.map(({ name }) => `Container ${name}`));
  const others = [...actions].flatMap(([id, action]) =>
    names.has(id) ? [] : (otherChange(id, action) ?? []),
  );
  return [...known, ...others].sort(
    (a, b) => order(a.kind) - order(b.kind) || (a.name < b.name ? -1 : 1),
  );
}

/** Returns the project of a dry run, if it reports a container that exists. One to create may have another's name. */
export function projectOfDryRun({
  events,
  containers,
}: Pick<DryRun, 'events' | 'containers'>): string | undefined {
  const existing = events.filter(({ status }) => OF_EXISTING.includes(status));
  const ids = new Set(existing.map(({ id }) => id));
  const found = containers.find(({ name }) => ids.has(`Container ${name}`));
  return found && projectOf(found);
}

/** What `up` would do with one object. */
export interface UpChange {
  readonly kind: 'container' | 'network' | 'volume' | 'image';
  readonly name: string;
  readonly action: UpAction;
  readonly reason?: UpReason;
}

/** `orphaned`: a container whose service is not in the files. `removed`: an orphaned one that is removed. */
export type UpAction = 'unchanged' | 'created' | 'recreated' | 'started' | 'orphaned' | 'removed';

/** Why a container is recreated: its image or configuration changed, or a service that it depends on is recreated. */
export type UpReason = 'image' | 'configuration' | 'dependency';

/** What the changes are read from. */
export interface DryRun {
  /** The events of the dry run, in order. */
  readonly events: readonly ComposeEvent[];
  /** The containers of the engine. */
  readonly containers: readonly Container[];
  /** The hash of each service's configuration in the files. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The name of the project; undefined if not known. */
  readonly project: string | undefined;
  /** Whether a run is limited to some services: no others are listed then. */
  readonly services: readonly string[];
  /** Returns the ID of an image; undefined if not known. */
  readonly imageIdOf: (reference: string) => string | undefined;
}

function changeOf(
  container: Container,
  actions: ReadonlyMap<string, UpAction>,
  recreated: ReadonlySet<string>,
  run: DryRun,
): readonly UpChange[] {
  const { name } = container;
  const service = serviceOf(container) ?? '';
  const action = actions.get(`Container ${name}`);
  if (action === 'recreated') {
    const reason = reasonOf(container, service, recreated, run);
    return [{ kind: 'container', name, action, ...(reason && { reason }) }];
  }
  // Compose 2 reports a stopped container as created before it starts it.
  if (action === 'created') return [{ kind: 'container', name, action: 'started' }];
  if (action) return [{ kind: 'container', name, action }];
  if (run.hashes.size > 0 && !run.hashes.has(service))
    return [{ kind: 'container', name, action: 'orphaned' }];
  const isMeant = run.services.length === 0 || run.services.includes(service);
  return isMeant ? [{ kind: 'container', name, action: 'unchanged' }] : [];
}

function reasonOf(
  container: Container,
  service: string,
  recreated: ReadonlySet<string>,
  { hashes, imageIdOf }: DryRun,
): UpReason | undefined {
  const { labels, image } = container;
  const hash = hashes.get(service);
  if (hash !== undefined && hash !== labels[CONFIG_HASH]) return 'configuration';
  if (isOutdated(image, labels[IMAGE], imageIdOf)) return 'image';
  const isDependent = dependenciesOf(container).some((one) => recreated.has(one.service));
  return isDependent ? 'dependency' : undefined;
}

/** Whether a container's tag has moved to another image. Docker then lists the container with the ID of its own. */
function isOutdated(
  image: string,
  label: string | undefined,
  imageIdOf: DryRun['imageIdOf'],
): boolean {
  const current = imageIdOf(image);
  if (current === undefined) return /^(?:sha256:)?[\da-f]{12,64}$/.test(image);
  return label !== undefined && label !== current;
}

/** What is reported only of what exists. */
const OF_EXISTING: readonly string[] = ['Running', 'Exists', 'Recreate', 'Recreated'];

const ACTIONS: ReadonlyMap<string, UpAction> = new Map([
  ['Running', 'unchanged'],
  ['Exists', 'unchanged'],
  ['Created', 'created'],
  ['Recreate', 'recreated'],
  ['Recreated', 'recreated'],
  ['Removed', 'removed'],
  ['Built', 'created'],
  ['Pulled', 'created'],
]);

/** The action of each row. A container that is created or recreated is started, too. */
function actionsOf(events: readonly ComposeEvent[]): ReadonlyMap<string, UpAction> {
  const found = new Map<string, UpAction>();
  for (const { id, status } of events) {
    const action = ACTIONS.get(status) ?? (status === 'Started' ? 'started' : undefined);
    if (action && !(action === 'started' && found.has(id))) found.set(id, action);
  }
  return found;
}

const KINDS: ReadonlyMap<string, UpChange['kind']> = new Map([
  ['Container', 'container'],
  ['Network', 'network'],
  ['Volume', 'volume'],
]);

/** A dry run gives a recreated container a temporary name with the start of an ID, which is left out. */
function otherChange(id: string, action: UpAction): UpChange | undefined {
  const [, word = '', name = ''] =
    /^(?:(Container|Network|Volume|Image) "?)?([^ "]+)"?$/.exec(id) ?? [];
  const isTemporary = word === 'Container' && /^[\da-f]{12}_/.test(name);
  if (name === '' || isTemporary) return undefined;
  // A row without a kind is a service whose image is built or pulled.
  const kind = KINDS.get(word) ?? 'image';
  return { kind, name: oneLine(name), action };
}

function order(kind: UpChange['kind']): number {
  return ['container', 'image', 'network', 'volume'].indexOf(kind);
}
