import * as l10n from '@vscode/l10n';
import type { Machine } from '../engine/http/endpoint.ts';
import { readVariable } from '../engine/discovery/folders.ts';
import type {
  DiscoveryStep,
  DiscoveryStepResult,
  EndpointCandidate,
} from '../engine/discovery/endpointCandidate.ts';
import { formatFailure } from './failures/failures.ts';
import type { Phase } from '../inventory/phase.ts';
import { oneLine, withoutLinks, withoutTrailing } from '../base/plainText.ts';
import type { CheckStep } from './checkEngine.ts';
import type { DiagnosedEngine, Diagnosis } from './diagnosis.ts';

/**
 * Formats a diagnosis as plain text for a monospace font, safe to share: without passwords, keys and header
 * values, and with `~` for the home folder. Contains no links and no markup.
 */
export function formatDiagnosis(diagnosis: Diagnosis, options: DiagnosisReportOptions): string {
  const { version, editor, remoteName, architecture, machine } = options;
  const { engines, others } = diagnosis;
  const sections = [
    [
      l10n.t('Gantry {0}: diagnosis of engines', version),
      `${editor}, ${machine.platform} ${architecture}`,
      ...(remoteName === undefined ? [] : [l10n.t('Remote window: {0}', oneLine(remoteName))]),
    ],
    section(l10n.t('Default engine'), lookupLines(diagnosis, options)),
    section(l10n.t('Other environment variables'), [
      ...columns(
        VARIABLES.map((name) => [name, oneLine(readVariable(machine, name) ?? l10n.t('not set'))]),
      ),
      l10n.t(
        'If VS Code was started from the desktop, variables that are set only in a shell profile are missing.',
      ),
    ]),
    ...engines.map((engine) =>
      section(l10n.t('Engine {0}', oneLine(engine.name)), engineLines(engine)),
    ),
    section(
      l10n.t('Other engines'),
      others.flatMap(({ candidate, steps: [step] }) =>
        step ? [stepLine({ ...step, name: formatCandidate(candidate) })] : [],
      ),
    ),
  ];
  const texts = sections.filter(({ length }) => length > 0).map((lines) => lines.join('\n'));
  return harmless(`${texts.join('\n\n')}\n`, machine);
}

/** The content of the report besides the diagnosis. */
interface DiagnosisReportOptions {
  /** The version of Gantry. */
  readonly version: string;
  /** The name and version of VS Code. */
  readonly editor: string;
  /** The kind of remote that the window is connected to. */
  readonly remoteName: string | undefined;
  readonly architecture: string;
  readonly machine: Machine;
}

/** Environment variables that affect other engines, besides those that discovery of the default engine reports. */
const VARIABLES = [
  'XDG_CONFIG_HOME',
  'PODMAN_CONNECTIONS_CONF',
  'COLIMA_HOME',
  'LIMA_HOME',
  'SSH_AUTH_SOCK',
] as const;

const SIGNS: Readonly<Record<CheckStep['outcome'], string>> = { good: '✓', bad: '✗', none: '–' };

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, '─'.repeat(Array.from(title).length), ...lines];
}

function lookupLines(
  { looked, terminals }: Diagnosis,
  { machine }: DiagnosisReportOptions,
): readonly string[] {
  const rows = looked.map((step) => {
    const where = oneLine(withoutHome(step.where, machine));
    return [`${step.isDecisive ? '→' : ' '} ${where}`, formatLookup(step)] as const;
  });
  if (!terminals) return columns(rows);
  const cli = l10n.t('The Docker CLI uses a different engine: {0}', formatCandidate(terminals));
  return [...columns(rows), cli];
}

function formatLookup({ result, value }: DiscoveryStep): string {
  const texts: Readonly<Record<DiscoveryStepResult, string>> = {
    notSet: l10n.t('not set'),
    set: l10n.t('set'),
    absent: l10n.t('not found'),
    found: l10n.t('found'),
    damaged: l10n.t('invalid, ignored'),
  };
  return value === undefined ? texts[result] : `${texts[result]}: ${oneLine(value)}`;
}

function engineLines({ phase, url, tried }: DiagnosedEngine): readonly string[] {
  return [
    ...columns([
      [l10n.t('Address'), oneLine(url ?? l10n.t('none yet'))],
      [l10n.t('State'), oneLine(formatState(phase), NOTE_LIMIT)],
    ]),
    ...tried.flatMap(({ candidate, steps }) => [
      formatCandidate(candidate),
      ...steps.map((step) => `  ${stepLine(step)}`),
    ]),
  ];
}

function formatState(phase: Phase): string {
  switch (phase.kind) {
    case 'idle':
      return l10n.t('not checked yet');
    case 'off':
      return l10n.t('disconnected');
    case 'connecting':
      return l10n.t('connecting');
    case 'live':
      return l10n.t('connected');
    case 'lost':
      return formatFailure(phase.error);
  }
}

function stepLine({ name, outcome, note, milliseconds }: CheckStep): string {
  const duration = milliseconds === undefined ? '' : ` ${l10n.t('{0} ms', milliseconds)}`;
  const suffix = note === '' ? '' : `: ${oneLine(note, NOTE_LIMIT)}`;
  return `${SIGNS[outcome]} ${name}${duration}${suffix}`;
}

/** Limit in characters, long enough for a message and quoted untrusted text. */
const NOTE_LIMIT = 1000;

function formatCandidate({ name, endpoint }: EndpointCandidate): string {
  const url = endpoint?.url ?? '';
  return oneLine(url === '' || url === name ? name : `${name}, ${url}`);
}

function columns(rows: readonly (readonly [name: string, value: string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd());
}

/**
 * Sanitizes the whole report, because it may be pasted where it is interpreted as markup. Removes passwords
 * that are still in an address.
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
