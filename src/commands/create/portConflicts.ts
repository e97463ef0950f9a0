/** Conflicts of a new container with itself or with existing containers: names and ports. Pure functions. */

import * as l10n from '@vscode/l10n';
import type { ImageDefaults } from '../../engine/images/imageDefaults.ts';
import type { Container } from '../../engine/model.ts';
import { parsePort, type PortBinding } from '../../engine/options/portBinding.ts';
import type { CreateDraft } from './createDraft.ts';
import { longNameProblem } from '../ui/longNameProblem.ts';
import { formatName, formatMessages } from '../ui/formatNames.ts';

/** Returns why a container with these options cannot be created, whatever the engine; undefined if it can. */
export function conflictMessage(
  { name, ports = [] }: CreateDraft,
  containers: Iterable<Container>,
): string | undefined {
  const twice = publishedTwice(bindingsOf(ports));
  if (twice) {
    const address = hostAddressOf(twice);
    return address === ''
      ? l10n.t('Port {0} is listed twice.', twice.containerPort)
      : l10n.t('Two container ports cannot both be published at {0}.', address);
  }
  const problem = longNameProblem(name ?? '');
  if (problem !== undefined || name === undefined || !isNameUsed(name, containers)) return problem;
  return l10n.t('A container named {0} already exists.', formatName(name));
}

/** Returns a message if the container has no program to run: engines reject it. */
export function missingProgramMessage(
  { cmd = [], entrypoint = [] }: CreateDraft,
  image: Pick<ImageDefaults, 'cmd' | 'entrypoint'>,
): string | undefined {
  if (cmd.length > 0) return undefined;
  // An entrypoint in the options drops the command of the image. `['']` clears the entrypoint.
  if (entrypoint.length > 0) {
    const isNone = entrypoint.every((word) => word === '');
    return isNone ? l10n.t('The entrypoint is empty. Enter a command.') : undefined;
  }
  if (image.cmd.length + image.entrypoint.length > 0) return undefined;
  return l10n.t('The image has neither a command nor an entrypoint. Enter a command.');
}

/** A port that another container already publishes. */
export interface PortConflict {
  /** On the engine's host. */
  readonly hostPort: number;
  readonly holder: Container;
}

/**
 * Returns those of `ports` that containers already publish, so that a start would fail. @throws InputError
 * for an invalid port.
 */
export function findPortConflicts(
  ports: readonly string[],
  containers: Iterable<Container>,
): readonly PortConflict[] {
  const bindings = bindingsOf(ports).filter((one) => !isSelected(one));
  const wanted = Map.groupBy(bindings, portKey);
  if (wanted.size === 0) return [];
  return [...containers].flatMap((holder) => {
    const held = holder.ports.flatMap(({ publicPort = 0, protocol, ip = '' }) => {
      const same = wanted.get(`${publicPort}/${protocol}`) ?? [];
      return same.some(({ hostIp }) => doOverlap(ip, hostIp)) ? [publicPort] : [];
    });
    return [...new Set(held)].map((hostPort) => ({ hostPort, holder }));
  });
}

/** Formats the first conflicts, and how many more there are; undefined if there are none. */
export function portConflictMessage(held: readonly PortConflict[]): string | undefined {
  if (held.length === 0) return undefined;
  // As a string: a number would be formatted with the thousands separators of the user's language.
  const sentences = held.map(({ hostPort, holder }) =>
    l10n.t('Port {0} is used by {1}.', String(hostPort), formatName(holder.name)),
  );
  return formatMessages(sentences);
}

/** Suggests a free host port for a container port. Undefined if none is known. */
export type SuggestPort = (
  port: number,
  protocol: string,
  besides: ReadonlySet<number>,
) => Promise<number | undefined>;

/**
 * Replaces the host ports that are in use with free ones, or, if none is known, lets the engine choose. Host
 * ports of other entries are not free. A range that is partly in use is split into single ports.
 *
 * @throws InputError for an invalid port.
 */
export async function reassignPorts(
  ports: readonly string[],
  usedPorts: ReadonlySet<number>,
  suggest: SuggestPort,
): Promise<readonly string[]> {
  const given = new Set(bindingsOf(ports).map(({ hostPort }) => Number(hostPort)));
  const moved: string[] = [];
  for (const text of ports) {
    const bindings = parsePort(text);
    if (!bindings.some(({ hostPort }) => usedPorts.has(Number(hostPort)))) {
      moved.push(text);
      continue;
    }
    for (const binding of bindings) {
      const { hostIp, containerPort } = binding;
      const port = Number(binding.hostPort);
      const free = usedPorts.has(port) ? await suggest(port, protocolOf(binding), given) : port;
      if (free !== undefined) given.add(free);
      const ip = hostIp.includes(':') ? `[${hostIp}]` : hostIp;
      moved.push(`${ip === '' ? '' : `${ip}:`}${free ?? 0}:${containerPort}`);
    }
  }
  return moved;
}

/** Returns the name if it is free, otherwise the first free one with a number: `web-2`. */
export function freeContainerName(name: string, containers: Iterable<Container>): string {
  const all = [...containers];
  if (!isNameUsed(name, all)) return name;
  const [, before = '', digits = '1'] = /^(.*)-([1-9]\d{0,5})$/.exec(name) ?? [];
  // A date at the end is not a number to increment.
  const [stem, count] = /[^-\d]/.test(before) ? [before, digits] : [name, '1'];
  for (let next = Number(count) + 1; ; next++) {
    const candidate = `${stem}-${next}`;
    if (!isNameUsed(candidate, all)) return candidate;
  }
}

function isNameUsed(name: string, containers: Iterable<Container>): boolean {
  for (const one of containers) if (one.names.includes(name) || one.name === name) return true;
  return false;
}

function bindingsOf(ports: readonly string[]): readonly PortBinding[] {
  return ports.flatMap((port) => parsePort(port));
}

/** Compares only bindings of the same port: a range may have tens of thousands. */
function publishedTwice(bindings: readonly PortBinding[]): PortBinding | undefined {
  const before = new Map<string, readonly PortBinding[]>();
  return bindings.find((one) => {
    const same = before.get(portKey(one)) ?? [];
    before.set(portKey(one), [...same, one]);
    return same.some((other) => areSame(one, other));
  });
}

/** Returns the host port with its protocol, or, if the engine selects the host port, that with the container port. */
function portKey(binding: PortBinding): string {
  const { hostPort, containerPort } = binding;
  return isSelected(binding)
    ? `${hostPort}:${containerPort}`
    : `${hostPort}/${protocolOf(binding)}`;
}

/** Whether the engine selects the host port, from a range or from all. */
function isSelected({ hostPort }: PortBinding): boolean {
  return !/^\d+$/.test(hostPort);
}

/**
 * Whether two bindings of the same port conflict. If the engine selects the host port, each gets its own, so only an
 * exact duplicate is pointless.
 */
function areSame(one: PortBinding, other: PortBinding): boolean {
  return isSelected(one) ? one.hostIp === other.hostIp : doOverlap(one.hostIp, other.hostIp);
}

/** Whether two host addresses overlap. */
function doOverlap(one: string, other: string): boolean {
  const isAll = (ip: string): boolean => ['', '0.0.0.0', '::'].includes(ip);
  return isAll(one) || isAll(other) || one === other;
}

function protocolOf({ containerPort }: PortBinding): string {
  return containerPort.split('/')[1] ?? 'tcp';
}

function hostAddressOf(binding: PortBinding): string {
  const { hostIp, hostPort } = binding;
  if (isSelected(binding)) return '';
  return hostIp === '' ? hostPort : `${hostIp}:${hostPort}`;
}
