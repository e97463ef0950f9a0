/** The rows of the create form, in order. */

import * as l10n from '@vscode/l10n';
import {
  choiceFieldRow,
  flagFieldRow,
  listFieldRow,
  imageDefaultText,
  textFieldRow,
  commandLineFieldRow,
  type CreateFormState,
} from './createFormState.ts';
import { PREDEFINED_NETWORKS } from '../../engine/model.ts';
import { labelEntries, maskedCommandLine, readLabels } from './createDraft.ts';
import { healthRow } from './healthRow.ts';
import { envRow, mountsRow, portsRow } from './createImageRows.ts';
import { maskAssignment } from '../../engine/options/secretDetection.ts';
import type { FormRow } from '../ui/form.ts';
import { listRow, validationMessage } from '../ui/formRows.ts';

/** Returns all rows except those for the image. */
export function createRows(state: CreateFormState): readonly FormRow[] {
  return [
    ...usualRows(state),
    ...group(l10n.t('process'), processRows(state)),
    ...group(l10n.t('limits'), limitRows(state)),
    ...group(l10n.t('network'), networkRows(state)),
    ...group(l10n.t('security and devices'), machineRows(state)),
  ];
}

function group(heading: string, [first, ...others]: readonly FormRow[]): readonly FormRow[] {
  return first ? [{ ...first, heading }, ...others] : [];
}

/** Returns the row for the command. */
export function commandRow(state: CreateFormState): FormRow {
  const { draft, defaults } = state;
  // An entrypoint in the options drops the command of the image.
  const otherwise =
    (draft.entrypoint ?? []).length > 0
      ? l10n.t('none')
      : imageDefaultText(state, defaults && maskedCommandLine(defaults.cmd));
  return commandLineFieldRow(state, 'cmd', l10n.t('Command'), otherwise);
}

/** The rows that users need most. */
function usualRows(state: CreateFormState): readonly FormRow[] {
  return [
    commandRow(state),
    textFieldRow(state, 'name', l10n.t('Name'), 'web', l10n.t('random')),
    envRow(state),
    portsRow(state),
    mountsRow(state),
    restartRow(state),
    flagFieldRow(state, 'autoRemove', l10n.t('Remove on exit (--rm)')),
    flagFieldRow(state, 'tty', l10n.t('Terminal (TTY)')),
    flagFieldRow(state, 'openStdin', l10n.t('Keep STDIN open')),
    networkRow(state),
    labelsRow(state),
  ];
}

function processRows(state: CreateFormState): readonly FormRow[] {
  const { defaults } = state;
  const entrypoint = imageDefaultText(state, defaults && maskedCommandLine(defaults.entrypoint));
  const folder = imageDefaultText(state, defaults?.workingDir);
  const user = imageDefaultText(state, defaults?.user);
  const usual = l10n.t('default');
  return [
    commandLineFieldRow(state, 'entrypoint', l10n.t('Entrypoint'), entrypoint),
    textFieldRow(state, 'workingDir', l10n.t('Working directory'), '/work', folder),
    textFieldRow(state, 'user', l10n.t('User'), '1000:1000', user),
    healthRow(state),
    flagFieldRow(state, 'init', l10n.t('Init process')),
    textFieldRow(state, 'stopSignal', l10n.t('Stop signal'), 'SIGINT', usual),
    textFieldRow(state, 'stopTimeout', l10n.t('Stop timeout (seconds)'), '30', usual),
  ];
}

function limitRows(state: CreateFormState): readonly FormRow[] {
  const none = l10n.t('no limit');
  const size = l10n.t('engine default');
  return [
    textFieldRow(state, 'memory', l10n.t('Memory'), '512m', none),
    textFieldRow(state, 'cpus', l10n.t('CPUs'), '1.5', none),
    textFieldRow(state, 'pidsLimit', l10n.t('PIDs limit'), '200', none),
    textFieldRow(state, 'shmSize', l10n.t('Shared memory (/dev/shm)'), '1g', size),
  ];
}

