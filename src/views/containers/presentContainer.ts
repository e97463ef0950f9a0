import * as l10n from '@vscode/l10n';
import type { Container, Port } from '../../engine/model.ts';
import {
  hookOf,
  isOfComposeService,
  isOfPod,
  projectOf,
  serviceOf,
} from '../../projects/projectLabels.ts';
import {
  containerIcon,
  showsAge,
  formatContainerState,
  pendingVerb,
  type StateFacts,
} from './containerCondition.ts';
import {
  tooltipRows,
  type RowPresentation,
  type RenderContext,
  type TooltipRow,
} from '../rowPresentation.ts';
import {
  formatImageName,
  joinParts,
  joinSpoken,
  formatDateTime,
  formatLine,
  shortId,
} from '../format.ts';

/**
 * Returns the presentation of a container row.
 *
 * @param title the container's name in its group.
 * @param failedHook the container of a hook that failed, if the row stands for its service.
 */
export function presentContainer(
  container: Container,
  title: string,
  context: RenderContext,
  { failedHook, isPinned = false }: ContainerRowFacts = {},
): RowPresentation {
  const facts = factsOf(container, context);
  const { age, verb, isLost } = facts;
  const more = [
    formatFailedHook(failedHook),
    hookOf(container) ? l10n.t('hook') : '',
    context.orphans?.isOrphan(container) ? l10n.t('orphaned') : '',
    whatElse(container),
    isPinned ? l10n.t('pinned') : '',
    context.isMixed?.() === true ? formatLine(context.engineLabel ?? '') : '',
  ];
  return {
    label: formatLine(title),
    // Not in the text for screen readers, which would read it at each change.
    description: joinParts(context.usageOf?.([container.id]), formatContainerState(facts), ...more),
    icon: containerIcon(facts),
    contextValue: contextOf(container, isPinned, context),
    accessibilityLabel: joinSpoken(
      l10n.t('Container {0}', formatLine(container.name)),
      formatContainerState(facts, true),
      ...more,
    ),
    age: verb === undefined && !isLost && showsAge(container) ? age : undefined,
  };
}

interface ContainerRowFacts {
  readonly failedHook?: Container | undefined;
  readonly isPinned?: boolean | undefined;
}

/**
 * Returns the one extra detail that fits beside the state: the published ports, or else the image, unless the
 * service already implies it.
 */
function whatElse(container: Container): string {
  const published = formatPublishedPorts(container.ports);
  if (published !== '') return published;
  return projectOf(container) === undefined
    ? formatImageName(container.image).replace(/^.*\//, '')
    : '';
}

/** Formats which hook of a service failed, with its exit code; empty if none did. */
export function formatFailedHook(container: Container | undefined): string {
  const hook = container && hookOf(container);
  return hook ? l10n.t('{0} failed ({1})', formatLine(hook.kind), container.exitCode ?? '') : '';
}

export function containerTooltip(
  container: Container,
  context: RenderContext,
): readonly TooltipRow[] {
  const hook = hookOf(container);
  const aliases = container.names.filter((name) => name !== container.name);
  return tooltipRows(
    [l10n.t('Name'), container.name],
    [l10n.t('Other names'), aliases.join(', ')],
    [l10n.t('State'), formatContainerState({ ...factsOf(container, context), verb: undefined })],
    [l10n.t('Image'), container.image],
    [l10n.t('Command'), container.command],
    [l10n.t('Ports'), formatPorts(container.ports)],
    [l10n.t('Not listed'), formatOmitted(container)],
    [isOfPod(container) ? l10n.t('Pod') : l10n.t('Project'), projectOf(container)],
    [l10n.t('Service'), hook?.service ?? serviceOf(container)],
    [l10n.t('Hook'), hook?.kind],
    [
      l10n.t('Orphaned'),
      context.orphans?.isOrphan(container) ? l10n.t('Not in the compose files') : '',
    ],
    [l10n.t('Created'), formatDateTime(container.createdAt)],
    [l10n.t('ID'), shortId(container.id)],
  );
}

/** Formats how many entries of a container are not read: `ports: 1000, mounts: 2`; empty if all are. */
function formatOmitted({ omitted }: Container): string {
  if (!omitted) return '';
  const { ports, mounts, networks } = omitted;
  const parts = [
    ports > 0 ? l10n.t('ports: {0}', ports) : '',
    mounts > 0 ? l10n.t('mounts: {0}', mounts) : '',
    networks > 0 ? l10n.t('networks: {0}', networks) : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function factsOf(container: Container, { inventory, activity, now }: RenderContext): StateFacts {
  const { id } = container;
  const lostAt = inventory.lostAt;
  return {
    container,
    age: inventory.ages.get(id),
    verb: pendingVerb(container, activity.verbOf(id)),
    wait: activity.waitOf(id),
    wasOutOfMemory: inventory.outOfMemory.has(id),
    wasStopped: inventory.stopped.has(id),
    isLost: lostAt !== undefined,
    // While the connection is lost, ages do not increase.
    now: lostAt ?? now(),
  };
}

function contextOf(container: Container, isPinned: boolean, { orphans }: RenderContext): string {
  const isUnbuilt = orphans?.filesOf(container)?.unbuilt?.has(serviceOf(container) ?? '') === true;
  return [
    `container.${container.state}`,
    ...(isPinned ? ['pinned'] : []),
    ...(container.pod?.isInfra === true ? ['infra'] : []),
    ...(hasPublishedTcp(container.ports) ? ['published'] : []),
    ...(isUnbuilt ? ['unbuilt'] : []),
    ...(isOfComposeService(container) ? ['service'] : []),
  ].join('.');
}

/** Formats all ports with all details: `127.0.0.1:8080→80/tcp, 443/tcp`. */
export function formatPorts(ports: readonly Port[]): string {
  return ports.map(whole).join(', ');
}

/** Formats the first published port and the number of others: `8080→80 +2`. */
function formatPublishedPorts(ports: readonly Port[]): string {
  const [first = '', ...more] = new Set(ports.filter(isPublished).map(mapping));
  return more.length > 0 ? `${first} +${more.length}` : first;
}

/** Returns whether a TCP port is published, which a browser may open. */
export function hasPublishedTcp(ports: readonly Port[]): boolean {
  return ports.some((port) => isPublished(port) && port.protocol === 'tcp');
}

function isPublished(port: Port): boolean {
  return port.publicPort !== undefined;
}

function mapping(port: Port): string {
  const protocol = port.protocol === 'tcp' ? '' : `/${port.protocol}`;
  return `${port.publicPort ?? ''}→${port.privatePort}${protocol}`;
}

function whole(port: Port): string {
  const inside = `${port.privatePort}/${port.protocol}`;
  if (port.publicPort === undefined) return inside;
  const { ip = '' } = port;
  const outside = ip === '' || ip === '0.0.0.0' || ip === '::' ? '' : bracketed(ip);
  return `${outside}${port.publicPort}→${inside}`;
}

function bracketed(ip: string): string {
  return ip.includes(':') ? `[${ip}]:` : `${ip}:`;
}
