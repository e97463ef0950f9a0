import * as l10n from '@vscode/l10n';
import type { Container } from '../../engine/model.ts';
import type { ImageFacts } from '../../engine/facts/readImageFacts.ts';
import type { NetworkFacts } from '../../engine/facts/readNetworkFacts.ts';
import type { VolumeFacts } from '../../engine/facts/readVolumeFacts.ts';
import type { NetworkMember } from '../../inventory/membersOf.ts';
import { formatDateTime, formatSize, joinParts, shortId } from '../../views/format.ts';
import { stateTitle } from '../../views/containers/containerCondition.ts';
import {
  hiddenRow,
  namedRow,
  plainRows,
  withRows,
  type IsMasked,
  type SourceRow,
  type SourceSection,
} from './sourceRow.ts';

/** The most containers that are listed. */
const MOST_USERS = 500;

/** Returns all of an image. */
export function imageSections(
  facts: ImageFacts,
  { users, isMasked }: Surroundings,
): readonly SourceSection[] {
  return withRows([
    { id: 'image', title: l10n.t('Image'), rows: imageRows(facts) },
    {
      id: 'config',
      title: l10n.t('Configuration'),
      rows: [
        ...hiddenRow(l10n.t('Entrypoint'), facts.entrypoint, 'entrypoint', isMasked),
        ...hiddenRow(l10n.t('Command'), facts.cmd, 'cmd', isMasked),
        ...plainRows(
          [l10n.t('Working directory'), facts.workingDir],
          [l10n.t('User'), facts.user],
          [l10n.t('Exposed ports'), facts.ports.join(', ')],
          [l10n.t('Volumes'), facts.volumes.join(', ')],
        ),
      ],
    },
    {
      id: 'environment',
      title: l10n.t('Environment'),
      rows: facts.environment.map((one) => namedRow('variable', one)),
    },
    labelSection(facts.labels),
    usedBy(users),
  ]);
}

function imageRows(facts: ImageFacts): readonly SourceRow[] {
  const { id, tags, digests } = facts;
  return [
    ...tags.map((tag) => ({ label: l10n.t('Tag'), value: tag })),
    ...digests.map((digest) => ({ label: l10n.t('Digest'), value: digest })),
    { label: l10n.t('ID'), value: shortId(id), copied: id },
    ...plainRows(
      [l10n.t('Size'), formatSize(facts.size)],
      [l10n.t('Created'), formatDateTime(facts.createdAt)],
      [l10n.t('Platform'), facts.platform],
      [l10n.t('Author'), facts.author],
      [l10n.t('Layers'), String(facts.layers)],
      [l10n.t('Steps in the history'), String(facts.steps)],
    ),
  ];
}

/** Returns all of a volume. */
export function volumeSections(
  facts: VolumeFacts,
  { users, size }: Surroundings,
): readonly SourceSection[] {
  return withRows([
    {
      id: 'volume',
      title: l10n.t('Volume'),
      rows: plainRows(
        [l10n.t('Name'), facts.name],
        [l10n.t('Driver'), facts.driver],
        [l10n.t('Size'), size === undefined ? l10n.t('unknown') : formatSize(size)],
        [l10n.t('Path on the host'), facts.mountpoint],
        [l10n.t('Scope'), facts.scope],
        [l10n.t('Created'), formatDateTime(facts.createdAt)],
      ),
    },
    optionSection(facts.options),
    labelSection(facts.labels),
    usedBy(users),
  ]);
}

/** Returns all of a network. */
export function networkSections(
  facts: NetworkFacts,
  { members }: Surroundings,
): readonly SourceSection[] {
  return withRows([
    {
      id: 'network',
      title: l10n.t('Network'),
      rows: [
        ...plainRows([l10n.t('Name'), facts.name], [l10n.t('Driver'), facts.driver]),
        ...facts.subnets.map(({ subnet, gateway }) => ({
          label: l10n.t('Subnet'),
          value: subnet,
          ...(gateway !== undefined && { note: l10n.t('gateway {0}', gateway) }),
        })),
        ...plainRows(
          [l10n.t('Internal'), facts.isInternal ? l10n.t('yes') : ''],
          [l10n.t('IPv6'), facts.isIpv6 ? l10n.t('yes') : ''],
          [l10n.t('Scope'), facts.scope],
          [l10n.t('Created'), formatDateTime(facts.createdAt)],
        ),
        { label: l10n.t('ID'), value: shortId(facts.id), copied: facts.id },
      ],
    },
    optionSection(facts.options),
    labelSection(facts.labels),
    {
      id: 'members',
      title: l10n.t('Containers'),
      rows: members.slice(0, MOST_USERS).map(({ container, connection }) => ({
        ...userRow(container),
        note: joinParts(connection.ip, connection.ip6, stateTitle(container.state)),
      })),
    },
  ]);
}

/** What the inventory knows about an object. */
export interface Surroundings {
  readonly users: readonly Container[];
  /** Of a network. */
  readonly members: readonly NetworkMember[];
  /** Of a volume in bytes, if it was calculated. */
  readonly size: number | undefined;
  readonly isMasked: IsMasked;
}

function usedBy(users: readonly Container[]): SourceSection {
  const rows = users.slice(0, MOST_USERS).map((one) => ({
    ...userRow(one),
    note: stateTitle(one.state),
  }));
  const none = { label: l10n.t('Containers'), value: l10n.t('unused') };
  return { id: 'users', title: l10n.t('Used By'), rows: rows.length > 0 ? rows : [none] };
}

/** Returns a row that leads to a container. */
export function userRow({ id, name }: Container): SourceRow {
  const target = { kind: 'container', id, name } as const;
  return { label: l10n.t('Container'), value: name, act: { kind: 'details', target } };
}

function labelSection(labels: ImageFacts['labels']): SourceSection {
  const rows = labels.map((one) => namedRow('label', one));
  return { id: 'labels', title: l10n.t('Labels'), rows };
}

function optionSection(options: VolumeFacts['options']): SourceSection {
  const rows = options.map((one) => namedRow('option', one));
  return { id: 'options', title: l10n.t('Driver Options'), rows };
}
