import * as l10n from '@vscode/l10n';
import { BuildRun, canBuildAgain } from '../../builds/buildRun.ts';
import type { StepState } from '../../builds/buildTrace.ts';
import { comparedImages, sentFiles } from '../../builds/buildResults.ts';
import { stepToOpen } from '../../builds/stepToOpen.ts';
import type { ShownBuild } from '../../builds/shownBuild.ts';
import type { BuildTransfer } from '../../engine/builds/model.ts';
import { formatLine, joinSpoken } from '../format.ts';
import type { DescribeError, RowPresentation, TooltipRow } from '../rowPresentation.ts';
import { TreeNode } from '../treeNode.ts';
import {
  buildTooltip,
  presentBuild,
  presentBuildTransfer,
  presentInternal,
  presentStage,
  presentStep,
  stepTooltip,
  type BuildTexts,
} from './presentBuild.ts';
import { isInternal, stagesInOrder, stepsInOrder } from './stepOrder.ts';

/** A row of the view of builds. */
export abstract class BuildRow extends TreeNode {
  override get children(): readonly BuildRow[] | undefined {
    return undefined;
  }

  abstract override present(texts: BuildTexts): RowPresentation;
  abstract override tooltip(): readonly TooltipRow[];
}

/** The row of a build, with its stages and steps below. */
export class BuildNode extends BuildRow {
  readonly build: ShownBuild;
  readonly #describe: DescribeError;
  readonly #stages = new Map<string, StageNode>();
  readonly #steps = new Map<string, StepNode>();
  #internal: InternalNode | undefined;

  /** @param describe returns the error message to show to the user. */
  constructor(build: ShownBuild, describe: DescribeError) {
    super(build.engine, `build/${build.ref}`);
    this.build = build;
    this.#describe = describe;
  }

