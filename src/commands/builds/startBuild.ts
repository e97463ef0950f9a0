import * as l10n from '@vscode/l10n';
import type { BuildRun, BuildSpec } from '../../builds/buildRun.ts';
import type { RunShown } from '../../builds/buildx/runBuildx.ts';
import { buildImage } from '../../engine/builds/buildImage.ts';
import { BuildFailedError } from '../../engine/builds/buildFailedError.ts';
import type { BuildRequest, BuildWarning } from '../../engine/builds/model.ts';
import { imageIn } from '../../engine/builds/failedLines.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { parseReference } from '../../engine/options/reference.ts';
import { unreachableRegistry } from '../../engines/failures/unreachableRegistry.ts';
import { isRegistryRefusal } from '../../registries/credentialSource.ts';
import { newBuildRef } from '../../engine/builds/solve.ts';
import { formatRefusal } from '../../builds/formatBuild.ts';
import { oneLine } from '../../base/plainText.ts';
import { messageOf } from '../../base/translate.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { errorMessage, MessageError } from '../ui/errorMessage.ts';
import { requireInside } from './buildTrust.ts';
import { sentProxies } from '../create/proxies.ts';
import type { BuildPaths } from '../frame/contextRow.ts';
import { buildTitle, type BuildArguments } from './buildArguments.ts';
import { buildProviders } from './buildProviders.ts';
import { holderNow } from '../../review/imageByTag.ts';
import { buildWithBuildx } from './buildWithBuildx.ts';
import type { BuildsAccess } from '../../builds/buildsAccess.ts';

/** Starts a build in this window. The caller must join it immediately, by {@link finishBuild}. */
export function startBuild(
  context: CommandContext,
  access: BuildsAccess,
  request: BuildRequest,
  args: Pick<BuildArguments, 'secrets' | 'ssh' | 'builder' | 'push'>,
  { isInteractive, isClassic, run }: BuildStart,
): BuildRun {
  const ref = newBuildRef();
  const title = context.titleOf(buildTitle(request));
  const { builder: name, secrets, push } = args;
  const build = buildOnEngine(context, access, request, { ...args, isInteractive });
  return access.builds.start({
    ref,
    engine: context.unit.id,
    request,
    title,
    work: async (onEvent, signal) => {
      // The build may move the tag.
      const lastImageId = await lastImage(context, access, request, signal);
      if (name !== undefined) {
        const other = { ...args, builder: name };
        const controls = { title, onEvent, signal, run };
        return {
          ...(await buildWithBuildx(context, request, other, controls)),
          lastImageId,
        };
      }
      const controls = { ref, isClassic, onEvent, signal };
      return { ...(await build(request, controls)), lastImageId };
    },
    ...(name === undefined && { rebuild: build }),
    given: {
      ...(secrets && { secrets }),
      ...(name !== undefined && { builder: name }),
      ...(push !== undefined && { push }),
    },
  });
}

/** Returns what builds an image on the engine, and asks the user nothing more when the build has ended. */
function buildOnEngine(
  context: CommandContext,
  access: BuildsAccess,
  paths: BuildPaths,
  { isInteractive, ...args }: Pick<BuildArguments, 'secrets' | 'ssh'> & AskOptions,
): NonNullable<BuildSpec['rebuild']> {
  return async (wanted, controls) => {
    const connection = await context.engine.connect(controls.signal);
    const end = new AbortController();
    const signal = AbortSignal.any([controls.signal, end.signal]);
    const asking = { isInteractive, signal };
    const { ssh = false } = wanted;
    const given = { ...args, ssh: ssh && args.ssh === true };
    const providers = buildProviders(context, connection, given, wanted, asking);
    // In the request alone: what is kept and shown of a build does not have them.
    const own = Object.keys(wanted.args ?? {});
    const { variables, warnings } = await sentProxies(context, connection, own, isInteractive);
    for (const message of warnings) controls.onEvent({ kind: 'warning', warning: { message } });
    const hasProxies = Object.keys(variables).length > 0;
    const request = hasProxies ? { ...wanted, args: { ...variables, ...wanted.args } } : wanted;
    // Until now, the engine could let it wait.
    requireInside(context.ui, paths);
    try {
      const installation = access.installation();
      return await buildImage(connection, request, providers, { ...controls, installation });
    } catch (error) {
      end.abort();
      const explained = explainUnreachableBase(error);
      throw await explainBaseRefusal(context, connection, explained, controls.signal);
    }
  };
}

/**
 * Returns the error of a build whose base image was refused with the credentials that were tried, and the registry. Any
 * other error stays.
 */
async function explainBaseRefusal(
  context: CommandContext,
  connection: Connection,
  error: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof BuildFailedError) || !isRegistryRefusal(error)) return error;
  const { base } = error.failure;
  if (signal.aborted || !base) return error;
  const asked = { connection, ref: base, isInteractive: false, signal };
  return (await context.window.registries()).explain(
    asked,
    error.withFailure({ registry: base.registry }),
  );
}

/**
 * Returns the error of a build whose base image is in a registry that the engine cannot reach, with sentences before
 * the words of the builder. Any other error stays.
 */
