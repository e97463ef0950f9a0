import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Real repositories of git in a folder of their own. */
export class Repositories {
  /** A real path. */
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'gantry-git-')));

  /** Returns a path in the folder. */
  at(...parts: readonly string[]): string {
    return join(this.root, ...parts);
  }

  /** Creates a repository with files, on the branch `main`. Returns its folder. */
  create(name: string, files: Readonly<Record<string, string>> = { file: '' }): string {
    const folder = this.at(name);
    mkdirSync(folder, { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    this.git(folder, 'init', '--quiet', '--initial-branch=main');
    this.git(folder, 'add', '--all');
    this.git(folder, 'commit', '--quiet', '--message=x');
    return folder;
  }

  /** Adds a worktree with a new branch to a repository. Returns its folder. */
  addWorktree(repository: string, path: string, branch: string): string {
    const folder = this.at(path);
    this.git(repository, 'worktree', 'add', '--quiet', '-b', branch, folder);
    return folder;
  }

  git(folder: string, ...args: readonly string[]): string {
    const options = { 'user.name': 'x', 'user.email': 'x@x', 'protocol.file.allow': 'always' };
    const set = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const env = { PATH: process.env['PATH'], HOME: this.root, GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', [...set, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
