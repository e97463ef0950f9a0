// Injects random faults into the product, one at a time, and reports those that no test detects:
//   node test/mutation/check.ts [--count 30] [--seed N] [--until unit|engine|host] [--under src/engine]
// Works on a copy below `out`. Runs the unit tests that import the changed file; then, for surviving faults,
// the engine tests that import it, on Docker and Podman; then the extension host tests. Exits with code 1 if
// 4 or more survive.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { endRun, runEnvironment } from '../../scripts/own-run.mjs';
import { supervise } from '../../scripts/supervise.mjs';
import { makeBed, type Bed } from '../bed/bed.ts';
import { bedVariables } from '../bed/env.ts';
import { newestSystem } from '../bed/newestSystem.ts';
import { mutantsOf, randomOf, type Mutant } from './mutants.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPY = join(ROOT, 'out/mutation');
/** Not copied: build output, or linked instead. */
const LEFT_OUT = new Set(['node_modules', '.git', '.bed', 'out', 'dist']);
/** Time limits, because a fault may make a test hang. */
const LIMIT_MS = { unit: 180_000, engine: 900_000, host: 900_000 };
const MOST_SURVIVORS = 3;
/** Files that run in a browser, or only declare types. */
const NOT_CHANGED = /\/page\/|\.d\.ts$/;

type Level = keyof typeof LIMIT_MS;
const ALL_LEVELS = ['unit', 'engine', 'host'] as const;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    until: { type: 'string', default: 'host' },
    under: { type: 'string', default: 'src' },
  },
});
/** The levels to run, in order. */
const LEVELS = ALL_LEVELS.slice(0, ALL_LEVELS.findIndex((level) => level === values.until) + 1);

function makeCopy(): void {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  for (const name of globSync('{*,.*}', { cwd: ROOT })) {
    if (!LEFT_OUT.has(name)) cpSync(join(ROOT, name), join(COPY, name), { recursive: true });
  }
  for (const name of ['node_modules', '.bed']) symlinkSync(join(ROOT, name), join(COPY, name));
}

/** Returns the files that a file imports, or starts as a worker, relative to the root. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found = text.matchAll(/'(\.[^']+\.ts)'/g);
  const files = [...found].map(([, to = '']) => normalize(join(dirname(file), to)));
  // What looks like an import may be test data.
  return files.filter((to) => existsSync(join(ROOT, to)));
}

/** Returns the tests matching a pattern that import a file directly or indirectly, those closest to it first. */
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
  const files = globSync(`${values.under}/**/*.ts`, { cwd: ROOT }).filter(
    (file) => !NOT_CHANGED.test(file),
  );
  const all = files
    .sort()
    .flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')));
  return Array.from({ length: Number(values.count) }, () =>
    all.splice(Math.floor(random() * all.length), 1),
  ).flat();
}

/** Runs a program in the copy. Resolves to the first failed test, or undefined if it succeeds. */
async function failure(
  level: Level,
  args: readonly string[],
  env: object,
): Promise<string | undefined> {
  const child = spawn(process.execPath, args, {
    cwd: COPY,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const late = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), LIMIT_MS[level]);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [said, code] = await Promise.all([text(child.stdout), ended]);
  clearTimeout(late);
  if (code === 0) return undefined;
  const [, suite = '', test = ''] = /^ {2}1\) (.*)\n\s*(.*):?$/m.exec(said) ?? [];
  return suite === '' ? 'no end' : `${suite} ${test}`;
}

function mocha(
  level: Level,
  tests: readonly string[],
  env: object = {},
): Promise<string | undefined> {
  const limit = { unit: '5000', engine: '30000', host: '120000' }[level];
  const program = join(ROOT, 'node_modules/mocha/bin/mocha.js');
  return failure(level, [program, '--bail', '--exit', '-t', limit, ...tests], env);
}

/** The tests per level. Each resolves to the first failed test, or undefined if no test detects the fault. */
const NOTICES: Readonly<
  Record<Level, (file: string, beds: readonly Bed[]) => Promise<string | undefined>>
> = {
  unit: async (file) => {
    const tests = testsReaching(file, 'test/unit/**/*.test.ts');
    return tests.length === 0 ? undefined : mocha('unit', tests);
  },
  engine: async (file, beds) => {
    const tests = testsReaching(file, 'test/engine/**/*.test.ts');
    for (const { facts } of tests.length === 0 ? [] : beds) {
      const failed = await mocha('engine', tests, bedVariables(facts));
      if (failed !== undefined) return failed;
    }
    return undefined;
  },
  host: async (_, [bed]) => {
    const unbuilt = await failure('host', ['scripts/build.mjs'], {});
    return (
      unbuilt ?? (bed && mocha('host', ['test/editor/host/run.test.ts'], bedVariables(bed.facts)))
    );
  },
};

async function noticed({ file }: Mutant, beds: readonly Bed[]): Promise<string | undefined> {
  for (const level of LEVELS) {
    const failed = await NOTICES[level](file, beds);
    if (failed !== undefined) return `${level}\t${failed}`;
  }
  return undefined;
}

/** Starts the current engines, or none if only unit tests are run. */
async function makeBeds(): Promise<readonly Bed[]> {
  if (values.until === 'unit') return [];
  const { root } = await newestSystem(() => undefined);
  const build = { system: root, hasContainerdStore: false, oldestApi: '' };
  return [await makeBed('docker', { build }), await makeBed('podman', { build })];
}

async function main(): Promise<void> {
  console.log(`Seed ${values.seed}`);
  makeCopy();
  const beds = await makeBeds();
  let survivors = 0;
  for (const mutant of chosenMutants()) {
    const { file, line, start, end, before, after } = mutant;
    const source = readFileSync(join(ROOT, file), 'utf8');
    writeFileSync(join(COPY, file), source.slice(0, start) + after + source.slice(end));
    const result = await noticed(mutant, beds);
    writeFileSync(join(COPY, file), source);
    if (result === undefined) survivors += 1;
    const shown = `${before.replaceAll(/\s+/g, ' ').slice(0, 80)} → ${after.slice(0, 80)}`;
    console.log(`${file}:${line}\t${shown}\n    ${result ?? 'SURVIVED'}`);
  }
  await Promise.all(beds.map(({ engine }) => engine.stop()));
  rmSync(COPY, { recursive: true, force: true });
  console.log(`${survivors} survived`);
  process.exitCode = survivors > MOST_SURVIVORS ? 1 : 0;
}

/** Runs this program again as a supervised process that stops everything it has started. */
async function superviseMain(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-run-'));
  const args = [relative(ROOT, import.meta.filename), ...process.argv.slice(2)];
  const { code } = await supervise([...args, '--seed', values.seed], runEnvironment(folder));
  process.exitCode = code || (await endRun(folder, console.log));
}

await (process.connected ? main() : superviseMain());
