import type { Container } from '../../engine/model.ts';
import { CONFIG_HASH, dependenciesOf, isOneOff, projectOf, serviceOf } from '../projectLabels.ts';
import type { ComposeEvent } from './composeProgress.ts';

const IMAGE = 'com.docker.compose.image';

/**
 * Returns what `up` would do, in the order of kind and name. Undefined if the dry run reports nothing that is known:
 * some versions report nothing of a project that stays as it is, but nothing is known of a project to create.
 */
export function upChanges(run: DryRun): readonly UpChange[] | undefined {
  const reports = reportsOf(run.events);
  const actions = new Map([...reports].map(([id, { action }]) => [id, action]));
  const all = run.containers.filter(
    (one) => projectOf(one) === run.project && run.project !== undefined && !isOneOff(one),
  );
  const isKnown = [...actions.values()].some((action) => action !== 'other');
  if (!isKnown && (run.events.length > 0 || all.length === 0)) return undefined;
  const recreated = new Set(
    all
      .filter(({ name }) => actions.get(`Container ${name}`) === 'recreated')
      .flatMap((one) => serviceOf(one) ?? []),
  );
  const known = all.flatMap((one) => changeOf(one, reports, recreated, run));
  const names = new Set(all.map(({ name }) => `Container ${name}`));
  const others = [...reports].flatMap(([id, report]) =>
    names.has(id) ? [] : (otherChange(id, report) ?? []),
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

/** Change that `up` would make to one object. */
export interface UpChange {
  readonly kind: 'container' | 'network' | 'volume' | 'image';
  readonly name: string;
  readonly action: UpAction;
  readonly reason?: UpReason;
  /** The words of Compose, if the action is `other`. */
  readonly text?: string;
}

/**
 * `orphaned`: a container whose service is not in the files. `removed`: an orphaned one that is removed. `other`: what
 * this version of Gantry does not know.
 */
type UpAction =
  | 'unchanged'
  | 'created'
  | 'recreated'
  | 'started'
  | 'orphaned'
  | 'removed'
  | 'other';

/** Why a container is recreated: its image or configuration changed, or a service that it depends on is recreated. */
type UpReason = 'image' | 'configuration' | 'dependency';

export interface DryRun {
  /** The events of the dry run, in order. */
  readonly events: readonly ComposeEvent[];
  readonly containers: readonly Container[];
  /** The hash of each service's configuration in the files. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The name of the project; undefined if not known. */
  readonly project: string | undefined;
  /** Services that a run is limited to: no others are listed then. Empty if it is not limited. */
  readonly services: readonly string[];
  /** Returns the ID of an image; undefined if not known. */
  readonly imageIdOf: (reference: string) => string | undefined;
}

function changeOf(
  container: Container,
  reports: ReadonlyMap<string, Report>,
  recreated: ReadonlySet<string>,
  run: DryRun,
): readonly UpChange[] {
  const { name } = container;
  const service = serviceOf(container) ?? '';
  const report = reports.get(`Container ${name}`);
  const action = report?.action;
  if (action === 'recreated') {
    const reason = reasonOf(container, service, recreated, run);
    return [{ kind: 'container', name, action, ...(reason && { reason }) }];
  }
  // Compose 2 reports a stopped container as created before it starts it.
  if (action === 'created') return [{ kind: 'container', name, action: 'started' }];
  if (report) return [{ kind: 'container', name, ...report }];
  if (run.hashes.size > 0 && !run.hashes.has(service))
    return [{ kind: 'container', name, action: 'orphaned' }];
  const isIncluded = run.services.length === 0 || run.services.includes(service);
  return isIncluded ? [{ kind: 'container', name, action: 'unchanged' }] : [];
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

/** Statuses that are reported only of what exists. */
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

/** On the way to what is reported later, or of no interest. */
const PASSING: ReadonlySet<string> = new Set([
  ...['Creating', 'Starting', 'Started', 'Waiting', 'Healthy', 'Exited', 'Stopping', 'Killing'],
  ...['Removing', 'Restarting', 'Building', 'Pulling', 'Configuring', 'Skipped'],
]);

type Report = Pick<UpChange, 'action' | 'text'>;

/** Returns the report of each row: its action, or the words that are not known. */
function reportsOf(events: readonly ComposeEvent[]): ReadonlyMap<string, Report> {
  const rows = Map.groupBy(events, ({ id }) => id);
  return new Map(
    [...rows].flatMap(([id, own]) => {
      const report = reportOf(own.map(({ status }) => status));
      return report ? [[id, report] as const] : [];
    }),
  );
}

/** Returns the report of a row. What is created or recreated is stopped before and started, too: that is not said. */
function reportOf(words: readonly string[]): Report | undefined {
  const actions = words.flatMap((word) => ACTIONS.get(word) ?? []);
  const has = (action: UpAction): boolean => actions.includes(action);
  if (has('recreated') || (has('removed') && has('created'))) return { action: 'recreated' };
  const [done] = actions.filter((action) => action !== 'unchanged');
  if (done) return { action: done };
  const unknown = words.filter((word) => !PASSING.has(word) && !ACTIONS.has(word));
  const isStarted = words.includes('Started');
  const text = [...new Set([...unknown, ...(isStarted ? ['Started'] : [])])].join(', ');
  if (unknown.length > 0) return { action: 'other', text };
  if (isStarted) return { action: 'started' };
  return has('unchanged') ? { action: 'unchanged' } : undefined;
}

const KINDS: ReadonlyMap<string, UpChange['kind']> = new Map([
  ['Container', 'container'],
  ['Network', 'network'],
  ['Volume', 'volume'],
]);

/** A dry run gives a recreated container a temporary name with the start of an ID, which is left out. */
function otherChange(id: string, report: Report): UpChange | undefined {
  const [, word = '', rest = id] = /^(Container|Network|Volume|Image) (.+)$/.exec(id) ?? [];
  const name = rest.replace(/^"(.*)"$/, '$1');
  if (word === 'Container' && /^[\da-f]{12}_/.test(name)) return undefined;
  // A name without a kind is a service whose image is built or pulled. What it is otherwise is in its name.
  const kind = KINDS.get(word) ?? (word === 'Image' || !name.includes(' ') ? 'image' : 'container');
  return { kind, name, ...report };
}

function order(kind: UpChange['kind']): number {
  return ['container', 'image', 'network', 'volume'].indexOf(kind);
}
