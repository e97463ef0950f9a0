import type { Machine } from '../engine/discovery/endpoint.ts';
import { readVariable } from '../engine/discovery/folders.ts';
import { formatAddress } from '../engine/discovery/hostEndpoint.ts';
import type {
  CandidateOrigin,
  DiscoveryStep,
  DiscoveryStepResult,
  EndpointCandidate,
} from '../engine/discovery/endpointCandidate.ts';
import type { Phase } from '../inventory/inventory.ts';
import type { L10n } from '../l10n.ts';
import { oneLine, withoutLinks, withoutTrailing } from '../plainText.ts';
import type { CheckedCandidate, DiagnosedEngine, Diagnosis } from './diagnosis.ts';
import { productOf } from './checkEngine.ts';
import type { CheckResult, CheckStep } from './checkRun.ts';

/**
 * A diagnosis as plain text of a fixed pitch, to be read and to be passed on: without passwords, keys and header
 * values, and with `~` for the home folder. Nothing in it is a link or markup, wherever it is put.
 */
export function formatDiagnosis(diagnosis: Diagnosis, parts: DiagnosisReportOptions): string {
  const { l10n } = parts;
  const sections = [
    headOf(parts),
    section(l10n.t('Environment variables'), variableLines(parts)),
    section(l10n.t('How the default engine is chosen'), chosenLines(diagnosis, parts)),
    ...diagnosis.engines.map((engine) =>
      section(l10n.t('Engine {0}', words(engine.name)), engineLines(engine, parts)),
    ),
    ...(diagnosis.others.length === 0
      ? []
      : [section(l10n.t('Other places that were found'), diagnosis.others.map(otherLine(parts)))]),
  ];
  return harmless(`${sections.join('\n\n')}\n`, parts.machine);
}

/** What the report says besides the diagnosis. */
export interface DiagnosisReportOptions {
  /** Gantry's own. */
  readonly version: string;
  /** The editor with its version. */
  readonly editor: string;
  /** The kind of machine the window is connected to; undefined for the person's own. */
  readonly remoteName: string | undefined;
  readonly architecture: string;
  readonly machine: Machine;
  readonly describe: (error: unknown) => string;
  readonly l10n: L10n;
}

/** The variables that lead to engines, or away from them. */
const VARIABLES = [
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_TLS_VERIFY',
  'DOCKER_TLS',
  'DOCKER_CERT_PATH',
  'DOCKER_API_VERSION',
  'DOCKER_CUSTOM_HEADERS',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'PODMAN_CONNECTIONS_CONF',
  'COLIMA_HOME',
  'LIMA_HOME',
  'SSH_AUTH_SOCK',
] as const;

const SIGNS: Readonly<Record<CheckStep['outcome'], string>> = { good: '✓', bad: '✗', none: '–' };

