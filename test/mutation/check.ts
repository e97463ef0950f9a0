// Puts random faults into the product, one at a time, and tells which of them no test notices:
//   node test/mutation/check.ts [--count 30] [--seed N] [--until unit|engine|host]
// Works on a copy below `out`. Unit tests that reach the changed file run first; then, for what survived, the
// engine tests that reach it, on both engines; then the extension host tests. Exits with 1 if 4 or more survive.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf, randomOf, type Mutant } from './mutants.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPY = join(ROOT, 'out/mutation');
/** Not copied: made here, or linked. */
const LEFT_OUT = new Set(['node_modules', '.git', '.bed', 'out', 'dist']);
/** A fault may make a test wait for ever. */
const LIMIT_MS = { unit: 180_000, engine: 900_000, host: 1_200_000 };
const MOST_SURVIVORS = 3;
/** What runs in a browser, or only declares types. */
const NOT_CHANGED = /^src\/logviewer\/page\/|\.d\.ts$/;

type Level = keyof typeof LIMIT_MS;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    until: { type: 'string', default: 'host' },
  },
});

function makeCopy(): void {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  for (const name of globSync('{*,.*}', { cwd: ROOT })) {
    if (!LEFT_OUT.has(name)) cpSync(join(ROOT, name), join(COPY, name), { recursive: true });
  }
  for (const name of ['node_modules', '.bed']) symlinkSync(join(ROOT, name), join(COPY, name));
}

/** Files each file imports, as paths from the root. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g);
  const files = [...found].map(([, to = '']) => normalize(join(dirname(file), to)));
  // What looks like an import may be a test's data.
  return files.filter((to) => existsSync(join(ROOT, to)));
}

/** The tests of a folder that reach a file by their imports, those nearest to it first. */
function testsReaching(target: string, pattern: string): readonly string[] {
  const known = new Map<string, ReadonlySet<string>>();
  const reached = (file: string): ReadonlySet<string> => {
    const before = known.get(file);
    if (before) return before;
    const all = new Set<string>();
    known.set(file, all);
    for (const to of importsOf(file)) {
      all.add(to);
      for (const further of reached(to)) all.add(further);
    }
    return all;
  };
  const name = target.replace(/^src/, 'test/unit').replace(/\.ts$/, '');
  const nearness = (test: string): number => {
    let same = 0;
    while (same < name.length && test[same] === name[same]) same += 1;
    return same;
  };
  return globSync(pattern, { cwd: ROOT })
    .filter((test) => reached(test).has(target))
    .sort((a, b) => nearness(b) - nearness(a));
}

function chosenMutants(): readonly Mutant[] {
  const random = randomOf(Number(values.seed));
  const files = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !NOT_CHANGED.test(file));
  const all = files
    .sort()
    .flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')));
  return Array.from({ length: Number(values.count) }, () =>
    all.splice(Math.floor(random() * all.length), 1),
  ).flat();
}

/** Whether the program failed, as it should. */
async function fails(argv: readonly string[], level: Level): Promise<boolean> {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { cwd: COPY, stdio: 'ignore', detached: true });
  const late = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), LIMIT_MS[level]);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(late);
  return code !== 0;
}

/** What notices a fault in a file; undefined where no test reaches it. */
const NOTICES: Readonly<Record<Level, (file: string) => readonly string[] | undefined>> = {
  unit: (file) => {
    const tests = testsReaching(file, 'test/unit/**/*.test.ts');
    return tests.length > 0
      ? [process.execPath, mocha(), '--bail', '-t', '5000', ...tests]
      : undefined;
  },
  engine: (file) =>
    testsReaching(file, 'test/engine/**/*.test.ts').length > 0
      ? [process.execPath, 'scripts/test.mjs', 'engine']
      : undefined,
  host: () => [process.execPath, 'scripts/test.mjs', 'editor'],
};

function mocha(): string {
  return join(ROOT, 'node_modules/mocha/bin/mocha.js');
}

async function levelThatNotices({ file }: Mutant): Promise<Level | undefined> {
  for (const level of ['unit', 'engine', 'host'] as const) {
    const argv = NOTICES[level](file);
    if (argv && (await fails(argv, level))) return level;
    if (level === values.until) return undefined;
  }
  return undefined;
}

async function main(): Promise<void> {
  console.log(`Seed ${values.seed}`);
  makeCopy();
  let survivors = 0;
  for (const mutant of chosenMutants()) {
    const { file, line, start, end, before, after } = mutant;
    const text = readFileSync(join(ROOT, file), 'utf8');
    writeFileSync(join(COPY, file), text.slice(0, start) + after + text.slice(end));
    const level = await levelThatNotices(mutant);
    writeFileSync(join(COPY, file), text);
    if (!level) survivors += 1;
    const shown = `${before.replaceAll(/\s+/g, ' ').slice(0, 80)} → ${after.slice(0, 80)}`;
    console.log(`${level ?? 'SURVIVED'}\t${file}:${line}\t${shown}`);
  }
  rmSync(COPY, { recursive: true, force: true });
  console.log(`${survivors} survived`);
  process.exitCode = survivors > MOST_SURVIVORS ? 1 : 0;
}

await main();
