/** Which rows the create form has, in order. */

import * as vscode from 'vscode';

import { networkRow, restartRow } from './createChoiceRows.ts';
import {
  flagFieldRow,
  listFieldRow,
  imageDefaultText,
  textFieldRow,
  commandLineFieldRow,
  type CreateFormState,
} from './createFormState.ts';
import { labelEntries, readLabels, commandLineText } from './createDraft.ts';
import { healthRow } from './healthRow.ts';
import { envRow, mountsRow, portsRow, type SuggestPort } from './createImageRows.ts';
import type { FormRow } from '../forms/form.ts';
import { listRow, validationMessage } from '../forms/formRows.ts';

const { l10n } = vscode;

/** All rows but those for the image itself. */
export function createRows(desk: CreateFormState, seams: RowDependencies): readonly FormRow[] {
  return [
    ...usualRows(desk, seams),
    ...group(l10n.t('process'), processRows(desk)),
    ...group(l10n.t('limits'), limitRows(desk)),
    ...group(l10n.t('network'), networkRows(desk)),
    ...group(l10n.t('machine'), machineRows(desk)),
  ];
}

/** What the rows need of an engine. */
export interface RowDependencies {
  readonly canUnset: boolean;
  readonly suggestPort: SuggestPort;
}

function group(heading: string, [first, ...others]: readonly FormRow[]): readonly FormRow[] {
  return first ? [{ ...first, heading }, ...others] : [];
}

/** The row for what the container runs. */
export function commandRow(desk: CreateFormState): FormRow {
  const { draft, defaults } = desk;
  // An entrypoint of one's own takes the image's command away.
  const otherwise =
    (draft.entrypoint ?? []).length > 0
      ? l10n.t('none')
      : imageDefaultText(desk, defaults && commandLineText(defaults.cmd));
  return commandLineFieldRow(desk, 'cmd', l10n.t('Command'), otherwise);
}

/** What people set most. */
function usualRows(
  desk: CreateFormState,
  { canUnset, suggestPort }: RowDependencies,
): readonly FormRow[] {
  return [
    commandRow(desk),
    textFieldRow(desk, 'name', l10n.t('Name'), 'web', l10n.t('a random one')),
    envRow(desk, canUnset),
    portsRow(desk, suggestPort),
    mountsRow(desk),
    restartRow(desk),
    flagFieldRow(desk, 'autoRemove', l10n.t('Remove when it stops')),
    flagFieldRow(desk, 'tty', l10n.t('Terminal (TTY)')),
    flagFieldRow(desk, 'openStdin', l10n.t('Keep input open')),
    networkRow(desk),
    labelsRow(desk),
  ];
}

function processRows(desk: CreateFormState): readonly FormRow[] {
  const { defaults } = desk;
  const entrypoint = imageDefaultText(desk, defaults && commandLineText(defaults.entrypoint));
  const folder = imageDefaultText(desk, defaults?.workingDir);
  const user = imageDefaultText(desk, defaults?.user);
  const usual = l10n.t('the usual one');
  return [
    commandLineFieldRow(desk, 'entrypoint', l10n.t('Entrypoint'), entrypoint),
    textFieldRow(desk, 'workingDir', l10n.t('Working directory'), '/work', folder),
    textFieldRow(desk, 'user', l10n.t('User'), '1000:1000', user),
    healthRow(desk),
    flagFieldRow(desk, 'init', l10n.t('Init process')),
    textFieldRow(desk, 'stopSignal', l10n.t('Stop signal'), 'SIGINT', usual),
    textFieldRow(desk, 'stopTimeout', l10n.t('Seconds to stop in'), '30', usual),
  ];
}

function limitRows(desk: CreateFormState): readonly FormRow[] {
  const none = l10n.t('no limit');
  const size = l10n.t('the engine’s usual size');
  return [
    textFieldRow(desk, 'memory', l10n.t('Memory'), '512m', none),
    textFieldRow(desk, 'cpus', l10n.t('Processors'), '1.5', none),
    textFieldRow(desk, 'pidsLimit', l10n.t('Processes'), '200', none),
    textFieldRow(desk, 'shmSize', l10n.t('Shared memory'), '1g', size),
  ];
}

function networkRows(desk: CreateFormState): readonly FormRow[] {
  return [
    textFieldRow(desk, 'hostname', l10n.t('Host name'), 'web.example', l10n.t('its short id')),
    listFieldRow(desk, 'dns', l10n.t('Name servers'), l10n.t('an IP address'), '9.9.9.9'),
    listFieldRow(desk, 'extraHosts', l10n.t('Hosts'), 'name:address', 'db:10.0.0.1'),
    flagFieldRow(desk, 'publishAll', l10n.t('Publish every exposed port')),
  ];
}

function machineRows(desk: CreateFormState): readonly FormRow[] {
  const tmpfs = l10n.t('/path[:options]');
  const capability = l10n.t('NAME or ALL');
  const option = l10n.t('an option');
  const device = '/dev/source[:/dev/target][:rwm]';
  const platform = l10n.t('the engine’s own');
  return [
    flagFieldRow(desk, 'readOnly', l10n.t('Read-only file system')),
    listFieldRow(desk, 'tmpfs', l10n.t('Folders in memory'), tmpfs, '/run:size=64m'),
    flagFieldRow(desk, 'privileged', l10n.t('Privileged')),
    listFieldRow(desk, 'capAdd', l10n.t('Capabilities added'), capability, 'NET_ADMIN'),
    listFieldRow(desk, 'capDrop', l10n.t('Capabilities dropped'), capability, 'ALL'),
    listFieldRow(desk, 'securityOpt', l10n.t('Security options'), option, 'no-new-privileges'),
    listFieldRow(desk, 'devices', l10n.t('Devices'), device, '/dev/fuse'),
    textFieldRow(desk, 'platform', l10n.t('Platform'), 'linux/arm64', platform),
  ];
}

function labelsRow(desk: CreateFormState): FormRow {
  const label = l10n.t('Labels');
  const count = desk.defaults?.labelCount ?? 0;
  return listRow({
    label,
    title: desk.titleOf(label),
    entries: labelEntries(desk.draft.labels),
    ...(count > 0 && { otherwise: l10n.t('none but {0} of the image', count) }),
    form: 'name=value',
    example: 'com.example.owner=me',
    problem: (text) => validationMessage(() => readLabels([text], l10n)),
    keep: (entries) => {
      desk.keep('labels', entries.length === 0 ? undefined : readLabels(entries, l10n));
    },
  });
}
