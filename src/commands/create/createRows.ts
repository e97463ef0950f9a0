/** The rows of the create form, in order. */

import * as l10n from '@vscode/l10n';
import {
  commandLineRow,
  flagOptionRow,
  imageDefaultText,
  listOptionRow,
  textOptionRow,
  type CreateRow,
} from './optionRows.ts';
import { PREDEFINED_NETWORKS } from '../../engine/model.ts';
import { OPTIONS } from '../../engine/options/options.ts';
import {
  labelEntries,
  maskedCommandLine,
  readLabels,
  type CreateFormDraft,
} from './createDraft.ts';
import type { FormDependencies } from './formDependencies.ts';
import { healthRow } from './healthRow.ts';
import { envRow, portsRow } from './createImageRows.ts';
import { mountsRow } from './mountsRow.ts';
import { maskAssignment } from '../../engine/options/secretDetection.ts';
import type { StepChoice } from '../ui/askChoice.ts';
import { withHeading } from '../ui/askReference.ts';

/** Returns all rows except those for the image. */
export function createRows(
  draft: CreateFormDraft,
  dependencies: FormDependencies,
): readonly CreateRow[] {
  return [
    ...usualRows(draft, dependencies),
    ...group(l10n.t('process'), processRows(draft)),
    ...group(l10n.t('limits'), limitRows(draft)),
    ...group(l10n.t('network'), networkRows(draft)),
    ...group(l10n.t('security and devices'), machineRows(draft)),
  ];
}

function group(heading: string, [first, ...others]: readonly CreateRow[]): readonly CreateRow[] {
  return first ? [{ ...first, heading }, ...others] : [];
}

export function commandRow(draft: CreateFormDraft): CreateRow {
  const { defaults } = draft;
  // An entrypoint in the options drops the command of the image.
  const otherwise =
    (draft.entrypoint ?? []).length > 0
      ? l10n.t('none')
      : imageDefaultText(draft, defaults && maskedCommandLine(defaults.cmd));
  return commandLineRow(draft, 'cmd', l10n.t('Command'), otherwise);
}

/** The rows that users need most. */
function usualRows(draft: CreateFormDraft, dependencies: FormDependencies): readonly CreateRow[] {
  return [
    commandRow(draft),
    textOptionRow(draft, 'name', l10n.t('Name'), 'web', l10n.t('random')),
    envRow(draft, dependencies),
    portsRow(draft, dependencies),
    mountsRow(draft, dependencies),
    restartRow(draft),
    flagOptionRow(draft, 'autoRemove', l10n.t('Remove on exit (--rm)')),
    flagOptionRow(draft, 'tty', l10n.t('Terminal (TTY)')),
    flagOptionRow(draft, 'openStdin', l10n.t('Keep STDIN open')),
    networkRow(draft, dependencies),
    labelsRow(draft),
  ];
}

function processRows(draft: CreateFormDraft): readonly CreateRow[] {
  const { defaults } = draft;
  const entrypoint = imageDefaultText(draft, defaults && maskedCommandLine(defaults.entrypoint));
  const folder = imageDefaultText(draft, defaults?.workingDir);
  const user = imageDefaultText(draft, defaults?.user);
  const usual = l10n.t('default');
  return [
    commandLineRow(draft, 'entrypoint', l10n.t('Entrypoint'), entrypoint),
    textOptionRow(draft, 'workingDir', l10n.t('Working directory'), '/work', folder),
    textOptionRow(draft, 'user', l10n.t('User'), '1000:1000', user),
    healthRow(draft),
    flagOptionRow(draft, 'init', l10n.t('Init process')),
    textOptionRow(draft, 'stopSignal', l10n.t('Stop signal'), 'SIGINT', usual),
    textOptionRow(draft, 'stopTimeout', l10n.t('Stop timeout (seconds)'), '30', usual),
  ];
}

function limitRows(draft: CreateFormDraft): readonly CreateRow[] {
  const none = l10n.t('no limit');
  const size = l10n.t('engine default');
  return [
    textOptionRow(draft, 'memory', l10n.t('Memory'), '512m', none),
    textOptionRow(draft, 'cpus', l10n.t('CPUs'), '1.5', none),
    textOptionRow(draft, 'pidsLimit', l10n.t('PIDs limit'), '200', none),
    textOptionRow(draft, 'shmSize', l10n.t('Shared memory (/dev/shm)'), '1g', size),
  ];
}

