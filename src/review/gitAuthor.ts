import { homedir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '../engine/discovery/nodeFiles.ts';

/**
 * Reads the author that Git would use for a commit from its configuration files. The workspace configuration
 * overrides that of the user. Resolves to undefined if there is none. Runs no program.
 *
 * @param folder the first workspace folder on this machine. Its `.git/config` is untrusted: only a regular
 * file of at most a few megabytes is read.
 */
export async function gitAuthor(folder: string | undefined): Promise<string | undefined> {
  const files = [
    join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'git', 'config'),
    join(homedir(), '.gitconfig'),
    ...(folder === undefined ? [] : [join(folder, '.git', 'config')]),
  ];
  const texts = await Promise.all(files.map((file) => nodeFiles.readText(file)));
  return formatAuthor(texts.map((text) => parseGitUser(text ?? '')));
}

/** The parts of an author, each undefined if not configured. */
interface GitUser {
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/** Longer lines are skipped: no name is that long. */
const LONGEST_LINE = 10_000;

/**
 * Parses `user.name` and `user.email` from a Git configuration file. The last value wins. Included files are not read.
 */
export function parseGitUser(text: string): GitUser {
  let section = '';
  let user: GitUser = { name: undefined, email: undefined };
  for (const line of text.split(/\r?\n/)) {
    if (line.length > LONGEST_LINE) continue;
    const [, heading] = /^\s*\[\s*([\w.-]+)\s*\]/.exec(line) ?? [];
    if (heading !== undefined) section = heading.toLowerCase();
    else if (/^\s*\[/.test(line)) section = '';
    if (section !== 'user') continue;
    const rest = line.replace(/^\s*\[[^\]]*\]/, '').trim();
    const [before = '', key = ''] = /^(name|email)\s*=/i.exec(rest) ?? [];
    if (key !== '') user = { ...user, [key.toLowerCase()]: valueOf(rest.slice(before.length)) };
  }
  return user;
}

/** Formats an author as `Jo Doe <jo@example.org>`, or only the known part. Returns undefined if both are unknown. */
export function formatAuthor(users: readonly GitUser[]): string | undefined {
  const name = users.findLast((one) => one.name !== undefined)?.name;
  const email = users.findLast((one) => one.email !== undefined)?.email;
  const parts = [name, email === undefined ? undefined : `<${email}>`];
  const author = parts.filter((part) => part !== undefined).join(' ');
  return author === '' ? undefined : author;
}

/** Parses a value: removes quotes, escapes, and a trailing comment. Returns undefined if nothing is left. */
function valueOf(written: string): string | undefined {
  let value = '';
  let isQuoted = false;
  for (const [part] of written.matchAll(/\\.|[^\\]/gs)) {
    if (part === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /^[#;]$/.test(part)) break;
    else value += part.startsWith('\\') ? part.slice(1) : part;
  }
  const trimmed = value.trim();
  return trimmed === '' ? undefined : trimmed;
}
