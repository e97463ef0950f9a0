import * as l10n from '@vscode/l10n';
import { inspectContainer } from '../../engine/containers/containers.ts';
import type { ExitStatus, WaitCondition } from '../../engine/containers/waitForContainer.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { failedWith, InputError } from '../../engine/errors.ts';
import { waitAcrossReconnects } from '../../engine/containers/reconnectingWait.ts';
import { withSignal } from '../../engine/http/withTimeLimit.ts';
import { readLastLine } from '../../engine/logs/readLastLine.ts';
import { AmbiguousError } from '../../engine/system/resolveTarget.ts';
import { oneLine } from '../../base/plainText.ts';
import { showLog } from '../logs/logsCommand.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { exitMessage, runDuration } from './exitMessage.ts';
import type { TargetCall, TargetCommand } from '../frame/command.ts';
import type { CommandTarget } from '../frame/targets.ts';

/** Milliseconds to wait for the log: the exit is what matters. */
const LAST_LINE_MS = 2000;
/** Maximum length that a VS Code notification shows without folding it. */
const LAST_LINE_LENGTH = 120;

interface WaitArguments {
  readonly condition?: WaitCondition;
}

interface Exit {
  readonly exit: Promise<ExitStatus>;
}

/** Waits until a container exits, and reports how. */
export const waitCommand = (): TargetCommand<WaitArguments, ExitStatus> => ({
  id: 'gantry.containers.wait',
  on: 'container',
  schema: { condition: { kind: { oneOf: ['not-running', 'next-exit', 'removed'] } } },
  fits: ({ state }) => state !== 'exited' && state !== 'dead' && state !== 'removing',
  progress: 'atOnce',
  progressTitle: (name) => l10n.t('Waiting for {0} to exit', name),
  failureTitle: (name) => l10n.t('Could not wait for {0}', name),
  run: async (call, context) => {
    // Before anything asynchronous: a start that is requested after this wait is delayed until the wait is
    // registered.
    const pending = context.exits.registerWait();
    try {
      const { exit } = await register(call, context, (id) => pending.identify(id));
      pending.settle();
      return await exit;
    } finally {
      pending.settle();
    }
  },
  message: waitMessage,
  offers: (_status, { id, name, context }) => [
    { title: l10n.t('Show Logs'), run: () => showLog({ id, name }, context) },
  ],
});

/** Resolves when the exit cannot be missed: the engine has registered the wait, or the exit was kept. */
async function register(
  call: TargetCall<WaitArguments>,
  context: CommandContext,
  identify: (id: string) => void,
): Promise<Exit> {
  const id = await findId(call, context);
  identify(id);
  const kept = context.exits.find(id);
  if (kept) return { exit: withSignal(kept.exit, call.signal) };
  const connection = await call.connect();
  const condition = call.args.condition ?? 'not-running';
  if (condition === 'removed') return waitAs('removed', id, context, call.signal);
  if (condition === 'next-exit') return registerNextExit(call, context, id);
  if (call.isInteractive && !(await hasRun(connection, id, call.signal))) {
    return registerNextExit(call, context, id);
  }
  return registerNotRunning(call, context, id);
}

/** Waits even if the connection to the engine is lost and comes back in the meantime. */
function waitAs(
  condition: WaitCondition,
  id: string,
  { engine }: CommandContext,
  signal: AbortSignal,
): Promise<Exit> {
  return waitAcrossReconnects({ connect: (later) => engine.connect(later), id, condition, signal });
}

/** Returns the full ID. For a container that is already gone, looks among the kept exits. */
async function findId(call: TargetCall<WaitArguments>, context: CommandContext): Promise<string> {
  try {
    return (await call.target()).id;
  } catch (error) {
    const isGone = failedWith(error, 'notFound') && !(error instanceof AmbiguousError);
    const kept = isGone ? context.exits.find(call.text) : undefined;
    if (!kept) throw error;
    return kept.id;
  }
}

/** Engines answer this wait immediately for a container that never ran, with a meaningless exit code. */
async function registerNotRunning(
  call: TargetCall<WaitArguments>,
  context: CommandContext,
  id: string,
): Promise<Exit> {
  const controller = new AbortController();
  const signal = AbortSignal.any([call.signal, controller.signal]);
  try {
    const [registered, isTrue] = await Promise.all([
      waitAs('not-running', id, context, signal),
      // Concurrent with the wait and not before it: with a full ID, the wait needs no earlier request.
      call.connect().then((connection) => hasRun(connection, id, signal)),
    ]);
    if (isTrue) return registered;
    throw new InputError(
      l10n.t('{0} has never been started, so it has no exit code. Use "next-exit".', call.text),
    );
  } catch (error) {
    controller.abort();
    throw error;
  }
}

/** A failed start does not end this wait in the engine. Failed starts by Gantry end it. */
async function registerNextExit(
  call: TargetCall<WaitArguments>,
  context: CommandContext,
  id: string,
): Promise<Exit> {
  const failing = context.exits.untilStartFails(id);
  const signal = AbortSignal.any([call.signal, failing.signal]);
  try {
    const { exit } = await waitAs('next-exit', id, context, signal);
    return {
      exit: exit.finally(() => failing.dispose()),
    };
  } catch (error) {
    failing.dispose();
    throw error;
  }
}

/** Whether the container ever ran, or tried to. If it is gone by now, it did. */
async function hasRun(connection: Connection, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { wasStarted, error } = await inspectContainer(connection, id, signal);
    return wasStarted || error !== '';
  } catch (error) {
    if (failedWith(error, 'notFound')) return true;
    throw error;
  }
}

async function waitMessage(
  { exitCode, error }: ExitStatus,
  { id, name, context }: CommandTarget,
): Promise<string> {
  const details = await findDetails(context, id);
  const duration = details && runDuration(details);
  // For earlier runs, the engine has no details.
  const isSame = details?.exitCode === exitCode && !details.isRunning;
  const wasOutOfMemory = isSame && details.wasOutOfMemory;
  const sentence = exitMessage(name, { exitCode, wasOutOfMemory, duration });
  if (error !== undefined) return `${sentence} ${error}`;
  const last = exitCode !== 0 && isSame ? await lastOutputLine(context, id, details) : undefined;
  return last === undefined ? sentence : `${sentence} ${l10n.t('Its last line: {0}', last)}`;
}

/** Resolves to undefined if the container is gone. */
async function findDetails(
  context: CommandContext,
  id: string,
): Promise<ContainerDetails | undefined> {
  try {
    return await inspectContainer(await context.engine.connect(), id);
  } catch {
    return undefined;
  }
}

/**
 * Returns the last line of output, which usually shows why the program failed. Undefined if it is not
 * available.
 */
async function lastOutputLine(
  context: CommandContext,
  id: string,
  { hasTty }: ContainerDetails,
): Promise<string | undefined> {
  try {
    const connection = await context.engine.connect();
    const line = await readLastLine(connection, id, hasTty, AbortSignal.timeout(LAST_LINE_MS));
    return line === undefined ? undefined : oneLine(line, LAST_LINE_LENGTH);
  } catch {
    return undefined;
  }
}
