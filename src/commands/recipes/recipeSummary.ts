/** Summarizes what an untrusted recipe asks for, for a confirmation that hides none of it. */

import * as l10n from '@vscode/l10n';
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import type { CreateArguments } from '../../engine/options/options.ts';
import { parseMount } from '../../engine/options/mountSpec.ts';
import { oneLine } from '../../base/plainText.ts';
import { formatNames } from '../ui/formatNames.ts';

/** Maximum number of lines, so that the question fits on a small screen. */
const MOST_LINES = 20;
/** Maximum length of lines about access to the host. If one is longer, the question is not shown. */
const LINE_LIMIT = 160;
const MOUNTS_INSIDE = 3;

/**
 * Returns what a container of this recipe can do, most dangerous first; undefined if not all of it can be
 * shown.
 *
 * @param isInside whether the source of a bind mount is in the workspace folder.
 */
export function recipeSummary(
  args: CreateArguments,
  isInside: (source: string) => boolean,
): readonly string[] | undefined {
  const all = (args.mounts ?? []).map((text) => ({ text, ...parseMount(text) }));
  const inside = all.filter(({ kind, source }) => kind === 'bind' && isInside(source));
  const outside = all.filter((mount) => !inside.includes(mount));
  const essential = [
    ...privilegeLines(args),
    ...outside.map(({ kind, text }) =>
      kind === 'bind'
        ? l10n.t('Mount from outside the folder: {0}', text)
        : l10n.t('Volume: {0}', text),
    ),
    ...processLines(args),
    ...reachLines(args),
  ];
  if (essential.some((line) => oneLine(line, LINE_LIMIT) !== line)) return undefined;
  const rest = [...mountLines(inside), ...otherLines(args)];
  if (essential.length + rest.length <= MOST_LINES) return [...essential, ...rest];
  const room = MOST_LINES - essential.length - 1;
  if (room < 0) return undefined;
  const more = l10n.t('and {0} more settings', rest.length - room);
  return [...essential, ...rest.slice(0, room), more];
}

function privilegeLines(args: CreateArguments): readonly string[] {
  const { devices = [], capAdd = [], securityOpt = [], network } = args;
  return [
    ...(args.privileged === true ? [l10n.t('Privileged: full access to the host')] : []),
    ...(network === undefined ? [] : [l10n.t('Network: {0}', network)]),
    ...devices.map((device) => l10n.t('Device: {0}', device)),
    ...capAdd.map((capability) => l10n.t('Capability: {0}', capability)),
    ...securityOpt.map((option) => l10n.t('Security option: {0}', option)),
  ];
}

/** Returns the lines for the process. Only the beginning of a command, which may be a whole script. */
function processLines(args: CreateArguments): readonly string[] {
  const { image, entrypoint = [], cmd = [], user } = args;
  const words = (list: readonly string[]): string =>
    oneLine(list.map((word) => JSON.stringify(word)).join(' '), LINE_LIMIT - 30);
  return [
    l10n.t('Image: {0}', image),
    ...(entrypoint.length === 0 ? [] : [l10n.t('Entrypoint: {0}', words(entrypoint))]),
    ...(cmd.length === 0 ? [] : [l10n.t('Command: {0}', words(cmd))]),
    ...(user === undefined ? [] : [l10n.t('User: {0}', user)]),
  ];
}

function reachLines(args: CreateArguments): readonly string[] {
  const { ports = [], restart } = args;
  return [
    ...(ports.length === 0 ? [] : [l10n.t('Published ports: {0}', ports.join(', '))]),
    ...(args.publishAll === true ? [l10n.t('Publishes all exposed ports')] : []),
    ...(restart === undefined ? [] : [l10n.t('Restart policy: {0}', restart)]),
  ];
}

function mountLines(mounts: readonly { readonly text: string }[]): readonly string[] {
  const shown = mounts.slice(0, MOUNTS_INSIDE);
  const more = mounts.length - shown.length;
  return [
    ...shown.map(({ text }) => l10n.t('Mount: {0}', oneLine(text, LINE_LIMIT))),
    ...(more > 0 ? [l10n.t('and {0} more mounts of this folder', more)] : []),
  ];
}

/** Returns the other lines. Only the names of variables and labels, because values may be long. */
function otherLines(args: CreateArguments): readonly string[] {
  const { env = [], labels = {}, dns = [], extraHosts = [] } = args;
  const variables = env.map((entry) => entry.split('=', 1)[0] ?? '');
  const list = (names: readonly string[]): string => formatNames(names, 6);
  return [
    ...(args.start === true ? [l10n.t('Starts immediately')] : []),
    ...(args.autoRemove === true ? [l10n.t('Removed when it exits')] : []),
    ...(variables.length === 0 ? [] : [l10n.t('Environment variables: {0}', list(variables))]),
    ...(Object.keys(labels).length === 0 ? [] : [l10n.t('Labels: {0}', list(Object.keys(labels)))]),
    ...(dns.length === 0 ? [] : [l10n.t('DNS servers: {0}', list(dns))]),
    ...(extraHosts.length === 0 ? [] : [l10n.t('Extra hosts: {0}', list(extraHosts))]),
  ];
}

/**
 * Returns the sources of bind mounts that are inside this folder. Resolves symbolic links, because a link in
 * a repository may point anywhere.
 */
export async function sourcesInside(
  mounts: readonly string[],
  folder: string | undefined,
): Promise<ReadonlySet<string>> {
  const inside = new Set<string>();
  if (folder === undefined || dirname(folder) === folder) return inside;
  const outer = await realOf(folder);
  for (const mount of mounts) {
    const { kind, source } = parseMount(mount);
    if (kind !== 'bind' || !isAbsolute(source)) continue;
    if (isBelow(outer, await realOf(source))) inside.add(source);
  }
  return inside;
}

/**
 * Returns the real path. For a path that does not exist yet, resolves the nearest existing folder. Empty if
 * unknown.
 */
async function realOf(path: string): Promise<string> {
  for (let known = path; ; known = dirname(known)) {
    try {
      return `${await realpath(known)}${path.slice(known.length)}`;
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isMissing || dirname(known) === known || path.split(sep).includes('..')) return '';
    }
  }
}

function isBelow(folder: string, path: string): boolean {
  if (folder === '' || path === '') return false;
  const relativePath = relative(folder, path);
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}
