/** Formats a container as the `docker run` command that would create and start it. */

import { formatCommandLine } from '../engine/options/parseCommandLine.ts';
import { isTypedMount } from '../engine/options/typedMount.ts';
import type { ContainerOption } from '../engine/options/containerOption.ts';
import { optionsInOrder, type CreateArguments } from '../engine/options/options.ts';
import { asNumber, asText, asTextMap, asTexts } from '../engine/wire/wire.ts';
import { quotePowerShellArguments, quoteShellArguments } from '../engine/options/shellQuoting.ts';

/** Formats the command for any POSIX shell. */
export function formatRunCommand(args: CreateArguments): string {
  return quoteShellArguments(runCommandArguments(args));
}

/**
 * Returns the arguments of `docker run`, starting with `docker`. Compatible command lines accept the same arguments.
 */
export function runCommandArguments(args: CreateArguments): readonly string[] {
  const given: Readonly<Record<string, unknown>> = args;
  const [program, ...first] = args.entrypoint ?? [];
  return [
    'docker',
    'run',
    // Detached, unless STDIN is kept open.
    args.openStdin === true ? '-i' : '-d',
    ...ORDERED.flatMap(([name, row]) => optionArguments(row, given[name])),
    ...healthArguments(args),
    ...flagArguments('--entrypoint', program),
    args.image,
    ...first,
    ...(args.cmd ?? []),
  ];
}

/** The order in which people usually write the options. */
const ORDERED = optionsInOrder(
  'tty autoRemove name restart platform env unsetEnv workingDir user stopSignal stopTimeout init labels ports ' +
    'publishAll network hostname dns extraHosts mounts tmpfs devices memory shmSize cpus pidsLimit readOnly ' +
    'privileged capAdd capDrop securityOpt',
);

function optionArguments({ kind, flag }: ContainerOption, value: unknown): readonly string[] {
  if (flag === undefined || value === undefined) return [];
  if (kind === 'boolean') return value === true ? [flag] : [];
  if (kind === 'texts')
    return asTexts(value).flatMap((entry) => [
      flag === '-v' && isTypedMount(entry) ? '--mount' : flag,
      entry,
    ]);
  if (kind !== 'textMap') return flagArguments(flag, asNumber(value) ?? asText(value));
  return Object.entries(asTextMap(value)).flatMap(([name, text]) => [flag, `${name}=${text}`]);
}

function flagArguments(flag: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [flag, String(value)];
}

function healthArguments({ healthcheck }: CreateArguments): readonly string[] {
  if (healthcheck === undefined) return [];
  if (healthcheck === false) return ['--no-healthcheck'];
  const { test, interval, timeout, startPeriod, retries } = healthcheck;
  const line = test === undefined || typeof test === 'string' ? test : formatCommandLine(test);
  return [
    ...flagArguments('--health-cmd', line),
    ...flagArguments('--health-interval', interval),
    ...flagArguments('--health-timeout', timeout),
    ...flagArguments('--health-start-period', startPeriod),
    ...flagArguments('--health-retries', retries),
  ];
}

/**
 * Formats the command for PowerShell.
 *
 * @throws InputError if an argument cannot be quoted for all versions: Windows PowerShell splits arguments at
 * quotation marks.
 */
export function formatPowerShellCommand(args: CreateArguments): string {
  return quotePowerShellArguments(runCommandArguments(args));
}
