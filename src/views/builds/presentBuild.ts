import * as l10n from '@vscode/l10n';
import type { StepState } from '../../builds/buildTrace.ts';
import { formatCached, formatDuration } from '../../builds/formatBuild.ts';
import type { BuildPhase, ShownBuild } from '../../builds/shownBuild.ts';
import type { BuildStep, BuildTransfer } from '../../engine/builds/model.ts';
import { formatShortAge, type Age } from '../../inventory/age.ts';
import { BUSY_ICON } from '../containers/containerCondition.ts';
import { formatDateTime, formatLine, formatSize, joinParts, joinSpoken } from '../format.ts';
import {
  tooltipRows,
  type DescribeError,
  type Icon,
  type RowPresentation,
  type TooltipRow,
} from '../rowPresentation.ts';

export function presentBuild(
  build: ShownBuild,
  describe: DescribeError,
  texts: BuildTexts,
): RowPresentation {
  const { phase, counts } = build;
  const label = formatLine(build.title);
  const words: Readonly<Record<BuildPhase, () => string>> = {
    // The steps of another client's build are known when its row is opened.
    running: () =>
      counts.all === 0 ? '' : l10n.t('{0} of {1} steps', counts.finished, counts.all),
    done: () => (counts.all === 0 ? '' : l10n.t('{0} of {1} cached', counts.cached, counts.all)),
    failed: () => l10n.t('failed: {0}', formatReason(describe(build.error))),
    canceled: () =>
      texts.isInterrupted?.(build.ref) === true
        ? l10n.t('interrupted by a reload')
        : l10n.t('canceled'),
  };
  const icons: Readonly<Record<BuildPhase, Icon>> = {
    running: BUSY_ICON,
    done: { id: 'pass', color: 'testing.iconPassed' },
    failed: FAILED,
    canceled: { id: 'circle-slash', color: DIMMED },
  };
  const time = formatTime(build, texts);
  const engine = formatLine(texts.engineName?.(build.engine) ?? '');
  const age = ageOf(build, texts);
  const ago = age ? l10n.t('{0} ago', formatShortAge(age, texts.now())) : '';
  const description =
    phase === 'failed'
      ? joinParts(ago, words.failed(), time, engine)
      : joinParts(ago, time, words[phase](), engine);
  return {
    label,
    description,
    icon: icons[phase],
    // Only a build of this window can be canceled.
    contextValue: build.isOwn || phase !== 'running' ? `build.${phase}` : 'build.runningElsewhere',
    accessibilityLabel: joinSpoken(spokenBuild(label, phase), description),
    ...(age && { age }),
  };
}

/** Returns how long ago a build ended; undefined while it runs. */
function ageOf({ endedAt, phase }: ShownBuild, { now }: BuildTexts): Age | undefined {
  if (endedAt === undefined || phase === 'running') return undefined;
  // The clock of the engine may be ahead.
  const at = Math.min(endedAt, now());
  return { earliest: at, latest: at };
}

/** Returns the name of a build, and its phase if only the icon shows it. */
function spokenBuild(label: string, phase: BuildPhase): string {
  const name = l10n.t('Build {0}', label);
  if (phase === 'running') return joinSpoken(name, l10n.t('building'));
  return phase === 'done' ? joinSpoken(name, l10n.t('built')) : name;
}

/** Texts that the rows of builds are shown with. */
export interface BuildTexts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether the end of an earlier window has canceled the build with this reference, and not a user. */
  readonly isInterrupted?: (ref: string) => boolean;
  /** Returns the name of an engine if there are several. */
  readonly engineName?: (id: string) => string | undefined;
}

const FAILED: Icon = { id: 'error', color: 'problemsErrorIcon.foreground' };
const DIMMED = 'disabledForeground';

/** Formats why something failed for a narrow row: of a command, only how it ended. */
function formatReason(text: string): string {
  const isOfCommand = /^(?:process|building at STEP) "/.test(text);
  const end = isOfCommand ? text.lastIndexOf(': exit ') : -1;
  if (end >= 0) return formatLine(text.slice(end + 2));
  // Below sentences are the words of the builder.
  return formatLine(/^[^\n]*\.(?=\n)/.exec(text)?.[0] ?? text);
}

