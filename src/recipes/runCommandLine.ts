/** A container as the line of a shell that would run it. */

import { formatCommandLine } from '../engine/options/parseCommandLine.ts';
import type { CreateArguments } from '../engine/options/createSpec.ts';
import { InputError } from '../engine/errors.ts';
import type { L10n } from '../l10n.ts';
import { oneLine } from '../plainText.ts';

/** The line itself, for any shell that keeps to POSIX. */
export function runCommandLine(args: CreateArguments): string {
  return quoteShellArguments(runCommandArguments(args));
}

/** The words of `docker run` for an argument; other command lines of its kind read the same. */
export function runCommandArguments(args: CreateArguments): readonly string[] {
  const [program, ...first] = args.entrypoint ?? [];
  return [
    'docker',
    'run',
    ...modeArguments(args),
    ...processOptions(args),
    ...environmentOptions(args),
    ...limitOptions(args),
    ...healthOptions(args),
    ...option('--entrypoint', program),
    args.image,
    ...first,
    ...(args.cmd ?? []),
  ];
}

/**
 * Words as a line for a shell. Control characters are written by their numbers: pasted as they are, a terminal would
 * take them for keys.
 */
export function quoteShellArguments(words: readonly string[]): string {
  return words.map(quoteShellArgument).join(' ');
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
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
 * The line for PowerShell.
 *
 * @throws InputError where a word has what no version of it quotes: Windows PowerShell parts words at quotation marks.
 */
export function powerShellCommandLine(args: CreateArguments, l10n: L10n): string {
  const words = runCommandArguments(args);
  const bad = words.find((word) => !isQuotable(word));
  if (bad === undefined) return words.map(quotePowerShellArgument).join(' ');
  throw new InputError(
    l10n.t(
      'The command cannot be written for PowerShell: {0} cannot be quoted.',
      oneLine(JSON.stringify(bad), 80),
    ),
  );
}

function isQuotable(word: string): boolean {
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  return word !== '' && !/[\0-\x1f"\u201c-\u201e\x7f-\x9f\u2028\u2029]|\\$/.test(word);
}

function quotePowerShellArgument(word: string): string {
  if (/^(?:--?)?\w[\w-]*$|^\w[\w./:-]*$/.test(word)) return word;
  // It takes each of these for the same quotation mark.
  return `'${word.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}

function option(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [name, String(value)];
}

function flag(name: string, isOn: boolean | undefined): readonly string[] {
  return isOn === true ? [name] : [];
}

function each(name: string, values: readonly string[] | undefined): readonly string[] {
  return (values ?? []).flatMap((value) => [name, value]);
}

/** In the background, unless somebody is to type into it. */
function modeArguments(args: CreateArguments): readonly string[] {
  const { openStdin, tty } = args;
  return [
    ...(openStdin === true ? flag('-i', true) : ['-d']),
    ...flag('-t', tty),
    ...flag('--rm', args.autoRemove),
    ...option('--name', args.name),
    ...option('--restart', args.restart),
    ...option('--platform', args.platform),
  ];
}

function processOptions(args: CreateArguments): readonly string[] {
  return [
    ...each('-e', args.env),
    ...each('-e', args.unsetEnv),
    ...option('-w', args.workingDir),
    ...option('-u', args.user),
    ...option('--stop-signal', args.stopSignal),
    ...option('--stop-timeout', args.stopTimeout),
    ...flag('--init', args.init),
    ...each(
      '-l',
      Object.entries(args.labels ?? {}).map(([name, value]) => `${name}=${value}`),
    ),
  ];
}

function environmentOptions(args: CreateArguments): readonly string[] {
  return [
    ...each('-p', args.ports),
    ...flag('-P', args.publishAll),
    ...option('--network', args.network),
    ...option('-h', args.hostname),
    ...each('--dns', args.dns),
    ...each('--add-host', args.extraHosts),
    ...each('-v', args.mounts),
    ...each('--tmpfs', args.tmpfs),
    ...each('--device', args.devices),
  ];
}

function limitOptions(args: CreateArguments): readonly string[] {
  return [
    ...option('-m', args.memory),
    ...option('--shm-size', args.shmSize),
    ...option('--cpus', args.cpus),
    ...option('--pids-limit', args.pidsLimit),
    ...flag('--read-only', args.readOnly),
    ...flag('--privileged', args.privileged),
    ...each('--cap-add', args.capAdd),
    ...each('--cap-drop', args.capDrop),
    ...each('--security-opt', args.securityOpt),
  ];
}

function healthOptions({ healthcheck }: CreateArguments): readonly string[] {
  if (healthcheck === undefined) return [];
  if (healthcheck === false) return ['--no-healthcheck'];
  const { test, interval, timeout, startPeriod, retries } = healthcheck;
  const line = test === undefined || typeof test === 'string' ? test : formatCommandLine(test);
  return [
    ...option('--health-cmd', line),
    ...option('--health-interval', interval),
    ...option('--health-timeout', timeout),
    ...option('--health-start-period', startPeriod),
    ...option('--health-retries', retries),
  ];
}
