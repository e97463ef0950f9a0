import type { Connection } from '../engine/http/connection.ts';
import { candidateKey, listCandidates } from '../engine/discovery/listCandidates.ts';
import type {
  DiscoveryResult,
  DiscoveryStep,
  EndpointCandidate,
} from '../engine/discovery/endpointCandidate.ts';
import { discoverEndpoints } from '../engine/discovery/discoverEndpoints.ts';
import type { Phase } from '../inventory/inventory.ts';
import { checkEngine, type CheckOptions, type CheckStep } from './checkEngine.ts';
import type { EngineUnit } from './engineUnit.ts';
import { isCliEngineMismatch } from './isCliEngineMismatch.ts';

/** Why engines can be reached or not. */
export interface Diagnosis {
  /** What was looked at to find the default engine, in this order. */
  readonly looked: readonly DiscoveryStep[];
  readonly engines: readonly DiagnosedEngine[];
  readonly others: readonly CheckedCandidate[];
  /** What the Docker CLI would use, if that is another engine than the default one here. */
  readonly terminals: EndpointCandidate | undefined;
}

/** What a diagnosis needs. */
export interface DiagnosisOptions extends CheckOptions {
  /** `gantry.host`. */
  readonly hostSetting: string;
  /** The engines of the window, or the one that is asked about. */
  readonly engines: readonly EngineUnit[];
  /** Where to look for an engine, now. Never rejects. */
  readonly choose: (unit: EngineUnit) => Promise<DiscoveryResult>;
  /** Whether other candidates than those of the engines are looked at, too. */
  readonly isWide: boolean;
}

/** A candidate and what happened there. */
export interface CheckedCandidate {
  readonly candidate: EndpointCandidate;
  readonly steps: readonly CheckStep[];
}

/** One engine, tried again. */
export interface DiagnosedEngine {
  readonly name: string;
  readonly phase: Phase;
  /** Where the window talks to, or will. */
  readonly url: string | undefined;
  /** In the order in which they were tried, up to the first that answered. */
  readonly tried: readonly CheckedCandidate[];
}

/** Another candidate has so long to answer. */
const OTHERS_LIMIT_MS = 3_000;
/** Beyond so many, other candidates are named and not tried. */
const MOST_OTHERS = 50;

/**
 * Looks at every candidate, and tries every engine step by step. Never asks the user and never logs in. Every step
 * has a limit of a few seconds.
 *
 * @throws the signal's reason; nothing else.
 */
export async function diagnose(options: DiagnosisOptions, signal: AbortSignal): Promise<Diagnosis> {
  const { hostSetting, machine, isWide, choose } = options;
  const [chosen, without, ...choices] = await Promise.all([
    discoverEndpoints(hostSetting, machine),
    discoverEndpoints('', machine),
    ...options.engines.map(choose),
  ]);
  const isOther = await isCliEngineMismatch(chosen, without, machine);
  signal.throwIfAborted();
  const [engines, others] = await Promise.all([
    Promise.all(
      options.engines.map((unit, index) =>
        diagnoseEngine(unit, choices[index] ?? chosen, options, signal),
      ),
    ),
    isWide ? checkOthers(choices, options, signal) : [],
  ]);
  const terminals = isOther ? without.candidates[0] : undefined;
  return { looked: chosen.steps, engines, others, terminals };
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
    const standing = await standingConnection(unit, candidate, signal);
    const steps = await checkEngine(candidate, 'all', standing, options, signal);
    tried.push({ candidate, steps });
    if (steps.every(({ outcome }) => outcome === 'good')) break;
  }
  return { name: unit.name, phase, url, tried };
}

/** The one in use unless one is chosen. One that the user disconnected is tried only if it is asked about. */
function candidatesToTry(
  { engine, isOff }: EngineUnit,
  { candidates, isChosen }: DiscoveryResult,
  { isWide }: DiagnosisOptions,
): readonly EndpointCandidate[] {
  if (isOff && isWide) return [];
  const inUse = candidates.filter(({ endpoint }) => endpoint?.url === engine.endpoint?.url);
  return isChosen || engine.endpoint === undefined || inUse.length === 0 ? candidates : inUse;
}

/** Over SSH a connection of its own would log in. One that is live is there, and asks nothing. */
async function standingConnection(
  { engine, inventory }: EngineUnit,
  { endpoint }: EndpointCandidate,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  const isLive = inventory.phase.kind === 'live' && engine.endpoint?.url === endpoint?.url;
  return isLive && endpoint?.transport.kind === 'ssh' ? engine.connect(signal) : undefined;
}

async function checkOthers(
  choices: readonly DiscoveryResult[],
  options: DiagnosisOptions,
  signal: AbortSignal,
): Promise<readonly CheckedCandidate[]> {
  const { machine, engines, l10n } = options;
  const ours = choices.flatMap(({ candidates, isChosen }, index) => {
    const url = engines[index]?.engine.endpoint?.url;
    return isChosen ? candidates : candidates.filter(({ endpoint }) => endpoint?.url === url);
  });
  const keyOf = (candidate: EndpointCandidate): Promise<string> => candidateKey(candidate, machine);
  const known = new Set(await Promise.all(ours.map(keyOf)));
  const offered = await listCandidates(machine);
  const keys = await Promise.all(offered.map(keyOf));
  const others = offered.filter((_, index) => !known.has(keys[index] ?? ''));
  const limitMs = Math.min(OTHERS_LIMIT_MS, options.limitMs ?? Infinity);
  const tooMany = {
    name: '',
    outcome: 'none',
    note: l10n.t('Not tried, because there are so many.'),
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
