/** Which rows the create form has, in order. */

import * as vscode from 'vscode';

import {
  checkContainerName,
  checkPlatform,
  checkUser,
  checkWorkingDir,
  readMemoryLimit,
} from '../../engine/options/createSpec.ts';
import {
  checkCapability,
  checkDns,
  checkExtraHost,
  checkHostname,
  checkPidsLimit,
  checkSecurityOption,
  checkSignal,
  checkStopTimeout,
  parseDevice,
  parseTmpfs,
} from '../../engine/options/hostOptions.ts';
import { parseMemory, readCpus } from '../../engine/options/quantities.ts';
import { networkRow, restartRow } from './createChoiceRows.ts';
import {
  flagFieldRow,
  listFieldRow,
  numberFieldRow,
  imageDefaultText,
  textFieldRow,
  commandLineFieldRow,
  type CreateFormState,
} from './createFormState.ts';
import { labelEntries, readLabels, readWholeNumber, commandLineText } from './createDraft.ts';
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
  const ownEntrypoint = (draft.entrypoint ?? []).length > 0;
  return commandLineFieldRow(desk, 'cmd', {
    label: l10n.t('Command'),
    // An entrypoint of one's own takes the image's command away.
    otherwise: ownEntrypoint
      ? l10n.t('none')
      : imageDefaultText(desk, defaults && commandLineText(defaults.cmd)),
  });
}

/** What people set most. */
function usualRows(
  desk: CreateFormState,
  { canUnset, suggestPort }: RowDependencies,
): readonly FormRow[] {
  const name = {
    label: l10n.t('Name'),
    otherwise: l10n.t('a random one'),
    example: 'web',
  };
  return [
    commandRow(desk),
    textFieldRow(desk, 'name', name, checkContainerName),
    envRow(desk, canUnset),
    portsRow(desk, suggestPort),
    mountsRow(desk),
    choiceRow(desk, 'restart', l10n.t('Restart policy')),
    flagFieldRow(desk, 'autoRemove', l10n.t('Remove when it stops')),
    flagFieldRow(desk, 'tty', l10n.t('Terminal (TTY)')),
    flagFieldRow(desk, 'openStdin', l10n.t('Keep input open')),
    choiceRow(desk, 'network', l10n.t('Network')),
    labelsRow(desk),
  ];
}

function processRows(desk: CreateFormState): readonly FormRow[] {
  const { defaults } = desk;
  const entrypoint = defaults && commandLineText(defaults.entrypoint);
  const row = (label: string, otherwise: string, example: string) => ({
    label,
    otherwise,
    example,
  });
  const usual = l10n.t('the usual one');
  return [
    commandLineFieldRow(desk, 'entrypoint', {
      label: l10n.t('Entrypoint'),
      otherwise: imageDefaultText(desk, entrypoint),
    }),
    textFieldRow(
      desk,
      'workingDir',
      row(l10n.t('Working directory'), imageDefaultText(desk, defaults?.workingDir), '/work'),
      checkWorkingDir,
    ),
    textFieldRow(
      desk,
      'user',
      row(l10n.t('User'), imageDefaultText(desk, defaults?.user), '1000:1000'),
      checkUser,
    ),
    healthRow(desk),
    flagFieldRow(desk, 'init', l10n.t('Init process')),
    textFieldRow(desk, 'stopSignal', row(l10n.t('Stop signal'), usual, 'SIGINT'), checkSignal),
    numberFieldRow(desk, 'stopTimeout', row(l10n.t('Seconds to stop in'), usual, '30'), (text) =>
      checkStopTimeout(readWholeNumber(text), l10n, text),
    ),
  ];
}

function limitRows(desk: CreateFormState): readonly FormRow[] {
  const row = (label: string, example: string, otherwise = l10n.t('no limit')) => ({
    label,
    otherwise,
    example,
  });
  return [
    textFieldRow(desk, 'memory', row(l10n.t('Memory'), '512m'), readMemoryLimit),
    numberFieldRow(desk, 'cpus', row(l10n.t('Processors'), '1.5'), readCpus),
    numberFieldRow(desk, 'pidsLimit', row(l10n.t('Processes'), '200'), (text) =>
      checkPidsLimit(readWholeNumber(text), l10n, text),
    ),
    textFieldRow(
      desk,
      'shmSize',
      row(l10n.t('Shared memory'), '1g', l10n.t('the engine’s usual size')),
      parseMemory,
    ),
  ];
}

function networkRows(desk: CreateFormState): readonly FormRow[] {
  const hostname = {
    label: l10n.t('Host name'),
    otherwise: l10n.t('its short id'),
    example: 'web.example',
  };
  const dns = { label: l10n.t('Name servers'), form: l10n.t('an IP address'), example: '9.9.9.9' };
  const hosts = { label: l10n.t('Hosts'), form: 'name:address', example: 'db:10.0.0.1' };
  return [
    textFieldRow(desk, 'hostname', hostname, checkHostname),
    listFieldRow(desk, 'dns', dns, checkDns),
    listFieldRow(desk, 'extraHosts', hosts, checkExtraHost),
    flagFieldRow(desk, 'publishAll', l10n.t('Publish every exposed port')),
  ];
}

function machineRows(desk: CreateFormState): readonly FormRow[] {
  const row = (label: string, form: string, example: string) => ({ label, form, example });
  const capability = l10n.t('NAME or ALL');
  return [
    flagFieldRow(desk, 'readOnly', l10n.t('Read-only file system')),
    listFieldRow(
      desk,
      'tmpfs',
      row(l10n.t('Folders in memory'), l10n.t('/path[:options]'), '/run:size=64m'),
      parseTmpfs,
    ),
    flagFieldRow(desk, 'privileged', l10n.t('Privileged')),
    listFieldRow(
      desk,
      'capAdd',
      row(l10n.t('Capabilities added'), capability, 'NET_ADMIN'),
      checkCapability,
    ),
    listFieldRow(
      desk,
      'capDrop',
      row(l10n.t('Capabilities dropped'), capability, 'ALL'),
      checkCapability,
    ),
    listFieldRow(
      desk,
      'securityOpt',
      row(l10n.t('Security options'), l10n.t('an option'), 'no-new-privileges'),
      checkSecurityOption,
    ),
    listFieldRow(
      desk,
      'devices',
      row(l10n.t('Devices'), '/dev/source[:/dev/target][:rwm]', '/dev/fuse'),
      parseDevice,
    ),
    textFieldRow(
      desk,
      'platform',
      {
        label: l10n.t('Platform'),
        otherwise: l10n.t('the engine’s own'),
        example: 'linux/arm64',
      },
      checkPlatform,
    ),
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

function choiceRow(desk: CreateFormState, field: 'restart' | 'network', label: string): FormRow {
  const make = field === 'restart' ? restartRow : networkRow;
  return make(desk.titleOf(label), label, desk.draft[field], (chosen) => {
    desk.keep(field, chosen);
  });
}
