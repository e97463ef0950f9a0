import { homedir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '../../engine/discovery/nodeFiles.ts';
import { formatAuthor, parseGitUser } from '../../review/gitUser.ts';

/**
 * The author that Git would write into a commit here, by its configuration files: the workspace's own says
 * more than the user's. Undefined if none says it. Runs no program.
 *
 * @param folder the workspace's first folder on this machine. Whatever its `.git/config` is: only a plain file of a
 * few megabytes is read.
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