export function buildTooltip(build: ShownBuild, describe: DescribeError): readonly TooltipRow[] {
  const { title, startedAt, error, counts, phase } = build;
  return tooltipRows(
    [l10n.t('Name'), title],
    [l10n.t('Started'), formatDateTime(new Date(startedAt).toISOString())],
    [l10n.t('Steps'), counts.all > 0 ? formatCached(counts) : ''],
    [l10n.t('Failed'), phase === 'failed' ? describe(error) : ''],
  );
}

export function presentStep(state: StepState, texts: BuildTexts): RowPresentation {
  const { step, stagePosition: position } = state;
  const name = position
    ? l10n.t('{0}/{1} {2}', position.position, position.all, position.text)
    : step.name;
  const label = formatLine(name);
  const description = describeStep(step, texts);
  return {
    label,
    description,
    icon: STEP_ICONS[step.state],
    contextValue: `buildStep.${step.state}`,
    accessibilityLabel: joinSpoken(label, description),
  };
}

const STEP_ICONS: Readonly<Record<BuildStep['state'], Icon>> = {
  waiting: { id: 'circle-outline', color: DIMMED },
  running: BUSY_ICON,
  done: { id: 'check' },
  cached: { id: 'check', color: DIMMED },
  failed: FAILED,
  canceled: { id: 'circle-slash', color: DIMMED },
};

function describeStep(step: BuildStep, texts: BuildTexts): string {
  const time =
    step.startedAt === undefined ? '' : formatTime({ ...step, startedAt: step.startedAt }, texts);
  const words: Readonly<Record<BuildStep['state'], () => string>> = {
    waiting: () => '',
    running: () => time,
    done: () => time,
    cached: () => l10n.t('cached'),
    failed: () => joinParts(l10n.t('failed: {0}', formatReason(step.error ?? '')), time),
    canceled: () => l10n.t('canceled'),
  };
  return words[step.state]();
}

export function stepTooltip({ step }: StepState): readonly TooltipRow[] {
  return tooltipRows([l10n.t('Step'), step.name], [l10n.t('Failed'), step.error ?? '']);
}

export function presentStage(name: string, steps: readonly StepState[]): RowPresentation {
  const states = steps.map(({ step }) => step.state);
  const isDone = states.every((one) => one === 'done' || one === 'cached');
  const label = formatLine(name);
  const words = states.every((one) => one === 'cached')
    ? l10n.t('cached')
    : isDone
      ? l10n.t('done')
      : l10n.t(
          '{0} of {1} steps',
          states.filter((one) => one === 'done' || one === 'cached').length,
          steps.length,
        );
  return {
    label,
    description: words,
    // The twistie takes the place of the icon; the steps have theirs.
    icon: states.includes('failed') ? FAILED : { id: 'layers' },
    contextValue: 'buildStage',
    accessibilityLabel: l10n.t('Stage {0}, {1}', label, words),
  };
}

/** Returns the presentation of the steps of the builder itself. */
export function presentInternal(steps: readonly StepState[]): RowPresentation {
  const label = l10n.t('Internal');
  const description = steps.length === 1 ? l10n.t('1 step') : l10n.t('{0} steps', steps.length);
  return {
    label,
    description,
    icon: steps.some(({ step }) => step.state === 'running') ? BUSY_ICON : { id: 'check' },
    contextValue: 'buildInternal',
    accessibilityLabel: joinSpoken(label, description),
  };
}

/** Returns the presentation of a layer that is downloaded, or of the files that are sent. */
export function presentBuildTransfer(transfer: BuildTransfer): RowPresentation {
  const { name, current, total, isDone } = transfer;
  const label = formatLine(name);
  const bytes =
    total !== undefined && total > 0
      ? l10n.t('{0} of {1}', formatSize(current), formatSize(total))
      : formatSize(current);
  const description = joinParts(isDone ? l10n.t('done') : '', bytes);
  return {
    label,
    description,
    icon: isDone ? { id: 'check' } : { id: 'arrow-down' },
    contextValue: 'layer',
    accessibilityLabel: joinSpoken(label, description),
  };
}

/** Formats how long something took, or has taken so far. */
function formatTime(
  { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt?: number | undefined },
  { now }: BuildTexts,
): string {
  return formatDuration((endedAt ?? now()) - startedAt);
}
