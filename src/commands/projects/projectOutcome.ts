import * as l10n from '@vscode/l10n';

import { isCancellation } from '../../base/lifetime.ts';
import type { ContainerOutcome } from '../../projects/operations.ts';
import type { DependencyEnd, FailedWhy, ProjectRun } from '../../projects/runOnProject.ts';
import { errorMessage } from '../ui/errorMessage.ts';
import { formatName, formatNames, formatReasons } from '../ui/formatNames.ts';
import { mapConcurrently } from '../../base/mapConcurrently.ts';
import type { MessageAction } from '../ui/ui.ts';
import { errorActions, type ErrorDetails } from '../ui/withErrorMessage.ts';
import type { ProjectTarget } from './projectTarget.ts';

/** Outcome of a command on a project. */
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
  /** The projects of which nothing was done because of an error. */
  readonly failedProjects?: readonly Failed[];
  readonly isCanceled: boolean;
  /** The number of all that was to be done. */
  readonly total: number;
  /** The first error, for its buttons. */
  readonly error?: unknown;
}

interface Failed {
  readonly name: string;
  readonly message: string;
}

/** Returns the report of a run on containers. */
export function reportOf(run: ProjectRun): ProjectReport {
  const done = run.done.map(({ container: { id, name }, outcome }) => {
    return { kind: 'container', id, name, outcome } as const;
  });
  const failed = run.failed.map(({ container: { id, name }, why }) => {
    return { kind: 'container', id, name, message: failedMessage(why) } as const;
  });
  const [error] = run.failed.flatMap(({ why }) => (why.kind === 'error' ? [why.error] : []));
  return { result: { done, failed }, isCanceled: run.isCanceled, total: run.total, error };
}

/**
 * Works on projects, at most `limit` at a time, and joins their reports. The error of one of several is only its
 * failure, so that it does not hide what became of the others.
 */
export async function reportOnEach<Outcome extends string>(
  limit: number,
  targets: readonly ProjectTarget[],
  work: (target: ProjectTarget) => Promise<ProjectReport<Outcome>>,
): Promise<ProjectReport<Outcome>> {
  const all = await mapConcurrently(limit, targets, async (target) => {
    try {
      return await work(target);
    } catch (error) {
      if (targets.length === 1) throw error;
      return reportOfError(target, error);
    }
  });
  return {
    result: joinResults(all.map(({ result }) => result)),
    failedProjects: all.flatMap(({ failedProjects = [] }) => failedProjects),
    isCanceled: all.some(({ isCanceled }) => isCanceled),
    total: all.reduce((sum, { total }) => sum + total, 0),
    error: all.find(({ error }) => error !== undefined)?.error,
  };
}

function reportOfError(
  { project, service, context }: ProjectTarget,
  error: unknown,
): ProjectReport<never> {
  const isCanceled = isCancellation(error);
  const name = context.titleOf(service ?? project);
  const message = errorMessage(error);
  const failedProjects = isCanceled ? [] : [{ name, message }];
  return { result: { done: [], failed: [] }, failedProjects, isCanceled, total: 1, error };
}

/** Joins the results of several projects. */
export function joinResults<Outcome extends string>(
  all: readonly ProjectResult<Outcome>[],
): ProjectResult<Outcome> {
  return { done: all.flatMap(({ done }) => done), failed: all.flatMap(({ failed }) => failed) };
}

/** Formats why a container was not handled. */
export function failedMessage(why: FailedWhy): string {
  return why.kind === 'error'
    ? errorMessage(why.error)
    : dependencyMessage(formatName(why.service), why.end);
}

function dependencyMessage(service: string, end: DependencyEnd): string {
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
      return l10n.t('It depends on {0}. {1}', service, errorMessage(end.error));
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
  const { done } = report.result;
  const canceled = report.isCanceled ? canceledMessage(report) : '';
  if (failuresOf(report).length > 0) {
    const help = [...errorActions(report.error, details), ...(options.help ?? [])];
    const words = failuresMessage(failureTitle, report);
    ui.error([words, canceled].filter((one) => one !== '').join(' '), ...help);
  } else if (canceled !== '') ui.info(canceled, ...(options.help ?? []));
  else if (options.message !== undefined && done.length > 0) ui.info(options.message);
}

function failuresMessage(failureTitle: string, report: ProjectReport<string>): string {
  const { total } = report;
  const failed = failuresOf(report);
  const each = failed.map(({ name, message }) => `${formatName(name)}: ${message}`);
  const reasons = formatReasons(each);
  if (total === 1) return l10n.t('{0}. {1}', failureTitle, reasons);
  return l10n.t('{0}. {1} of {2} failed. {3}', failureTitle, failed.length, total, reasons);
}

function failuresOf({ result, failedProjects = [] }: ProjectReport<string>): readonly Failed[] {
  return [...result.failed, ...failedProjects];
}

function canceledMessage({ result: { done }, total }: ProjectReport<string>): string {
  if (done.length === 0) return l10n.t('Canceled. Nothing was done.');
  const names = formatNames(done.map(({ name }) => name));
  return l10n.t('Canceled. Done: {0} of {1} ({2}).', done.length, total, names);
}
