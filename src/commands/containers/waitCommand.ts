import * as vscode from 'vscode';
import { inspectContainer } from '../../engine/containers/containers.ts';
import type { ExitStatus, WaitCondition } from '../../engine/containers/waitForContainer.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { failedWith, InputError } from '../../engine/errors.ts';
import { waitAcrossReconnects } from '../../engine/containers/reconnectingWait.ts';
import { withSignal } from '../../engine/http/withTimeLimit.ts';
import { readLastLine } from '../../engine/logs/readLastLine.ts';
import { AmbiguousError } from '../../engine/registries/resolve.ts';
import { oneLine } from '../../plainText.ts';
import { showLog } from '../logs/logsCommand.ts';
import type { CommandContext } from '../context.ts';
import { exitMessage, runDuration } from './exitMessage.ts';
import type { TargetCall, TargetCommand } from '../command.ts';
import type { CommandTarget } from '../targets.ts';

const { l10n } = vscode;

/** So long a log is waited for, in milliseconds: the exit itself is what is to be told. */
const LAST_LINE_MS = 2000;
/** What a message of the editor shows without folding it. */
const LAST_LINE_LENGTH = 120;

interface WaitArguments {
  readonly condition?: WaitCondition;
}

interface Exit {
  readonly exit: Promise<ExitStatus>;
}

/** Waits for a container's end and tells how it ended. */
export const waitCommand: TargetCommand<WaitArguments, ExitStatus> = {
  id: 'gantry.containers.wait',
  kind: 'container',
  schema: { condition: { kind: { oneOf: ['not-running', 'next-exit', 'removed'] } } },
  fits: ({ state }) => state !== 'exited' && state !== 'dead' && state !== 'removing',
  progress: 'atOnce',
  progressTitle: (name) => l10n.t('Waiting for {0} to exit', name),
  failureTitle: (name) => l10n.t('Could not wait for {0}', name),
  run: async (call, context) => {
    // Before anything asynchronous: a start asked for after this wait is held until it stands.
    const pending = context.exits.registerWait();
    try {
      const { exit } = await register(call, context, (id) => {
        pending.identify(id);
      });
      pending.settle();
      return await exit;
    } finally {
      pending.settle();
    }
  },
  say: waitMessage,
  offers: (_status, { id, name, context }) => [
    { title: l10n.t('Show Logs'), run: () => showLog({ id, name }, context) },
  ],
};

/** Resolves once the end is sure to be heard of: the engine has the wait, or the end was kept. */
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

/** The engine may be lost and come back meanwhile. */
function waitAs(
  condition: WaitCondition,
  id: string,
  { engine }: CommandContext,
  signal: AbortSignal,
): Promise<Exit> {
  return waitAcrossReconnects({ connect: (later) => engine.connect(later), id, condition, signal });
}

/** The full id. Of a container that is gone already, from what was kept of it. */
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

/** The engine answers this at once for a container that never ran, with a status it never had. */
async function registerNotRunning(
  call: TargetCall<WaitArguments>,
  context: CommandContext,
  id: string,
): Promise<Exit> {
  const giveUp = new AbortController();
  const signal = AbortSignal.any([call.signal, giveUp.signal]);
  try {
    const [registered, isTrue] = await Promise.all([
      waitAs('not-running', id, context, signal),
      // Beside the wait and not before it, for a full id is to be sent without a look-up.
      call.connect().then((connection) => hasRun(connection, id, signal)),
    ]);
    if (isTrue) return registered;
    throw new InputError(
      l10n.t('{0} was never started, so it has no exit status. Wait for "next-exit".', call.text),
    );
  } catch (error) {
    giveUp.abort();
    throw error;
  }
}

/** A start that fails does not end this wait in the engine; we hear of our own starts. */
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
      exit: exit.finally(() => {
        failing.dispose();
      }),
    };
  } catch (error) {
    failing.dispose();
    throw error;
  }
}

/** Whether it ever ran, or failed to. A container that is gone by now did. */
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
  const details = await detailsOf(context, id);
  const duration = details && runDuration(details);
  // Of a run before that, the engine tells nothing any more.
  const isSame = details?.exitCode === exitCode && !details.isRunning;
  const wasOutOfMemory = isSame && details.wasOutOfMemory;
  const sentence = exitMessage(name, { exitCode, wasOutOfMemory, duration }, l10n);
  if (error !== undefined) return `${sentence} ${error}`;
  const last = exitCode !== 0 && isSame ? await lastOutputLine(context, id, details) : undefined;
  return last === undefined ? sentence : `${sentence} ${l10n.t('Its last line: {0}', last)}`;
}

/** What a program that failed said last: mostly why. Undefined where nobody knows. */
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

/** What is to be known of it still; undefined where the container is gone. */
async function detailsOf(
  context: CommandContext,
  id: string,
): Promise<ContainerDetails | undefined> {
  try {
    return await inspectContainer(await context.engine.connect(), id);
  } catch {
    return undefined;
  }
}
