import type { Connection } from '../engine/http/connection.ts';
import { candidateKey, listCandidates } from '../engine/discovery/listCandidates.ts';
import type {
  DiscoveryResult,
  DiscoveryStep,
  EndpointCandidate,
} from '../engine/discovery/endpointCandidate.ts';
import { discoverEndpoints } from '../engine/discovery/discoverEndpoints.ts';
import type { Phase } from '../inventory/inventory.ts';
import { checkEngine, pingEndpoint } from './checkEngine.ts';
import type { EngineUnit } from './engineUnit.ts';
import { isCliEngineMismatch } from './isCliEngineMismatch.ts';
import type { CheckResult, CheckOptions } from './checkRun.ts';

/** All there is to know of why engines answer or not. */
export interface Diagnosis {
  /** What was looked at to find the default engine, in this order. */
  readonly looked: readonly DiscoveryStep[];
  readonly engines: readonly DiagnosedEngine[];
  readonly others: readonly CheckedCandidate[];
  /** What the command line in a terminal would use, where that is another engine than the default one here. */
  readonly terminals: EndpointCandidate | undefined;
}

/** What a diagnosis stands on. */
export interface DiagnosisOptions extends CheckOptions {
  /** `gantry.host`. */
  readonly hostSetting: string;
  /** The engines of the window, or the one that is asked about. */
  readonly engines: readonly EngineUnit[];
  /** Where to look for an engine, now. Never rejects. */
  readonly choose: (unit: EngineUnit) => Promise<DiscoveryResult>;
  /** Whether other places than those of the engines are looked at, too. */
  readonly isWide: boolean;
}

/** A place and what happened there. */
export interface CheckedCandidate {
  readonly place: EndpointCandidate;
  readonly checked: CheckResult;
}

/** One engine, tried anew. */
export interface DiagnosedEngine {
  readonly name: string;
  readonly phase: Phase;
  /** Where the window talks to. */
  readonly url: string | undefined;
  readonly choice: DiscoveryResult;
  /** In the order in which they were tried, up to the first that answered. */
  readonly tried: readonly CheckedCandidate[];
}

/** Another place has so long to answer. */
const OTHERS_LIMIT_MS = 3_000;
/** Beyond so many, other places are named and not tried. */
const MOST_OTHERS = 50;

/**
 * Looks at every place, and tries every engine step by step. Never asks anybody and never logs in. Every step has a
 * limit of a few seconds.
 *
 * @throws the signal's reason; nothing else.
 */
export async function diagnose(parts: DiagnosisOptions, signal: AbortSignal): Promise<Diagnosis> {
  const { hostSetting, machine, isWide } = parts;
  const [chosen, without] = await Promise.all([
    discoverEndpoints(hostSetting, machine),
    discoverEndpoints('', machine),
  ]);
  const isOther = await isCliEngineMismatch(chosen, without, machine);
  signal.throwIfAborted();
  const [engines, others] = await Promise.all([
    Promise.all(parts.engines.map((unit) => diagnoseEngine(unit, parts, signal))),
    isWide ? otherCandidates(parts, signal) : [],
  ]);
  return {
    looked: chosen.steps,
    engines,
    others,
    terminals: isOther ? without.candidates[0] : undefined,
  };
}

async function diagnoseEngine(
  unit: EngineUnit,
  parts: DiagnosisOptions,
  signal: AbortSignal,
): Promise<DiagnosedEngine> {
  const choice = await parts.choose(unit);
  const url = unit.engine.endpoint?.url;
  const { phase } = unit.inventory;
  const tried: CheckedCandidate[] = [];
  for (const place of candidatesToTry(unit, choice, parts)) {
    const standing = await standingConnection(unit, place, signal);
    const checked = await checkEngine(place, standing, parts, signal);
    tried.push({ place, checked });
    if (checked.isGood) break;
  }
  return { name: unit.name, phase, url, choice, tried };
}

/** The one in use where nobody has chosen. One that the person disconnected is tried only if it is asked about. */
function candidatesToTry(
  { engine, isOff }: EngineUnit,
  { candidates, isChosen }: DiscoveryResult,
  { isWide }: DiagnosisOptions,
): readonly EndpointCandidate[] {
  if (isOff && isWide) return [];
  const inUse = candidates.filter(({ endpoint }) => endpoint?.url === engine.endpoint?.url);
  return isChosen || engine.endpoint === undefined || inUse.length === 0 ? candidates : inUse;
}

/** Over ssh a connection of its own would log in. One that is live is there, and asks nobody. */
async function standingConnection(
  { engine, inventory }: EngineUnit,
  { endpoint }: EndpointCandidate,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  const isLive = inventory.phase.kind === 'live' && engine.endpoint?.url === endpoint?.url;
  return isLive && endpoint?.transport.kind === 'ssh' ? engine.connect(signal) : undefined;
}

async function otherCandidates(
  parts: DiagnosisOptions,
  signal: AbortSignal,
): Promise<readonly CheckedCandidate[]> {
  const { machine, engines, choose } = parts;
  const choices = await Promise.all(engines.map((unit) => choose(unit)));
  const ours = engines.flatMap(({ engine: { endpoint } }, index) => {
    const { candidates = [], isChosen = false } = choices[index] ?? {};
    return isChosen
      ? candidates
      : candidates.filter((place) => place.endpoint?.url === endpoint?.url);
  });
  const known = new Set(await Promise.all(ours.map((place) => candidateKey(place, machine))));
  const offered = await listCandidates(machine);
  const keys = await Promise.all(offered.map((place) => candidateKey(place, machine)));
  const others = offered.filter((_, index) => !known.has(keys[index] ?? ''));
  return Promise.all(
    others.map(async (place, index) => ({
      place,
      checked: await asked(place, index < MOST_OTHERS, parts, signal),
    })),
  );
}

async function asked(
  { endpoint, error }: EndpointCandidate,
  isTried: boolean,
  parts: DiagnosisOptions,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { l10n, describe } = parts;
  const name = l10n.t('answer');
  if (!endpoint) {
    const step = { name, outcome: 'bad', says: describe(error) } as const;
    return { steps: [step], info: undefined, isGood: false };
  }
  if (isTried && endpoint.transport.kind !== 'ssh') {
    return pingEndpoint(
      endpoint,
      Math.min(OTHERS_LIMIT_MS, parts.limitMs ?? Infinity),
      parts,
      signal,
    );
  }
  const says =
    endpoint.transport.kind === 'ssh'
      ? l10n.t('Not tried, for that could ask for a password.')
      : l10n.t('Not tried, for there are so many.');
  return { steps: [{ name, outcome: 'none', says }], info: undefined, isGood: false };
}