function networkRows(draft: CreateFormDraft): readonly CreateRow[] {
  return [
    textOptionRow(
      draft,
      'hostname',
      l10n.t('Host name'),
      'web.example',
      l10n.t('short container ID'),
    ),
    listOptionRow('dns', l10n.t('DNS servers'), l10n.t('an IP address'), '9.9.9.9'),
    listOptionRow('extraHosts', l10n.t('Extra hosts'), 'name:address', 'db:10.0.0.1'),
    flagOptionRow(draft, 'publishAll', l10n.t('Publish all exposed ports')),
  ];
}

function machineRows(draft: CreateFormDraft): readonly CreateRow[] {
  const tmpfs = l10n.t('/path[:options]');
  const capability = l10n.t('NAME or ALL');
  const option = l10n.t('an option');
  const device = '/dev/source[:/dev/target][:rwm]';
  const platform = l10n.t('engine default');
  return [
    flagOptionRow(draft, 'readOnly', l10n.t('Read-only file system')),
    listOptionRow('tmpfs', l10n.t('tmpfs mounts'), tmpfs, '/run:size=64m'),
    flagOptionRow(draft, 'privileged', l10n.t('Privileged')),
    listOptionRow('capAdd', l10n.t('Added capabilities'), capability, 'NET_ADMIN'),
    listOptionRow('capDrop', l10n.t('Dropped capabilities'), capability, 'ALL'),
    listOptionRow('securityOpt', l10n.t('Security options'), option, 'no-new-privileges'),
    listOptionRow('devices', l10n.t('Devices'), device, '/dev/fuse'),
    textOptionRow(draft, 'platform', l10n.t('Platform'), 'linux/arm64', platform),
  ];
}

function labelsRow({ labels, defaults }: CreateFormDraft): CreateRow {
  const count = defaults?.labelCount ?? 0;
  return {
    kind: 'list',
    label: l10n.t('Labels'),
    form: 'name=value',
    example: 'com.example.owner=me',
    otherwise: count > 0 ? l10n.t('none ({0} from the image)', count) : undefined,
    mask: maskAssignment,
    check: (text) => readLabels([text]),
    value: labelEntries(labels),
    keep: (entries) => ({ labels: entries.length === 0 ? undefined : readLabels(entries) }),
  };
}

function restartRow({ restart = '' }: CreateFormDraft): CreateRow {
  return {
    kind: 'choice',
    field: 'restart',
    label: l10n.t('Restart policy'),
    choices: [
      { label: 'no', detail: l10n.t('Do not restart'), value: undefined },
      choice('always', l10n.t('Always restart, also when the engine starts')),
      choice('unless-stopped', l10n.t('Always restart unless you stopped it')),
      choice('on-failure', l10n.t('Restart on a non-zero exit code')),
    ],
    other: {
      label: 'on-failure:…',
      detail: l10n.t('Restart on a non-zero exit code, with a maximum number of retries'),
      prompt: l10n.t('Maximum number of retries'),
      value: /^on-failure:(\d+)$/.exec(restart)?.[1] ?? '3',
      prefix: 'on-failure:',
      check: OPTIONS.restart.check,
    },
  };
}

function choice(value: string, detail?: string): StepChoice<string> {
  return { label: value, detail, value };
}

function networkRow({ network = '' }: CreateFormDraft, { networks }: FormDependencies): CreateRow {
  return {
    kind: 'choice',
    field: 'network',
    label: l10n.t('Network'),
    choices: [
      { label: l10n.t('engine default'), value: undefined },
      ...PREDEFINED_NETWORKS.map((name) => choice(name)),
    ],
    more: async () => {
      const known = (await networks()).filter((name) => !PREDEFINED_NETWORKS.includes(name));
      const choices = known.map((name) => choice(name));
      return withHeading(l10n.t('networks of the engine'), choices);
    },
    other: {
      label: l10n.t('Other...'),
      prompt: l10n.t('Network name, or container:<ID> to share the network of a container'),
      value: network,
      prefix: '',
      check: OPTIONS.network.check,
    },
  };
}
