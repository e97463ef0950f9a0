// Random folders with an ignore file, each determined by its seed.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names that a pattern may take for something else, and names that sort differently by bytes. */
const NAMES = [
  ...['a', 'b', 'ab', 'a.b', 'a-b', 'a.txt', 'b.txt', 'src', 'main.go', 'README.md', '.env'],
  ...['x y', 'ü', '日本', '😀', '[z]', 'z', '!n', '#h', 'a*', 'q?', 'b\\-c', 'b-c', '..x', '$(d)'],
];

/** Returns numbers from 0 to 1, always the same ones for a seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Makes the tree of a seed in an empty folder. */
export function makeTree(root: string, seed: number): void {
  const tree = new Tree(root, randomOf(seed));
  tree.fill('', 0);
  tree.ignore();
}

class Tree {
  readonly #root: string;
  readonly #random: () => number;
  readonly #paths: string[] = [];

  constructor(root: string, random: () => number) {
    this.#root = root;
    this.#random = random;
  }

  fill(folder: string, depth: number): void {
    const names = new Set(
      Array.from({ length: 1 + this.#below(5 - depth) }, () => this.#one(NAMES)),
    );
    for (const name of names) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const full = join(this.#root, path);
      this.#paths.push(path);
      const kind = this.#random();
      if (kind < 0.45 && depth < 3) {
        mkdirSync(full);
        this.fill(path, depth + 1);
        chmodSync(full, this.#one([0o755, 0o755, 0o700, 0o1777, 0o2775]));
      } else if (kind < 0.6)
        symlinkSync(this.#one(['a', '../a', '/etc/passwd', '../../..', 'src/']), full);
      else {
        writeFileSync(full, path.repeat(this.#below(3)));
        chmodSync(full, this.#one([0o644, 0o644, 0o600, 0o755, 0o4755, 0o2644]));
      }
    }
  }

  ignore(): void {
    const lines = Array.from({ length: this.#below(6) }, () => this.#line());
    const end = this.#one(['\n', '\n', '\r\n']);
    const start = this.#one(['', '', '\uFEFF']);
    writeFileSync(join(this.#root, '.dockerignore'), start + lines.join(end));
    chmodSync(join(this.#root, '.dockerignore'), 0o644);
  }

  #line(): string {
    if (this.#below(20) === 0) return this.#one(['', '..', '../a', '/', '.', '  # a']);
    const mark = this.#one(['', '', '', '!', '!', '! ', '#']);
    const before = this.#one(['', '', '', '/', './', '**/', ' ', '**', '*/']);
    const after = this.#one(['', '', '', '/', '/*', '/**', '/.', ' ', '**', '*']);
    return mark + before + this.#pattern() + after;
  }

  #pattern(): string {
    const path = this.#one(this.#paths);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const escaped = path.replaceAll(/[\\*?[\]!#$()]/g, String.raw`\$&`);
    // Docker does not read a `*` or `?` in brackets as others do.
    const plain = path.includes('[') ? 'a' : path;
    return this.#one([
      ...[path, path, name, escaped],
      ...['*', '**', '?', '*.txt', '**/*.txt', '[a-b]', '[^a]'],
      plain.replace(/[a-z]/, '?'),
      plain.replace(/[a-z]/, '[a-m]'),
      plain.replace(/[a-z]+/, '*'),
      path.replace(/^[^/]+/, '**'),
    ]);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #one<T>(all: readonly T[]): T {
    return all[this.#below(all.length)] as T;
  }
}
