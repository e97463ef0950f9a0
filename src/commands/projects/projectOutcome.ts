import type { L10n } from '../../l10n.ts';
import type { ContainerOutcome } from '../../projects/operations.ts';
import type { DependencyEnd, FailedWhy, ProjectRun } from '../../projects/runOnProject.ts';
import { errorMessage } from '../errorMessage.ts';
import { formatName, formatNames, formatReasons } from '../formatNames.ts';
import type { MessageAction } from '../ui.ts';
import { errorActions, type ErrorDetails } from '../withErrorMessage.ts';

/** What became of what a command works on. */
export interface ProjectResult<Outcome extends string = ContainerOutcome> {
  readonly done: readonly {
    readonly kind: ResourceKind;
    readonly id: string;
    readonly name: string;
    readonly outcome: Outcome;
  }[];
  readonly failed: readonly {
    readonly kind: ResourceKind;
    readonly id: string;
    readonly name: string;
    readonly message: string;
  }[];
}

type ResourceKind = 'container' | 'network' | 'volume' | 'image';

/** A result with what only a message needs. */
export interface ProjectReport<Outcome extends string = ContainerOutcome> {
  readonly result: ProjectResult<Outcome>;
  readonly isCanceled: boolean;
  /** The number of all that was to be done. */
  readonly total: number;
  /** The first error, for its buttons. */
  readonly error?: unknown;
}

/** Returns the report of a run on containers. */
export function reportOf(run: ProjectRun, l10n: L10n): ProjectReport {
  const done = run.done.map(({ container: { id, name }, outcome }) => {
    return { kind: 'container', id, name, outcome } as const;
  });
  const failed = run.failed.map(({ container: { id, name }, why }) => {
    return { kind: 'container', id, name, message: failedMessage(why, l10n) } as const;
  });
  const [error] = run.failed.flatMap(({ why }) => (why.kind === 'error' ? [why.error] : []));
  return { result: { done, failed }, isCanceled: run.isCanceled, total: run.total, error };
}

/** Joins the reports of several projects. */
export function joinReports<Outcome extends string>(
  all: readonly ProjectReport<Outcome>[],
): ProjectReport<Outcome> {
  return {
    result: {
      done: all.flatMap(({ result }) => result.done),
      failed: all.flatMap(({ result }) => result.failed),
    },
    isCanceled: all.some(({ isCanceled }) => isCanceled),
    total: all.reduce((sum, { total }) => sum + total, 0),
    error: all.find(({ error }) => error !== undefined)?.error,
  };
}

/** Formats why a container was not handled. */
export function failedMessage(why: FailedWhy, l10n: L10n): string {
  return why.kind === 'error'
    ? errorMessage(why.error, l10n)
    : dependencyMessage(formatName(why.service), why.end, l10n);
}

function dependencyMessage(service: string, end: DependencyEnd, l10n: L10n): string {
  switch (end.kind) {
    case 'unhealthy':
      return l10n.t('It depends on {0}, which is unhealthy.', service);
    case 'noCheck':
      return l10n.t('It waits for {0} to be healthy, but {0} has no health check.', service);
    case 'exited':
      return l10n.t('It depends on {0}, which exited with code {1}.', service, end.exitCode);
    case 'gone':
      return l10n.t('It depends on {0}, which was removed.', service);
    case 'late':
      return l10n.t(
        'It depends on {0}, which was not ready after {1} seconds.',
        service,
        Math.round(end.afterMs / 1000),
      );
    case 'error':
      return l10n.t('It depends on {0}. {1}', service, errorMessage(end.error, l10n));
    // The last three: a wait does not end with another condition than its own.
    case 'failed':
    case 'started':
    case 'healthy':
    case 'completed':
      return l10n.t('It depends on {0}, which could not be started.', service);
  }
}

/**
 * Shows at most one message for all containers: the failures, else what was done before a cancellation, else
 * `message`.
 *
 * @param failureTitle the beginning of an error message.
 */
export function showReport<Outcome extends string>(
  details: ErrorDetails,
  failureTitle: string,
  report: ProjectReport<Outcome>,
  options: {
    readonly message?: string | undefined;
    readonly help?: readonly MessageAction[];
  } = {},
): void {
  const { ui } = details;
  const { done, failed } = report.result;
  const canceled = report.isCanceled ? canceledMessage(report, ui.l10n) : '';
  if (failed.length > 0) {
    const help = [...errorActions(report.error, details), ...(options.help ?? [])];
    const words = failuresMessage(failureTitle, report, ui.l10n);
    ui.error([words, canceled].filter((one) => one !== '').join(' '), ...help);
  } else if (canceled !== '') ui.info(canceled, ...(options.help ?? []));
  else if (options.message !== undefined && done.length > 0) ui.info(options.message);
}

function failuresMessage(
  failureTitle: string,
  { result: { failed }, total }: ProjectReport<string>,
  l10n: L10n,
): string {
  const each = failed.map(({ name, message }) => `${formatName(name)}: ${message}`);
  const reasons = formatReasons(each, l10n);
  if (total === 1) return l10n.t('{0}. {1}', failureTitle, reasons);
  return l10n.t('{0}. {1} of {2} failed. {3}', failureTitle, failed.length, total, reasons);
}

function canceledMessage({ result: { done }, total }: ProjectReport<string>, l10n: L10n): string {
  if (done.length === 0) return l10n.t('Canceled. Nothing was done.');
  const names = formatNames(
    done.map(({ name }) => name),
    l10n,
  );
  return l10n.t('Canceled. Done: {0} of {1} ({2}).', done.length, total, names);
}
