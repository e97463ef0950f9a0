import * as l10n from '@vscode/l10n';
import type { DescribedContainer } from '../../commands/details/describeContainer.ts';
import type { Difference, MountFacts } from '../../engine/facts/containerFacts.ts';
import { formatDateTime, joinParts, shortId } from '../../views/format.ts';
import { exitText } from './containerHead.ts';
import { connectionRows } from './connectionRows.ts';
import { healthRows } from './healthRows.ts';
import { limitRow } from './limitRow.ts';
import {
  hiddenRow,
  namedRow,
  plainRows,
  withRows,
  type IsMasked,
  type SourceRow,
  type SourceSection,
} from './sourceRow.ts';

/** Returns all of a container but its processes. */
export function containerSections(
  facts: DescribedContainer,
  { engine, isMasked }: ContainerSurroundings,
): readonly SourceSection[] {
  return withRows([
    { id: 'state', title: l10n.t('State'), rows: stateRows(facts) },
    { id: 'health', title: l10n.t('Health Check'), rows: healthRows(facts) },
    { id: 'image', title: l10n.t('Image and Command'), rows: imageRows(facts, isMasked) },
    { id: 'project', title: l10n.t('Project'), rows: projectRows(facts, engine) },
    {
      id: 'differences',
      title: l10n.t('Differs from the Image'),
      rows: (facts.differences ?? []).map((one) => differenceRow(one, isMasked)),
    },
    { id: 'ports', title: l10n.t('Ports'), rows: portRows(facts, engine) },
    { id: 'mounts', title: l10n.t('Mounts'), rows: facts.mounts.map(mountRow) },
    { id: 'networks', title: l10n.t('Networks'), rows: facts.networks.flatMap(connectionRows) },
    {
      id: 'environment',
      title: l10n.t('Environment'),
      rows: facts.environment.map((one) => ({
        ...namedRow('variable', one),
        ...(one.isOfImage === true && { note: l10n.t('from the image') }),
      })),
    },
    { id: 'limits', title: l10n.t('Limits'), rows: facts.limits.map(limitRow) },
    {
      id: 'labels',
      title: l10n.t('Labels'),
      rows: facts.labels.map((one) => namedRow('label', one)),
    },
  ]);
}

/** What else the sections depend on. */
interface ContainerSurroundings {
  /** The ID of the engine, for commands. */
  readonly engine: string;
  readonly isMasked: IsMasked;
}

function stateRows(facts: DescribedContainer): readonly SourceRow[] {
  const { restartCount, restartPolicy, oomKilled, hostPid } = facts;
  return [
    ...plainRows(
      [l10n.t('Created'), formatDateTime(facts.createdAt)],
      [l10n.t('Started'), formatDateTime(facts.startedAt)],
      [l10n.t('Ended'), formatDateTime(facts.finishedAt)],
      [l10n.t('Exit code'), exitText(facts)],
    ),
    ...(oomKilled
      ? [{ label: l10n.t('Out of memory'), value: memoryKill(facts), isBad: true as const }]
      : []),
    ...plainRows(
      [l10n.t('Restarts'), String(restartCount)],
      [l10n.t('Restart policy'), restartPolicy || l10n.t('none')],
      [l10n.t('PID on the host'), hostPid === undefined ? '' : String(hostPid)],
    ),
    { label: l10n.t('ID'), value: shortId(facts.id), copied: facts.id },
  ];
}

function memoryKill({ exitCode }: DescribedContainer): string {
  return exitCode === undefined ? l10n.t('A process in the container was killed.') : l10n.t('yes');
}

function imageRows(facts: DescribedContainer, isMasked: IsMasked): readonly SourceRow[] {
  const { image, imageId, command, healthcheck } = facts;
  const id = imageId === '' ? undefined : imageId;
  const target = id && ({ kind: 'image', id, name: image } as const);
  return [
    {
      label: l10n.t('Image'),
      value: image || shortId(imageId),
      ...(target && { note: shortId(imageId), act: { kind: 'details' as const, target } }),
    },
    ...hiddenRow(l10n.t('Command'), command, 'command', isMasked),
    ...hiddenRow(l10n.t('Health check'), healthcheck, 'healthcheck', isMasked),
    ...plainRows(
      [l10n.t('Working directory'), facts.workingDir],
      [l10n.t('User'), facts.user || l10n.t('image default')],
      [l10n.t('Host name'), facts.hostname],
    ),
  ];
}

function projectRows(facts: DescribedContainer, engine: string): readonly SourceRow[] {
  const { project = '', service = '', composeFiles = [] } = facts;
  const argument = { project, ...(service !== '' && { service }), engine };
  const open = (file: string): SourceRow => ({
    label: l10n.t('Compose file'),
    value: file,
    act: { kind: 'command', id: 'gantry.projects.openFile', argument: { ...argument, file } },
  });
  return [
    ...plainRows([l10n.t('Project'), project], [l10n.t('Service'), service]),
    ...(project === '' ? [] : composeFiles.map(open)),
  ];
}

function differenceRow({ what, before, after }: Difference, isMasked: IsMasked): SourceRow {
  const names: Readonly<Record<Difference['what'], () => string>> = {
    entrypoint: () => l10n.t('Entrypoint'),
    cmd: () => l10n.t('Command'),
    user: () => l10n.t('User'),
    workingDir: () => l10n.t('Working directory'),
    env: () => l10n.t('Variables'),
    ports: () => l10n.t('Exposed ports'),
    labels: () => l10n.t('Labels'),
    healthcheck: () => l10n.t('Health check'),
    stopSignal: () => l10n.t('Stop signal'),
  };
  const isList = what === 'env' || what === 'ports' || what === 'labels';
  const note = before === '' ? l10n.t('not set in the image') : l10n.t('in the image: {0}', before);
  const value = after === '' ? l10n.t('none') : after;
  const hiddenKey = `after ${what}`;
  return {
    label: names[what](),
    value,
    ...(!isList && { note }),
    ...(isMasked(hiddenKey) && { hiddenKey }),
  };
}

function portRows({ id, ports }: DescribedContainer, engine: string): readonly SourceRow[] {
  return ports.flatMap(({ port, protocol, published }): readonly SourceRow[] => {
    const label = `${port}/${protocol}`;
    if (published.length === 0) return [{ label, value: l10n.t('not published') }];
    return published.map(({ ip, port: outside }) => ({
      label,
      value: ip === '' ? String(outside) : `${ip.includes(':') ? `[${ip}]` : ip}:${outside}`,
      ...(protocol === 'tcp' && {
        act: {
          kind: 'command' as const,
          id: 'gantry.containers.openInBrowser' as const,
          argument: { id, port: outside, engine },
        },
      }),
    }));
  });
}

function mountRow({ type, target, source, isReadOnly, workspaceFolder }: MountFacts): SourceRow {
  const isIn = workspaceFolder !== undefined;
  const note = joinParts(
    type,
    isReadOnly ? l10n.t('read-only') : '',
    isIn ? l10n.t('your workspace folder') : '',
  );
  const volume = { kind: 'volume', id: source, name: source } as const;
  return {
    label: target,
    value: source === '' ? type : source,
    note: source === '' ? '' : note,
    ...(type === 'volume' && source !== '' && { act: { kind: 'details', target: volume } }),
  };
}
