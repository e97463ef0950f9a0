/** Where a container that is to be collides with itself or with those that are there. Pure. */

import type { ImageDefaults } from '../../engine/images/imageDefaults.ts';
import type { Container } from '../../engine/model.ts';
import { parsePort, type PortBinding } from '../../engine/options/portBinding.ts';
import type { L10n } from '../../l10n.ts';
import { formatName, formatMessages } from '../displayText.ts';

/** What of a container's wishes can collide. */
interface NameAndPorts {
  readonly name?: string | undefined;
  readonly ports?: readonly string[] | undefined;
}

/** Why a container cannot be made so, whatever the engine would say: as a sentence. */
export function conflictMessage(
  { name, ports = [] }: NameAndPorts,
  containers: Iterable<Container>,
  l10n: L10n,
): string | undefined {
  const twice = publishedTwice(bindingsOf(ports, l10n));
  if (twice) {
    const place = hostAddressOf(twice);
    return place === ''
      ? l10n.t('The port {0} is there twice.', twice.containerPort)
      : l10n.t('Two ports cannot both be published at {0}.', place);
  }
  if (name === undefined || !isTaken(name, containers)) return undefined;
  return l10n.t('There is a container named {0} already.', formatName(name));
}

/** What of a container's wishes says which program it runs. */
interface Program {
  readonly cmd?: readonly string[] | undefined;
  readonly entrypoint?: readonly string[] | undefined;
}

/** Why no program would run, as a sentence: engines refuse such a container. */
export function missingProgramMessage(
  { cmd = [], entrypoint = [] }: Program,
  image: Pick<ImageDefaults, 'cmd' | 'entrypoint'>,
  l10n: L10n,
): string | undefined {
  if (cmd.length > 0) return undefined;
  // An entrypoint of one's own takes the image's command away, and [''] is none at all.
  if (entrypoint.length > 0) {
    const isNone = entrypoint.every((word) => word === '');
    return isNone ? l10n.t('The entrypoint is empty. Enter a command.') : undefined;
  }
  if (image.cmd.length + image.entrypoint.length > 0) return undefined;
  return l10n.t('The image has neither a command nor an entrypoint. Enter a command.');
}

/** A published port that another container holds at this moment. */
export interface PortConflict {
  /** Of the engine's machine. */
  readonly hostPort: number;
  readonly holder: Container;
}

/** Those of `ports` that containers hold: a start would fail. Throws InputError where one is no port. */
export function findPortConflicts(
  ports: readonly string[],
  containers: Iterable<Container>,
  l10n: L10n,
): readonly PortConflict[] {
  const bindings = bindingsOf(ports, l10n).filter(({ hostPort }) => hostPort !== '');
  if (bindings.length === 0) return [];
  return [...containers].flatMap((holder) => {
    const held = bindings.filter((binding) => holds(holder, binding));
    const numbers = new Set(held.map(({ hostPort }) => Number(hostPort)));
    return [...numbers].map((hostPort) => ({ hostPort, holder }));
  });
}

/** The first of them in sentences, and how many more there are; undefined if all are free. */
export function portConflictMessage(held: readonly PortConflict[], l10n: L10n): string | undefined {
  if (held.length === 0) return undefined;
  // As text: a number would be written with the thousands marks of the user's language.
  const sentences = held.map(({ hostPort, holder }) =>
    l10n.t('The port {0} is taken by {1}.', String(hostPort), formatName(holder.name)),
  );
  return formatMessages(sentences, l10n);
}

/** The name itself where it is free, else the first free one with a number behind: `web-2`. */
export function freeContainerName(name: string, containers: Iterable<Container>): string {
  const all = [...containers];
  if (!isTaken(name, all)) return name;
  const [, before = '', digits = '1'] = /^(.*)-([1-9]\d{0,5})$/.exec(name) ?? [];
  // A date is no name with a number behind.
  const [stem, count] = /[^-\d]/.test(before) ? [before, digits] : [name, '1'];
  for (let next = Number(count) + 1; ; next++) {
    const candidate = `${stem}-${next}`;
    if (!isTaken(candidate, all)) return candidate;
  }
}

function isTaken(name: string, containers: Iterable<Container>): boolean {
  for (const one of containers) if (one.names.includes(name) || one.name === name) return true;
  return false;
}

function bindingsOf(ports: readonly string[], l10n: L10n): readonly PortBinding[] {
  return ports.flatMap((port) => parsePort(port, l10n));
}

function publishedTwice(bindings: readonly PortBinding[]): PortBinding | undefined {
  return bindings.find((one, index) =>
    bindings.slice(0, index).some((other) => areSame(one, other)),
  );
}

/** Without a host port each gets one of its own, so only the very same is there in vain. */
function areSame(one: PortBinding, other: PortBinding): boolean {
  if (protocolOf(one) !== protocolOf(other) || one.hostPort !== other.hostPort) return false;
  if (one.hostPort === '') {
    return one.containerPort === other.containerPort && one.hostIp === other.hostIp;
  }
  return doOverlap(one.hostIp, other.hostIp);
}

function holds({ ports }: Container, binding: PortBinding): boolean {
  return ports.some(
    ({ publicPort, protocol, ip = '' }) =>
      publicPort === Number(binding.hostPort) &&
      protocol === protocolOf(binding) &&
      doOverlap(ip, binding.hostIp),
  );
}

/** Whether two addresses have one in common. */
function doOverlap(one: string, other: string): boolean {
  const isAll = (ip: string): boolean => ['', '0.0.0.0', '::'].includes(ip);
  return isAll(one) || isAll(other) || one === other;
}

function protocolOf({ containerPort }: PortBinding): string {
  return containerPort.split('/')[1] ?? 'tcp';
}

function hostAddressOf({ hostIp, hostPort }: PortBinding): string {
  if (hostPort === '') return '';
  return hostIp === '' ? hostPort : `${hostIp}:${hostPort}`;
}
