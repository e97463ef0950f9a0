/** Who a person is to Git, by the text of its configuration files. */

/** The parts of an author; each undefined where nothing says it. */
export interface GitUser {
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/** Nobody's name is so long. */
const LONGEST_LINE = 10_000;

/**
 * Reads `user.name` and `user.email` from a configuration file; of several the last counts. Files that it
 * includes are not read.
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

/** `Jo Doe <jo@example.org>`; what of it there is, undefined for nothing. */
export function formatAuthor(users: readonly GitUser[]): string | undefined {
  const name = users.findLast((one) => one.name !== undefined)?.name;
  const email = users.findLast((one) => one.email !== undefined)?.email;
  const parts = [name, email === undefined ? undefined : `<${email}>`];
  const author = parts.filter((part) => part !== undefined).join(' ');
  return author === '' ? undefined : author;
}

/** A value without its quotes, its escapes and the comment behind it; undefined where nothing is left. */
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