function networkRows(state: CreateFormState): readonly FormRow[] {
  return [
    textFieldRow(
      state,
      'hostname',
      l10n.t('Host name'),
      'web.example',
      l10n.t('short container ID'),
    ),
    listFieldRow(state, 'dns', l10n.t('DNS servers'), l10n.t('an IP address'), '9.9.9.9'),
    listFieldRow(state, 'extraHosts', l10n.t('Extra hosts'), 'name:address', 'db:10.0.0.1'),
    flagFieldRow(state, 'publishAll', l10n.t('Publish all exposed ports')),
  ];
}

function machineRows(state: CreateFormState): readonly FormRow[] {
  const tmpfs = l10n.t('/path[:options]');
  const capability = l10n.t('NAME or ALL');
  const option = l10n.t('an option');
  const device = '/dev/source[:/dev/target][:rwm]';
  const platform = l10n.t('engine default');
  return [
    flagFieldRow(state, 'readOnly', l10n.t('Read-only file system')),
    listFieldRow(state, 'tmpfs', l10n.t('tmpfs mounts'), tmpfs, '/run:size=64m'),
    flagFieldRow(state, 'privileged', l10n.t('Privileged')),
    listFieldRow(state, 'capAdd', l10n.t('Added capabilities'), capability, 'NET_ADMIN'),
    listFieldRow(state, 'capDrop', l10n.t('Dropped capabilities'), capability, 'ALL'),
    listFieldRow(state, 'securityOpt', l10n.t('Security options'), option, 'no-new-privileges'),
    listFieldRow(state, 'devices', l10n.t('Devices'), device, '/dev/fuse'),
    textFieldRow(state, 'platform', l10n.t('Platform'), 'linux/arm64', platform),
  ];
}

function labelsRow(state: CreateFormState): FormRow {
  const label = l10n.t('Labels');
  const count = state.defaults?.labelCount ?? 0;
  return listRow(state.ui, {
    label,
    title: state.titleOf(label),
    entries: labelEntries(state.draft.labels),
    mask: maskAssignment,
    ...(count > 0 && { otherwise: l10n.t('none ({0} from the image)', count) }),
    form: 'name=value',
    example: 'com.example.owner=me',
    problem: (text) => validationMessage(() => readLabels([text])),
    keep: (entries) => {
      state.keep('labels', entries.length === 0 ? undefined : readLabels(entries));
    },
  });
}

/** Returns the row for the restart policy. */
function restartRow(state: CreateFormState): FormRow {
  const choices = [
    { label: 'no', detail: l10n.t('Do not restart'), value: undefined },
    {
      label: 'always',
      detail: l10n.t('Always restart, also when the engine starts'),
      value: 'always',
    },
    {
      label: 'unless-stopped',
      detail: l10n.t('Always restart unless you stopped it'),
      value: 'unless-stopped',
    },
    { label: 'on-failure', detail: l10n.t('Restart on a non-zero exit code'), value: 'on-failure' },
  ];
  return choiceFieldRow(state, 'restart', l10n.t('Restart policy'), choices, {
    label: 'on-failure:…',
    detail: l10n.t('Restart on a non-zero exit code, with a maximum number of retries'),
    prompt: l10n.t('Maximum number of retries'),
    value: /^on-failure:(\d+)$/.exec(state.draft.restart ?? '')?.[1] ?? '3',
    prefix: 'on-failure:',
  });
}

/** Returns the row for the network. */
function networkRow(state: CreateFormState): FormRow {
  const choices = [
    { label: l10n.t('engine default'), value: undefined },
    ...PREDEFINED_NETWORKS.map((name) => ({ label: name, value: name })),
  ];
  return choiceFieldRow(state, 'network', l10n.t('Network'), choices, {
    label: l10n.t('Other...'),
    prompt: l10n.t('Network name, or container:<ID> to share the network of a container'),
    value: state.draft.network ?? '',
    prefix: '',
  });
}