function headOf({
  version,
  editor,
  remoteName,
  architecture,
  machine,
  l10n,
}: DiagnosisReportOptions): string {
  return [
    l10n.t('Gantry {0}: diagnosis of engines', version),
    l10n.t('{0} on {1} ({2})', editor, machine.platform, architecture),
    remoteName === undefined
      ? l10n.t('This window works on this computer.')
      : l10n.t(
          'This window is connected to another machine ({0}), which is the one looked at.',
          words(remoteName),
        ),
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string {
  return [title, '─'.repeat(Array.from(title).length), ...lines].join('\n');
}

function variableLines({ machine, l10n }: DiagnosisReportOptions): readonly string[] {
  const shown = VARIABLES.map((name) => [name, formatVariable(name, machine, l10n)] as const);
  return [
    ...columns(shown),
    l10n.t(
      'What only a login shell sets may be missing here: VS Code that was started from the desktop has not seen it. Start it from a terminal, or use the settings.',
    ),
  ];
}

function formatVariable(name: string, machine: Machine, l10n: L10n): string {
  const value = readVariable(machine, name);
  if (value === undefined) return l10n.t('not set');
  if (name === 'DOCKER_CUSTOM_HEADERS') return l10n.t('set');
  return words(name === 'DOCKER_HOST' ? formatAddress(value) : value);
}

function chosenLines(
  { looked, terminals }: Diagnosis,
  { machine, l10n }: DiagnosisReportOptions,
): readonly string[] {
  const mark = ({ isDecisive }: DiscoveryStep): string => (isDecisive ? '→ ' : '  ');
  const rows = looked.map((one) => {
    const where = words(withoutHome(one.where, machine));
    return [mark(one) + where, formatLookup(one, l10n)] as const;
  });
  const isChosen = looked.some(({ isDecisive }) => isDecisive);
  return [
    ...columns(rows),
    isChosen
      ? l10n.t('They count in this order; the one with → has decided.')
      : l10n.t('Nobody has chosen, so the usual places are tried in turn.'),
    ...(terminals === undefined
      ? []
      : [
          l10n.t(
            'The command line in a terminal uses another engine: {0}. The setting gantry.host leads away from it.',
            formatCandidate(terminals),
          ),
        ]),
  ];
}

function formatLookup({ result, value }: DiscoveryStep, l10n: L10n): string {
  const said: Readonly<Record<DiscoveryStepResult, string>> = {
    notSet: l10n.t('not set'),
    set: l10n.t('set'),
    absent: l10n.t('not there'),
    found: l10n.t('found'),
    damaged: l10n.t('makes no sense, and is passed over'),
  };
  return value === undefined ? said[result] : `${said[result]}: ${words(value)}`;
}

function engineLines(engine: DiagnosedEngine, parts: DiagnosisReportOptions): readonly string[] {
  const { l10n } = parts;
  const { choice, phase, url, tried } = engine;
  const [first] = choice.candidates;
  const source = choice.isChosen && first ? formatSource(first.found, l10n) : l10n.t('nobody');
  const address = url ?? (choice.isChosen ? first?.endpoint?.url : undefined);
  return [
    ...columns([
      [l10n.t('Address'), words(address ?? l10n.t('none yet'))],
      [l10n.t('Chosen by'), source],
      [l10n.t('State'), words(formatState(phase, parts))],
      ...productRow(tried.at(-1)?.checked ?? { info: undefined }, phase, l10n),
    ]),
    ...(tried.length === 0 ? [l10n.t('Not tried, for you disconnected it.')] : []),
    ...tried.flatMap((one) => triedLines(one, parts)),
  ];
}

function productRow(
  { info: checked }: Pick<CheckResult, 'info'>,
  phase: Phase,
  l10n: L10n,
): readonly (readonly [string, string])[] {
  const info = checked ?? (phase.kind === 'live' ? phase.info : undefined);
  if (!info) return [];
  const api = l10n.t(
    '{0}, API {1}; Gantry uses {2}',
    productOf(info, l10n),
    info.engineApi,
    info.api,
  );
  return [[l10n.t('Product'), words(api)]];
}

function formatState(phase: Phase, { describe, l10n }: DiagnosisReportOptions): string {
  switch (phase.kind) {
    case 'idle':
      return l10n.t('not looked for yet');
    case 'off':
      return l10n.t('disconnected by you');
    case 'connecting':
      return l10n.t('connecting');
    case 'live':
      return l10n.t('connected');
    case 'lost':
      return l10n.t('not connected: {0}', describe(phase.error));
  }
}

function formatSource(found: CandidateOrigin, l10n: L10n): string {
  switch (found.kind) {
    case 'setting':
      return l10n.t('the settings');
    case 'variable':
      return found.name;
    case 'usual':
      return l10n.t('a usual place of {0}', words(found.product));
    case 'podmanConnection':
      return l10n.t('the Podman connection {0}', words(found.name));
    case 'context': {
      const by = found.chosenBy === 'setting' ? l10n.t('the settings') : (found.chosenBy ?? '');
      const context = l10n.t('the Docker context {0}', words(found.name));
      return by === '' ? context : l10n.t('{0}, chosen by {1}', context, by);
    }
  }
}

/** Of a usual place where nothing is one line says all. */
function triedLines(
  { place, checked }: CheckedCandidate,
  parts: DiagnosisReportOptions,
): readonly string[] {
  const { l10n } = parts;
  const title = l10n.t('Tried now: {0}', formatCandidate(place));
  const [, second] = checked.steps;
  if (place.found.kind === 'usual' && second?.outcome === 'bad') {
    return [title, `  ${stepLine(second, l10n)}`];
  }
  return [title, ...checked.steps.map((step) => `  ${stepLine(step, l10n)}`)];
}

function stepLine({ name, outcome, says, milliseconds }: CheckStep, l10n: L10n): string {
  const took = milliseconds === undefined ? '' : ` (${l10n.t('{0} ms', milliseconds)})`;
  return `${SIGNS[outcome]} ${name}: ${words(says, 1000)}${took}`;
}

function otherLine(parts: DiagnosisReportOptions): (one: CheckedCandidate) => string {
  return ({ place, checked }) => {
    const [step] = checked.steps;
    const { outcome = 'none', says = '', milliseconds } = step ?? {};
    const told = checked.info ? parts.l10n.t('{0} answers.', says) : says;
    const took = milliseconds === undefined ? '' : ` (${parts.l10n.t('{0} ms', milliseconds)})`;
    return `${SIGNS[outcome]} ${formatCandidate(place)}: ${words(told, 1000)}${took}`;
  };
}

/** What it is called, and where it is. */
function formatCandidate({ name, endpoint }: EndpointCandidate): string {
  const url = endpoint?.url ?? '';
  return words(url === '' || url === name ? name : `${name}, ${url}`);
}

function columns(rows: readonly (readonly [name: string, value: string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd());
}

/** What strangers wrote stays on its line. */
function words(text: string, limit?: number): string {
  return oneLine(text, limit);
}

/**
 * The last look at all of it: what is pasted elsewhere may be read as markup there. An address that has a password
 * in spite of all shows none.
 */
function harmless(text: string, machine: Machine): string {
  const withoutPasswords = text.replace(/(\w:\/\/)[^\s/:@]*:[^\s/@]*@/g, '$1…@');
  return withoutLinks(withoutHome(withoutPasswords, machine)).replaceAll('<', '‹');
}

function withoutHome(text: string, { home }: Machine): string {
  if (home.length < 2) return text;
  const escaped = withoutTrailing(home, '\\/').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(new RegExp(`${escaped}(?![\\w.-])`, 'g'), '~');
}
