import type { EngineInfo } from '../../engine/model.ts';
import { FAILURES, formatFailure } from '../../failures/failures.ts';
import type { Phase } from '../../inventory/inventory.ts';
import type { L10n } from '../../l10n.ts';
import {
  tooltipRows,
  type Icon,
  type RowPresentation,
  type TooltipRow,
} from '../rowPresentation.ts';
import { unlistedMessage } from './gantryState.ts';
import { joinParts, formatLine } from '../format.ts';

/** How the row of an engine looks. */
export function presentEngine(facts: EngineFacts, l10n: L10n): RowPresentation {
  const name = formatLine(facts.name);
  const state = formatPhase(facts.phase, l10n);
  const unchecked = facts.isUnchecked ? l10n.t('certificate not checked') : undefined;
  const preferred = facts.isPreferred ? l10n.t('default here') : undefined;
  const description = joinParts(state, unchecked, preferred);
  const kind = facts.phase.kind === 'idle' ? 'connecting' : facts.phase.kind;
  return {
    label: name,
    description,
    icon: ICONS[facts.phase.kind],
    contextValue: joinWords(
      'engine',
      kind,
      facts.isAdded ? 'added' : 'own',
      facts.isPreferred ? 'preferred' : undefined,
    ),
    accessibilityLabel: l10n.t('Engine {0}, {1}', name, description),
  };
}

/** What is known of an engine beside its inventory. */
export interface EngineFlags {
  /** Whether its certificate is not checked, so that another host can pretend to be it. */
  readonly isUnchecked: boolean;
  /** Whether commands without a row mean it, by the user's choice for this workspace. */
  readonly isPreferred: boolean;
  /** Whether it stands in the setting, so that it can be taken out. */
  readonly isAdded: boolean;
}

/** What the row of an engine tells. */
export interface EngineFacts extends EngineFlags {
  readonly name: string;
  readonly phase: Phase;
  /** Where it is talked to, if it is known yet. */
  readonly address: string | undefined;
}

const ICONS: Readonly<Record<Phase['kind'], Icon>> = {
  idle: { id: 'vm-outline', color: 'disabledForeground' },
  connecting: { id: 'loading~spin' },
  live: { id: 'vm-active', color: 'charts.green' },
  lost: { id: 'warning', color: 'list.warningForeground' },
  off: { id: 'vm-outline', color: 'disabledForeground' },
};

/** What the row of an engine tells when pointed at. */
export function engineTooltip(facts: EngineFacts, l10n: L10n): readonly TooltipRow[] {
  const { phase } = facts;
  const info = phase.kind === 'live' ? phase.info : undefined;
  return tooltipRows(
    [l10n.t('Engine'), facts.name],
    [l10n.t('Address'), facts.address],
    [l10n.t('State'), formatPhase(phase, l10n)],
    [l10n.t('Images'), unlistedMessage(phase, l10n)],
    [l10n.t('API of the engine'), info?.engineApi],
    [l10n.t('API in use'), info?.api],
  );
}

/** What stands below the row of an engine that has nothing to show. */
export function engineNote(phase: Phase, whenEmpty: string, l10n: L10n): string {
  switch (phase.kind) {
    case 'idle':
    case 'connecting':
      return l10n.t('Looking for the engine…');
    case 'live':
      return whenEmpty;
    case 'lost':
      return formatFailure(phase.error, l10n);
    case 'off':
      return l10n.t('You disconnected this engine.');
  }
}

/** What answers: `Docker 28.5.2`. What packagers add to the version after a `+` is left out. */
export function formatProduct({ product, version }: EngineInfo, l10n: L10n): string {
  const name = { docker: 'Docker', podman: 'Podman', unknown: l10n.t('Engine') }[product];
  return version === undefined ? name : `${name} ${formatLine(version.replace(/[+~].*/s, ''))}`;
}

function formatPhase(phase: Phase, l10n: L10n): string {
  switch (phase.kind) {
    case 'idle':
    case 'connecting':
      return l10n.t('connecting…');
    case 'live':
      return joinParts(formatProduct(phase.info, l10n), l10n.t('API {0}', phase.info.api));
    case 'lost':
      return l10n.t('not reachable: {0}', FAILURES[phase.error.reason].short(l10n));
    case 'off':
      return l10n.t('disconnected');
  }
}

function joinWords(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined).join('.');
}
