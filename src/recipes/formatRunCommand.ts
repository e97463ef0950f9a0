/** Formats a container as the `docker run` command that would create and start it. */

import * as l10n from '@vscode/l10n';
import { formatCommandLine } from '../engine/options/parseCommandLine.ts';
import { isTypedMount } from '../engine/options/typedMount.ts';
import type { ContainerOption } from '../engine/options/containerOption.ts';
import { optionsInOrder, type CreateArguments } from '../engine/options/options.ts';
import { InputError } from '../engine/errors.ts';
import { asNumber, asText, asTextMap, asTexts } from '../engine/wire/wire.ts';
import { oneLine } from '../base/plainText.ts';

/** Formats the command for any POSIX shell. */
export function formatRunCommand(args: CreateArguments): string {
  return quoteShellArguments(runCommandArguments(args));
}

/**
 * Returns the arguments of `docker run`, starting with `docker`. Compatible command lines accept the same
 * arguments.
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
 * Quotes arguments for a shell. Control characters are written as octal escapes: if pasted unescaped, a
 * terminal would take them for keys.
 */
export function quoteShellArguments(words: readonly string[]): string {
  return words.map(quoteShellArgument).join(' ');
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /([\x01-\x08\x0b-\x1f\x7f-\x9f])/;

function quoteShellArgument(word: string): string {
  const [plain = '', control, ...rest] = word.split(CONTROLS);
  if (control === undefined) return formatCommandLine([word]);
  const octal = [...Buffer.from(control, 'utf8')]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('');
  const next = rest.join('');
  return [
    plain === '' ? '' : formatCommandLine([plain]),
    `"$(printf '${octal}')"`,
    next === '' ? '' : quoteShellArgument(next),
  ].join('');
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

/**
 * Quotes the words of a command for PowerShell. The program comes first, and is called if its name is quoted.
 *
 * @throws InputError as `formatPowerShellCommand`.
 */
export function quotePowerShellArguments(words: readonly string[]): string {
  const bad = words.find((word) => !isQuotable(word));
  if (bad === undefined) {
    const line = words.map(quotePowerShellArgument).join(' ');
    // A string alone is only printed.
    return line.startsWith("'") ? `& ${line}` : line;
  }
  throw new InputError(
    l10n.t(
      'Cannot format the command for PowerShell: {0} cannot be quoted.',
      oneLine(JSON.stringify(bad), 80),
    ),
  );
}

/** Whether PowerShell passes a word on as it is. */
export function isQuotable(word: string): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return word !== '' && !/[\0-\x1f"\u201c-\u201e\x7f-\x9f\u2028\u2029]|\\$/.test(word);
}

function quotePowerShellArgument(word: string): string {
  return /^(?:--?)?\w[\w-]*$|^\w[\w./:-]*$/.test(word) ? word : powerShellText(word);
}

/** Returns a text as PowerShell writes it. */
export function powerShellText(text: string): string {
  // PowerShell treats all of these as the same quotation mark.
  return `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}