function explainUnreachableBase(error: unknown): unknown {
  if (!(error instanceof BuildFailedError)) return error;
  const { engineMessage = '' } = error;
  const image = imageIn(engineMessage);
  const reference = parseReference(image ?? '');
  if (image === undefined || !reference.ok) return error;
  const why = unreachableRegistry(error, reference.value.registry);
  if (why === undefined) return error;
  const words = engineMessage.split('\n').at(-1) ?? '';
  const sentences = l10n.t('Could not read base image {0}. {1}', oneLine(image), why);
  return error.with({ engineMessage: `${sentences}\n${words}` });
}

type AskOptions = Pick<BuildStart, 'isInteractive'>;

export interface BuildOutcome {
  readonly imageId: string;
  readonly digest?: string;
  readonly tags: readonly string[];
  readonly warnings: readonly WarningOutcome[];
  readonly steps: number;
  readonly cachedSteps: number;
}

/** A finding of the builder's checks. */
export interface WarningOutcome {
  readonly message: string;
  /** From 1. */
  readonly line?: number;
}

/** Why a build failed: the message names the step. */
export class BuildMessageError extends MessageError {
  /** The message as it is shown: without what only the log needs. */
  readonly summary: string;
  readonly run: BuildRun;
  declare readonly cause: BuildFailedError;

  constructor(message: string, summary: string, run: BuildRun, cause: BuildFailedError) {
    super(message, { cause });
    this.summary = summary;
    this.run = run;
  }
}

export interface BuildStart {
  /** Whether the user can be asked. */
  readonly isInteractive: boolean;
  /** Whether the user has agreed to the classic builder of Docker. */
  readonly isClassic?: boolean;
  /** Runs buildx, if a builder of it is named; by default in a task of its own. */
  readonly run?: RunShown;
}

/** Returns the image that has one of the tags, else that of the last build of this window of the same stage. */
async function lastImage(
  { engine, unit }: CommandContext,
  { builds }: BuildsAccess,
  { tags, context, dockerfile, target }: BuildRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const tag of tags) {
    // What cannot be found out is not compared; the build itself reports what is wrong.
    const image = await engine
      .connect(signal)
      .then((connection) => holderNow(connection, tag, signal))
      .catch(() => undefined);
    if (image) return image.id;
  }
  const ended = builds.all.flatMap((run) => {
    const { request } = run.spec;
    const isSame =
      run.engine === unit.id &&
      request.dockerfile === dockerfile &&
      request.context === context &&
      request.target === target;
    const isHere = run.end?.phase === 'done' && run.end.result.isElsewhere === undefined;
    return isSame && isHere ? [run.end.result.imageId] : [];
  });
  return ended.findLast((id) => id !== '');
}

/**
 * Waits for a build, and shows its problems. Rejects with one message that names the failing step.
 *
 * @param wait joins the build.
 */
export async function finishBuild(
  { problems }: BuildsAccess,
  run: BuildRun,
  wait: () => Promise<{ readonly imageId: string; readonly digest?: string }>,
): Promise<BuildOutcome> {
  const { request } = run.spec;
  try {
    const { imageId, digest } = await wait();
    const { warnings } = run.trace;
    await problems.show(request.dockerfile, { warnings });
    const { all, cached } = run.counts;
    return {
      imageId,
      ...(digest !== undefined && { digest }),
      tags: request.tags,
      warnings: [
        ...warnings.map(warningOutcome),
        ...refusalsOf(run).map((message) => ({ message })),
      ],
      steps: all,
      cachedSteps: cached,
    };
  } catch (error) {
    // Anything else is not of the build itself, such as a lost connection.
    if (!(error instanceof BuildFailedError)) throw error;
    await problems.show(request.dockerfile, {
      failure: { message: errorMessage(error), source: error.failure.source },
      warnings: run.trace.warnings,
    });
    throw withStep(run, error);
  }
}

/** Returns a sentence for each question of the engine that was refused. */
function refusalsOf({ trace }: BuildRun): readonly string[] {
  return trace.refusals.map((refusal) => formatRefusal(refusal));
}

/** Returns a warning as commands resolve to it. */
export function warningOutcome(warning: BuildWarning): WarningOutcome {
  const { source } = warning;
  return { message: messageOf(warning), ...(source && { line: source.lines.start }) };
}

/** Number of lines of the failing step's output in the message. */
const LAST_LINES = 5;
const LINE_LIMIT = 200;

/** Returns the error with a message that names the step that failed. */
function withStep(run: BuildRun, error: BuildFailedError): BuildMessageError {
  const { trace, title } = run;
  const { step: id } = error.failure;
  const byId = id === undefined ? undefined : trace.step(id);
  const step = byId ?? trace.steps.find((one) => one.step.state === 'failed');
  const whole = errorMessage(error);
  // If a base image could not be read, sentences come first, and then the words of the builder.
  const isBase = imageIn(whole) !== undefined;
  const [reason = '', ...detail] = isBase ? whole.split('\n') : [whole];
  const lines = (step?.output.lines ?? [])
    .slice(-LAST_LINES)
    .map((one) => oneLine(one, LINE_LIMIT));
  const words = step
    ? l10n.t(
        'Could not build {0}: {1} failed: {2}',
        title,
        oneLine(step.step.name, LINE_LIMIT),
        reason,
      )
    : l10n.t('Could not build {0}: {1}', title, reason);
  const refusals = refusalsOf(run);
  const message = [words, ...detail, ...lines, ...refusals].join('\n');
  const summary = isBase ? [words, ...refusals].join('\n') : message;
  return new BuildMessageError(message, summary, run, error);
}
