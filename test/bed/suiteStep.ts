// The type of a step of `npm test`, and steps that run a suite of tests, with or without an engine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBed, versionOf } from './bed.ts';
import type { EngineKind } from './engines.ts';
import { bedVariables, type EngineBuild } from './env.ts';
import { run, type Sink } from './programs.ts';
import { readOutcome, type Outcome } from './suite.ts';
import type { PartName } from './system.mjs';

/** One step. */
export interface Step {
  /** Name on the command line; several steps may share a name. */
  readonly name: string;
  readonly title: string;
  /** The kind of run that includes the step; default both. */
  readonly only?: 'usual' | 'whole';
  /** Whether the step drives a window. Two windows at once would slow down each other's rendering. */
  readonly drivesWindow?: boolean;
  /** Whether the step needs little CPU time. Such a step runs in addition to the others. */
  readonly mostlyWaits?: boolean;
  /** The parts of the bed that the step needs. */
  readonly parts: readonly PartName[];
  readonly run: (sink: Sink) => Promise<Outcome>;
  /** Resolves to the names of its tests, reported as skipped if the step cannot run. */
  readonly list: () => Promise<string[]>;
}

/** A suite of tests. */
export interface Suite extends Pick<
  Step,
  'name' | 'title' | 'drivesWindow' | 'mostlyWaits' | 'parts'
> {
  /** Glob pattern of the files below `test`. */
  readonly files: string;
  /** Timeout of a test in milliseconds. */
  readonly timeout: number;
  /** The kind of engine; default none. */
  readonly kind?: EngineKind;
  /** The build of the engine; default that of the machine. */
  readonly build?: (sink: Sink) => Promise<EngineBuild>;
  /** Additional environment variables for the tests. */
  readonly env?: NodeJS.ProcessEnv;
  readonly prepare?: (sink: Sink) => Promise<unknown>;
}

/** Returns the step that runs a suite, with the engine it needs. */
export function suiteStep(suite: Suite): Step {
  const { name, title, parts, drivesWindow = false, mostlyWaits = false } = suite;
  return {
    name,
    title,
    parts,
    drivesWindow,
    mostlyWaits,
    run: async (sink) => {
      await suite.prepare?.(sink);
      return suite.kind ? withEngine(suite, suite.kind, sink) : mocha(suite, sink);
    },
    list: async () => {
      const { passed } = await mocha(suite, () => undefined, {}, ['--list']);
      return passed.length > 0 ? passed : [title];
    },
  };
}

async function withEngine(suite: Suite, kind: EngineKind, sink: Sink): Promise<Outcome> {
  const build = await suite.build?.(sink);
  const { engine, facts } = await makeBed(kind, build && { build });
  sink(`${await versionOf(engine)}\n`);
  try {
    return await mocha(suite, sink, bedVariables(facts));
  } finally {
    await engine.stop();
  }
}

async function mocha(
  suite: Suite,
  sink: Sink,
  env: NodeJS.ProcessEnv = {},
  flags: readonly string[] = [],
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-suite-'));
  const out = join(folder, 'outcome.json');
  const program = [process.execPath, join(import.meta.dirname, 'suite.ts')];
  const args = [out, String(suite.timeout), `test/${suite.files}`, ...flags];
  try {
    const code = await run([...program, ...args], sink, { ...suite.env, ...env });
    return judged(readOutcome(out), code, suite.title);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A process can fail although no test did; then the outcome that it wrote is incomplete. */
function judged(outcome: Outcome | undefined, code: number, title: string): Outcome {
  const { passed, failed, skipped } = outcome ?? { passed: [], failed: [], skipped: [] };
  const silent = code !== 0 && failed.length === 0;
  return { passed, skipped, failed: silent ? [`${title}: ended with status ${code}`] : failed };
}
