/** The rows of the create form, in order. */

import {
  choiceFieldRow,
  flagFieldRow,
  listFieldRow,
  imageDefaultText,
  textFieldRow,
  commandLineFieldRow,
  type CreateFormState,
} from './createFormState.ts';
import { labelEntries, readLabels, commandLineText } from './createDraft.ts';
import { healthRow } from './healthRow.ts';
import { envRow, mountsRow, portsRow } from './createImageRows.ts';
import type { FormRow } from '../forms/form.ts';
import { listRow, validationMessage } from '../forms/formRows.ts';

/** Returns all rows except those for the image. */
export function createRows(desk: CreateFormState): readonly FormRow[] {
  const { l10n } = desk.ui;
  return [
    ...usualRows(desk),
    ...group(l10n.t('process'), processRows(desk)),
    ...group(l10n.t('limits'), limitRows(desk)),
    ...group(l10n.t('network'), networkRows(desk)),
    ...group(l10n.t('machine'), machineRows(desk)),
  ];
}

function group(heading: string, [first, ...others]: readonly FormRow[]): readonly FormRow[] {
  return first ? [{ ...first, heading }, ...others] : [];
}

/** Returns the row for the command. */
export function commandRow(desk: CreateFormState): FormRow {
  const { l10n } = desk.ui;
  const { draft, defaults } = desk;
  // An entrypoint in the options drops the command of the image.
  const otherwise =
    (draft.entrypoint ?? []).length > 0
      ? l10n.t('none')
      : imageDefaultText(desk, defaults && commandLineText(defaults.cmd));
  return commandLineFieldRow(desk, 'cmd', l10n.t('Command'), otherwise);
}

/** The rows that users need most. */
function usualRows(desk: CreateFormState): readonly FormRow[] {
  const { l10n } = desk.ui;
  return [
    commandRow(desk),
    textFieldRow(desk, 'name', l10n.t('Name'), 'web', l10n.t('a random one')),
    envRow(desk),
    portsRow(desk),
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
  const { l10n } = desk.ui;
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
  const { l10n } = desk.ui;
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
  const { l10n } = desk.ui;
  return [
    textFieldRow(desk, 'hostname', l10n.t('Host name'), 'web.example', l10n.t('its short id')),
    listFieldRow(desk, 'dns', l10n.t('Name servers'), l10n.t('an IP address'), '9.9.9.9'),
    listFieldRow(desk, 'extraHosts', l10n.t('Hosts'), 'name:address', 'db:10.0.0.1'),
    flagFieldRow(desk, 'publishAll', l10n.t('Publish every exposed port')),
  ];
}

function machineRows(desk: CreateFormState): readonly FormRow[] {
  const { l10n } = desk.ui;
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
  const { l10n } = desk.ui;
  const label = l10n.t('Labels');
  const count = desk.defaults?.labelCount ?? 0;
  return listRow(desk.ui, {
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

/** Returns the row for the restart policy. */
function restartRow(desk: CreateFormState): FormRow {
  const { l10n } = desk.ui;
  const choices = [
    { label: 'no', detail: l10n.t('It stays as it ended'), value: undefined },
    { label: 'always', detail: l10n.t('Whenever it ends, and with the engine'), value: 'always' },
    {
      label: 'unless-stopped',
      detail: l10n.t('As always, but not once you have stopped it'),
      value: 'unless-stopped',
    },
    { label: 'on-failure', detail: l10n.t('When it ends with a failure'), value: 'on-failure' },
  ];
  return choiceFieldRow(desk, 'restart', l10n.t('Restart policy'), choices, {
    label: 'on-failure:…',
    detail: l10n.t('The same, so many times at most'),
    prompt: l10n.t('How many times to try again'),
    value: /^on-failure:(\d+)$/.exec(desk.draft.restart ?? '')?.[1] ?? '3',
    prefix: 'on-failure:',
  });
}

/** Returns the row for the network. */
function networkRow(desk: CreateFormState): FormRow {
  const { l10n } = desk.ui;
  const names = ['bridge', 'host', 'none'];
  const choices = [
    { label: l10n.t('the engine’s usual one'), value: undefined },
    ...names.map((name) => ({ label: name, value: name })),
  ];
  return choiceFieldRow(desk, 'network', l10n.t('Network'), choices, {
    label: l10n.t('Another…'),
    prompt: l10n.t('The name of a network, or container: and the id of one to share its network'),
    value: desk.draft.network ?? '',
    prefix: '',
  });
}
