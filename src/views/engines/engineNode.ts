import * as l10n from '@vscode/l10n';
import type { KnownEngine } from '../../inventory/knownEngine.ts';
import {
  type RowPresentation,
  type TooltipRow,
  tooltipRows,
  type Icon,
} from '../rowPresentation.ts';
import { TreeNode } from '../treeNode.ts';
import type { Rows } from '../rows.ts';
import { formatLine, joinParts } from '../format.ts';
import type { EngineInfo } from '../../engine/model.ts';
import { FAILURES, formatFailure } from '../../engines/failures/failures.ts';
import { translate } from '../../base/translate.ts';
import type { Phase } from '../../inventory/phase.ts';
import { originOf, unlistedMessage } from './engineState.ts';

/** The row of one engine. Shown if there are several engines. */
export class EngineNode extends TreeNode {
  readonly #engine: KnownEngine;
  readonly #options: EngineNodeOptions;
  readonly #note: NoteNode;
  #rows: Rows | undefined;

  constructor(engine: KnownEngine, options: EngineNodeOptions) {
    super(engine.id, 'engine');
    this.#engine = engine;
    this.#options = options;
    this.#note = new NoteNode(this, engine, options);
  }

  show(rows: Rows): void {
    this.#rows = rows;
  }

  get name(): string {
    return this.#engine.name;
  }

  override get children(): readonly TreeNode[] {
    const roots = this.#rows?.roots ?? [];
    return roots.length > 0 ? roots : [this.#note];
  }

  present(): RowPresentation {
    return presentEngine(this.#engine, this.#options.isPreferred(this.#engine));
  }

  tooltip(): readonly TooltipRow[] {
    return engineTooltip(this.#engine);
  }
}

/** Parts of an engine row that do not come from the inventory. */
export interface EngineNodeOptions {
  /** Whether the engine is the workspace default, used by commands that run without a row. */
  readonly isPreferred: (engine: KnownEngine) => boolean;
  /** Returns the text below the row if the engine has nothing to show. */
  readonly whenEmpty: (engine: KnownEngine) => string;
}

/** A message in place of rows. */
export class NoteNode extends TreeNode {
  readonly #engine: KnownEngine;
  readonly #options: EngineNodeOptions;

  constructor(parent: EngineNode, engine: KnownEngine, options: EngineNodeOptions) {
    super(engine.id, 'note', parent);
    this.#engine = engine;
    this.#options = options;
  }

  present(): RowPresentation {
    const text = this.#text();
    const isLost = this.#engine.inventory.phase.kind === 'lost';
    return {
      label: text,
      description: '',
      icon: { id: isLost ? 'error' : 'info' },
      contextValue: isLost ? 'note.lost' : 'note',
      accessibilityLabel: text,
    };
  }

  tooltip(): readonly TooltipRow[] {
    return [{ name: l10n.t('Engine'), value: this.#text() }];
  }

  #text(): string {
    const { phase } = this.#engine.inventory;
    return formatLine(engineNote(phase, this.#options.whenEmpty(this.#engine)));
  }
}

function presentEngine(known: KnownEngine, isPreferred: boolean): RowPresentation {
  const { inventory, isUnchecked, isAdded } = known;
  const { phase } = inventory;
  const name = formatLine(known.name);
  const description = joinParts(
    formatPhase(phase),
    isUnchecked ? l10n.t('certificate not verified') : '',
    isPreferred ? l10n.t('workspace default') : '',
    formatLine(originOf(known)),
  );
  const kind = phase.kind === 'idle' ? 'connecting' : phase.kind;
  const words = ['engine', kind, isAdded ? 'added' : 'own'];
  return {
    label: name,
    description,
    icon: ICONS[phase.kind],
    contextValue: [...words, ...(isPreferred ? ['preferred'] : [])].join('.'),
    accessibilityLabel: l10n.t('Engine {0}, {1}', name, description),
  };
}

const ICONS: Readonly<Record<Phase['kind'], Icon>> = {
  idle: { id: 'vm-outline', color: 'disabledForeground' },
  connecting: { id: 'loading~spin' },
  live: { id: 'vm-active', color: 'charts.green' },
  lost: { id: 'warning', color: 'list.warningForeground' },
  off: { id: 'vm-outline', color: 'disabledForeground' },
};

function engineTooltip({ name, inventory, engine }: KnownEngine): readonly TooltipRow[] {
  const { phase } = inventory;
  const info = phase.kind === 'live' ? phase.info : undefined;
  return tooltipRows(
    [l10n.t('Engine'), name],
    [l10n.t('Address'), engine.endpoint?.url],
    [l10n.t('State'), formatPhase(phase)],
    [l10n.t('Images'), unlistedMessage(phase)],
    [l10n.t('Engine API version'), info?.engineApi],
    [l10n.t('API version in use'), info?.api],
  );
}

/** Returns the message below an engine row that has nothing to show. */
function engineNote(phase: Phase, whenEmpty: string): string {
  switch (phase.kind) {
    case 'idle':
    case 'connecting':
      return l10n.t('Connecting to the engine...');
    case 'live':
      return whenEmpty;
    case 'lost':
      return formatFailure(phase.error);
    case 'off':
      return l10n.t('Disconnected from this engine.');
  }
}

/** Formats the product and version: `Docker 28.5.2`. A suffix added by packagers, after `+` or `~`, is left out. */
function formatProduct({ product, version }: EngineInfo): string {
  const name = { docker: 'Docker', podman: 'Podman', unknown: l10n.t('Engine') }[product];
  return version === undefined ? name : `${name} ${formatLine(version.replace(/[+~].*/s, ''))}`;
}

function formatPhase(phase: Phase): string {
  switch (phase.kind) {
    case 'idle':
    case 'connecting':
      return l10n.t('connecting...');
    case 'live':
      return joinParts(formatProduct(phase.info), l10n.t('API {0}', phase.info.api));
    case 'lost':
      return l10n.t('not reachable: {0}', translate(FAILURES[phase.error.reason].short));
    case 'off':
      return l10n.t('disconnected');
  }
}