  /**
   * The stages in their order if there are several, and the steps of none, in the order in which they were reported;
   * those of the builder itself are folded, but not those that failed.
   */
  override get children(): readonly BuildRow[] {
    const { steps } = this.build.trace;
    const names = stagesInOrder(steps);
    const folded = new Set(steps.filter((one) => isInternal(one) && one.step.state !== 'failed'));
    const isFolding = folded.size > 1;
    const shown = steps.filter((one) => !isFolding || !folded.has(one));
    const rows: BuildRow[] = isFolding ? [this.#internalRow([...folded])] : [];
    if (names.length < 2)
      return [...rows, ...stepsInOrder(shown).map((step) => this.stepRow(step, this))];
    const stages = Map.groupBy(steps, ({ stagePosition }) => stagePosition?.stage);
    // Stages take the places that they have among the other steps, but in their order.
    const next = names.values();
    const places = new Set<string>();
    for (const step of shown) {
      const stage = step.stagePosition?.stage;
      if (stage === undefined) rows.push(this.stepRow(step, this));
      else if (!places.has(stage)) {
        places.add(stage);
        const name = next.next().value ?? stage;
        rows.push(this.#stage(name, stages.get(name) ?? []));
      }
    }
    return rows;
  }

  /** The row of the first step that failed, if there is one. */
  get failedRow(): BuildRow | undefined {
    const rows = this.children.flatMap((row) => [row, ...(row.children ?? [])]);
    return rows.find((row) => row instanceof StepNode && row.step.step.state === 'failed');
  }

  /** Returns the row of a step. It is the same whenever it is asked for, until the trace is read again. */
  stepRow(step: StepState, parent: BuildRow): StepNode {
    // A step moves below a stage when the second stage is known.
    const key = `${parent === this ? '' : parent.id} ${step.step.id}`;
    const known = this.#steps.get(key);
    const row = known?.step === step ? known : new StepNode(this, step, parent);
    this.#steps.set(key, row);
    return row;
  }

  present(texts: BuildTexts): RowPresentation {
    const shown = presentBuild(this.build, this.#describe, texts);
    const comparable = comparedImages(this.build) ? '.comparable' : '';
    const again = canBuildAgain(this.build) ? '.again' : '';
    const isOver = this.build instanceof BuildRun && this.build.phase !== 'running';
    const file = isOver ? '.file' : '';
    const sent = sentFiles(this.build) ? '.sent' : '';
    const contextValue = `${shown.contextValue}${comparable}${again}${file}${sent}`;
    return { ...shown, contextValue };
  }

  tooltip(): readonly TooltipRow[] {
    return buildTooltip(this.build, this.#describe);
  }

  #internalRow(steps: readonly StepState[]): InternalNode {
    const row = (this.#internal ??= new InternalNode(this));
    row.steps = steps;
    return row;
  }

  #stage(name: string, steps: readonly StepState[]): StageNode {
    const known = this.#stages.get(name) ?? new StageNode(this, name);
    this.#stages.set(name, known);
    known.steps = steps;
    return known;
  }
}

export class StageNode extends BuildRow {
  readonly #node: BuildNode;
  readonly #name: string;
  steps: readonly StepState[] = [];

  constructor(node: BuildNode, name: string) {
    super(node.engine, `build/${node.build.ref}/stage/${name}`, node);
    this.#node = node;
    this.#name = name;
  }

  override get children(): readonly BuildRow[] {
    return stepsInOrder(this.steps).map((step) => this.#node.stepRow(step, this));
  }

  present(): RowPresentation {
    return presentStage(this.#name, this.steps);
  }

  tooltip(): readonly TooltipRow[] {
    return [{ name: l10n.t('Stage'), value: this.#name }];
  }
}

/** The row of the steps of the builder itself. */
class InternalNode extends BuildRow {
  readonly #node: BuildNode;
  steps: readonly StepState[] = [];

  constructor(node: BuildNode) {
    super(node.engine, `build/${node.build.ref}/internal`, node);
    this.#node = node;
  }

  override get children(): readonly BuildRow[] {
    return this.steps.map((step) => this.#node.stepRow(step, this));
  }

  present(): RowPresentation {
    return presentInternal(this.steps);
  }

  tooltip(): readonly TooltipRow[] {
    return [];
  }
}

/** The row of a step, with what it downloads or receives below. */
export class StepNode extends BuildRow {
  readonly node: BuildNode;
  readonly step: StepState;

  constructor(node: BuildNode, step: StepState, parent: BuildRow) {
    super(node.engine, `${parent.id}/step/${step.step.id}`, parent);
    this.node = node;
    this.step = step;
  }

  override get children(): readonly BuildRow[] | undefined {
    const { transfers } = this.step;
    if (transfers.size === 0) return undefined;
    return [...transfers.values()].map((one) => new BuildTransferNode(this, one));
  }

  present(texts: BuildTexts): RowPresentation {
    const shown = presentStep(this.step, texts);
    return this.#hasShell() ? { ...shown, contextValue: `${shown.contextValue}.shell` } : shown;
  }

  /** Whether a shell can be opened in the state before this step. */
  #hasShell(): boolean {
    const { build } = this.node;
    const isFailed = this.step.step.state === 'failed' && build instanceof BuildRun;
    return isFailed && stepToOpen(build)?.step === this.step;
  }

  tooltip(): readonly TooltipRow[] {
    return stepTooltip(this.step);
  }
}

/** The row of a layer, or of the files that are sent. */
class BuildTransferNode extends BuildRow {
  readonly #transfer: BuildTransfer;

  constructor(parent: StepNode, transfer: BuildTransfer) {
    super(parent.engine, `${parent.id}/${transfer.id}`, parent);
    this.#transfer = transfer;
  }

  present(): RowPresentation {
    return presentBuildTransfer(this.#transfer);
  }

  tooltip(): readonly TooltipRow[] {
    return [{ name: l10n.t('Name'), value: this.#transfer.name }];
  }
}

/** A row about the history of engines: that it could not be read, or that none is kept. */
export class BuildNoteNode extends BuildRow {
  readonly note: BuildNote;

  constructor(note: BuildNote) {
    super(note.engine, `builds/${note.kind}`);
    this.note = note;
  }

  /** Whether the other row is of the same engine, and says the same. */
  says({ id, note }: BuildNoteNode): boolean {
    return id === this.id && note.message === this.note.message;
  }

  present(): RowPresentation {
    const { kind, label, description } = this.note;
    const icon =
      kind === 'failed' ? { id: 'error', color: 'list.errorForeground' } : { id: 'info' };
    const accessibilityLabel = joinSpoken(label, description);
    return { label, description, icon, contextValue: 'buildNote', accessibilityLabel };
  }

  tooltip(): readonly TooltipRow[] {
    const { kind, message } = this.note;
    return [{ name: kind === 'failed' ? l10n.t('Failed') : l10n.t('Builds'), value: message }];
  }
}

/** Text of a row about the history of engines. */
export interface BuildNote {
  readonly kind: 'failed' | 'limited';
  /** The ID of the engine, or of the first of them. */
  readonly engine: string;
  readonly label: string;
  readonly description: string;
  /** The whole message, for the tooltip. */
  readonly message: string;
}

/** The row with the reason why the steps of a build could not be read. */
export class BuildErrorNode extends BuildRow {
  readonly #message: string;

  constructor(parent: BuildNode, message: string) {
    super(parent.engine, `${parent.id}/error`, parent);
    this.#message = message;
  }

  present(): RowPresentation {
    const label = formatLine(this.#message);
    const icon = { id: 'error', color: 'list.errorForeground' };
    return { label, description: '', icon, contextValue: 'buildError', accessibilityLabel: label };
  }

  tooltip(): readonly TooltipRow[] {
    return [{ name: l10n.t('Failed'), value: this.#message }];
  }
}
