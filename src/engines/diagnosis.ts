import * as l10n from '@vscode/l10n';
import type {
  DiscoveryResult,
  DiscoveryStep,
  EndpointCandidate,
} from '../engine/discovery/endpointCandidate.ts';
import { formatFailure } from './failures/failures.ts';
import type { Phase } from '../inventory/phase.ts';
import { checkEngine, type CheckOptions, type CheckStep } from './checkEngine.ts';
import type { EngineUnit } from './engineUnit.ts';
import { compareWithCli } from './compareWithCli.ts';
import { otherCandidates } from './otherCandidates.ts';

/** Why engines can or cannot be reached. */
export interface Diagnosis {
  /** The steps of discovering the default engine, in order. */
  readonly looked: readonly DiscoveryStep[];
  readonly engines: readonly DiagnosedEngine[];
  readonly others: readonly CheckedCandidate[];
  /** The Docker CLI's engine, if it is not the default engine of this window. */
  readonly terminals: EndpointCandidate | undefined;
}

interface DiagnosisOptions extends CheckOptions {
  /** The value of `gantry.host`. */
  readonly hostSetting: string;
  /** The engines of the window, or the one to diagnose. */
  readonly engines: readonly EngineUnit[];
  /** Discovers the current candidates of an engine. Never rejects. */
  readonly choose: (unit: EngineUnit) => Promise<DiscoveryResult>;
  /** Whether candidates that no engine uses are checked too. */
  readonly isWide: boolean;
}

interface CheckedCandidate {
  readonly candidate: EndpointCandidate;
  readonly steps: readonly CheckStep[];
}

export interface DiagnosedEngine {
  readonly name: string;
  readonly phase: Phase;
  /** The address that the window is connected to, or will connect to. */
  readonly url: string | undefined;
  /** In the order of the checks, up to the first one that passed. */
  readonly tried: readonly CheckedCandidate[];
}

/** Limit of each step for a candidate that no engine uses. */
const OTHERS_LIMIT_MS = 3_000;
/** Further unused candidates are listed but not checked. */
const MOST_OTHERS = 50;

/**
 * Checks every engine step by step and, if `isWide`, every other candidate on this machine. Never prompts the
 * user and never logs in. Each step has a limit of a few seconds.
 *
 * @throws the abort reason of the signal, nothing else.
 */
export async function diagnose(options: DiagnosisOptions, signal: AbortSignal): Promise<Diagnosis> {
  const { hostSetting, machine, isWide, choose } = options;
  const [{ chosen, cli }, ...choices] = await Promise.all([
    compareWithCli(hostSetting, machine),
    ...options.engines.map(choose),
  ]);
  signal.throwIfAborted();
  const [engines, others] = await Promise.all([
    Promise.all(
      options.engines.map((unit, index) =>
        diagnoseEngine(unit, choices[index] ?? chosen, options, signal),
      ),
    ),
    isWide ? checkOthers(choices, options, signal) : [],
  ]);
  return { looked: chosen.steps, engines, others, terminals: cli };
}

async function diagnoseEngine(
  unit: EngineUnit,
  choice: DiscoveryResult,
  options: DiagnosisOptions,
  signal: AbortSignal,
): Promise<DiagnosedEngine> {
  const { phase } = unit.inventory;
  const [first] = choice.isChosen ? choice.candidates : [];
  const url = unit.engine.endpoint?.url ?? first?.endpoint?.url;
  const tried: CheckedCandidate[] = [];
  for (const candidate of candidatesToTry(unit, choice, options)) {
    const steps = await checkCandidate(unit, candidate, options, signal);
    tried.push({ candidate, steps });
    if (steps.every(({ outcome }) => outcome === 'good')) break;
  }
  return { name: unit.name, phase, url, tried };
}

/**
 * Returns the candidate in use, or all candidates if one is explicitly chosen or none is in use. An engine
 * that the user disconnected is checked only in a diagnosis of that engine.
 */
function candidatesToTry(
  { engine, isOff }: EngineUnit,
  { candidates, isChosen }: DiscoveryResult,
  { isWide }: DiagnosisOptions,
): readonly EndpointCandidate[] {
  if (isOff && isWide) return [];
  const inUse = candidates.filter(({ endpoint }) => endpoint?.url === engine.endpoint?.url);
  return isChosen || engine.endpoint === undefined || inUse.length === 0 ? candidates : inUse;
}

/** Checks an SSH engine over its live connection, because a new SSH connection would log in. */
async function checkCandidate(
  { engine, inventory }: EngineUnit,
  candidate: EndpointCandidate,
  options: DiagnosisOptions,
  signal: AbortSignal,
): Promise<readonly CheckStep[]> {
  const { endpoint } = candidate;
  const isLive = inventory.phase.kind === 'live' && engine.endpoint?.url === endpoint?.url;
  if (!isLive || endpoint?.transport.kind !== 'ssh')
    return checkEngine(candidate, 'all', undefined, options, signal);
  try {
    return await checkEngine(candidate, 'all', await engine.connect(signal), options, signal);
  } catch (error) {
    signal.throwIfAborted();
    // The connection has just broken, and the inventory does not know it yet.
    return [{ name: 'ssh', outcome: 'bad', note: formatFailure(error) }];
  }
}

async function checkOthers(
  choices: readonly DiscoveryResult[],
  options: DiagnosisOptions,
  signal: AbortSignal,
): Promise<readonly CheckedCandidate[]> {
  const { machine, engines } = options;
  const others = await otherCandidates(engines, choices, machine);
  const limitMs = Math.min(OTHERS_LIMIT_MS, options.limitMs ?? Infinity);
  const tooMany = {
    name: '',
    outcome: 'none',
    note: l10n.t('Skipped because there are too many engines.'),
  } as const;
  return Promise.all(
    others.map(async (candidate, index) => ({
      candidate,
      steps:
        index < MOST_OTHERS
          ? await checkEngine(candidate, 'ping', undefined, { ...options, limitMs }, signal)
          : [tooMany],
    })),
  );
}
