import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder for the repositories of a test, which git makes. */
export class GitFolders {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'gantry-git-')));

  /** Returns a path in the folder. */
  at(...parts: readonly string[]): string {
    return join(this.root, ...parts);
  }

  /** Runs git in a folder, without the configuration of this machine. */
  git(folder: string, ...words: readonly string[]): string {
    const nothing = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
    const who = ['-c', 'user.name=me', '-c', 'user.email=me@example.com'];
    const safe = ['-c', 'protocol.file.allow=always', '-c', 'init.defaultBranch=main'];
    const options = { cwd: this.at(folder), env: { PATH: process.env['PATH'], ...nothing } };
    const all = [...who, ...safe, ...words];
    return execFileSync('git', all, { ...options, stdio: 'pipe', encoding: 'utf8' }).trim();
  }

  /** Makes a repository with one commit. */
  repository(name: string): string {
    mkdirSync(this.at(name), { recursive: true });
    this.git(name, 'init', '-q');
    this.write(join(name, 'compose.yaml'), 'services: {}\n');
    this.git(name, 'add', '.');
    this.git(name, 'commit', '-qm', 'Begin');
    return this.at(name);
  }

  /** Adds a worktree with a new branch, beside the repository. */
  worktree(repository: string, name: string, branch: string): string {
    this.git(repository, 'worktree', 'add', '-q', '-b', branch, this.at(name));
    return this.at(name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), text);
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Skips the tests of a suite on a machine without git. For `before`. */
export function needGit(this: Mocha.Context): void {
  try {
    execFileSync('git', ['--version'], { stdio: 'ignore' });
  } catch {
    this.skip();
  }
}
