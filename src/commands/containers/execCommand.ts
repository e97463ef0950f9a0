import * as l10n from '@vscode/l10n';
import { StringDecoder } from 'node:string_decoder';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { EngineError, failedWith, InputError, isRefusal } from '../../engine/errors.ts';
import { runUntil, type ProcessEnd, type StartedProcess } from '../../engine/exec/runUntil.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { checkEnv, checkUser, checkWorkingDir } from '../../engine/options/optionChecks.ts';
import { ByteStore } from '../../engine/wire/byteStore.ts';
import { oneLine } from '../../base/plainText.ts';
import { missingPartMessage } from '../../output/terminal/missingPartMessage.ts';
import type { TargetCall, TargetCommand } from '../frame/command.ts';
import { targetName } from '../frame/targets.ts';
import { formatName } from '../ui/formatNames.ts';

/** Runs a program in a running container, and returns what it printed. */
export const execCommand = (): TargetCommand<ExecArguments, ExecOutcome> => ({
  id: 'gantry.containers.exec',
  on: 'container',
  schema: {
    command: { kind: 'texts', required: true },
    user: { kind: 'text' },
    workingDir: { kind: 'text' },
    env: { kind: 'texts' },
    input: { kind: 'text' },
    timeoutSeconds: { kind: 'wholeNumber' },
  },
  fits: ({ state }) => state === 'running',
  progressTitle: (name) => l10n.t('Running a command in {0}', name),
  failureTitle: (name) => l10n.t('Could not run the command in {0}', name),
  run: async (call) => {
    checkExec(call.args);
    const connection = await call.connect();
    const target = await call.target();
    const name = formatName(await targetName(target, connection, call.signal));
    const one = { id: target.id, name };
    await checkRunning(connection, one, call.signal);
    try {
      return await exec(connection, one, call);
    } catch (error) {
      throw (await explained(connection, one, call.args, error)) ?? error;
    }
  },
});

interface ExecArguments {
  readonly command: readonly string[];
  readonly user?: string;
  readonly workingDir?: string;
  /** Entries `NAME=value`. */
  readonly env?: readonly string[];
  readonly input?: string;
  readonly timeoutSeconds?: number;
}

interface ExecOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether no output is left out. */
  readonly isWhole: boolean;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

const DEFAULT_SECONDS = 600;
const MOST_SECONDS = 24 * 3600;
/** Of each of both outputs, in bytes. What exceeds it is read and dropped, so that the program does not wait. */
const OUTPUT_LIMIT = 1024 * 1024;

/** @param args has nothing if a user ran the command. @throws InputError. */
function checkExec(args: Partial<ExecArguments>): void {
  const { command = [], user, workingDir, env = [], timeoutSeconds = 1 } = args;
  const [program = ''] = command;
  if (program === '' || command.some((part) => part.includes('\0'))) {
    throw new InputError(l10n.t('"command" must be a list: a program, and its arguments.'));
  }
  if (user !== undefined) checkUser(user);
  if (workingDir !== undefined) checkWorkingDir(workingDir);
  for (const entry of env) checkEnv(entry);
  if (timeoutSeconds < 1 || timeoutSeconds > MOST_SECONDS) {
    throw new InputError(l10n.t('"timeoutSeconds" must be from 1 to {0}.', MOST_SECONDS));
  }
}

/** @throws InputError if nothing can run in the container in its state; EngineError. */
async function checkRunning(connection: Connection, { id, name }: Named, signal: AbortSignal) {
  const { state } = await inspectContainer(connection, id, signal);
  if (state === 'running') return;
  throw new InputError(
    state === 'paused'
      ? l10n.t('{0} is paused. Unpause it to run a command.', name)
      : l10n.t('{0} is not running. Start it to run a command.', name),
  );
}

async function exec(
  connection: Connection,
  { id, name }: Named,
  { args, signal }: TargetCall<ExecArguments>,
): Promise<ExecOutcome> {
  const { input, timeoutSeconds = DEFAULT_SECONDS, ...spec } = args;
  const outputs = { stdout: new LimitedText(), stderr: new LimitedText() };
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
  const end = await runUntil(
    connection,
    id,
    {
      ...spec,
      hasTty: false,
      hasInput: input !== undefined,
      onOutput: (source, bytes) => outputs[source].add(bytes),
      onStart: (process) => void sendAll(process, input),
    },
    AbortSignal.any([signal, timeout]),
  );
  if (end.kind !== 'exited') throw unfinished(end, args, name, timeoutSeconds);
  const { exitCode } = end;
  if (exitCode === undefined)
    throw new InputError(
      l10n.t('The engine did not report how {0} exited.', oneLine(args.command[0] ?? '', 80)),
    );
  const { stdout, stderr } = outputs;
  return {
    exitCode,
    stdout: stdout.text(),
    stderr: stderr.text(),
    isWhole: end.isWhole && stdout.isWhole && stderr.isWhole,
  };
}

async function sendAll(process: StartedProcess, input: string | undefined): Promise<void> {
  if (input === undefined) return;
  await process.write(Buffer.from(input));
  process.endInput();
}

/** Returns the error for a process that did not come to its end. */
function unfinished(
  end: Exclude<ProcessEnd, { kind: 'exited' }>,
  args: ExecArguments,
  name: string,
  seconds: number,
): InputError {
  const program = oneLine(args.command[0] ?? '', 80);
  switch (end.kind) {
    case 'refused':
      return new InputError(missingPartMessage(end.message, args, name) ?? end.message);
    case 'ended':
      return new InputError(
        l10n.t('{0} did not exit within {1} s and was ended.', program, seconds),
      );
    case 'running':
      return new InputError(
        l10n.t(
          '{0} did not exit within {1} s, and could not be ended: it may still be running.',
          program,
          seconds,
        ),
      );
  }
}

/** Returns the error to report instead of one that says less; undefined if there is none. */
async function explained(
  connection: Connection,
  one: Named,
  args: ExecArguments,
  error: unknown,
): Promise<Error | undefined> {
  const program = oneLine(args.command[0] ?? '', 80);
  if (failedWith(error, 'cut', 'timeout')) {
    return new InputError(
      l10n.t('The connection to the engine was lost: {0} may still be running.', program),
      { cause: error },
    );
  }
  if (!isRefusal(error) && !failedWith(error, 'notFound')) return undefined;
  const missing = missingPartMessage(error.engineMessage ?? '', args, one.name);
  if (isRefusal(error) && missing !== undefined) return new InputError(missing, { cause: error });
  try {
    const { state } = await inspectContainer(connection, one.id);
    if (state === 'running') return undefined;
    return new InputError(l10n.t('{0} stopped before {1} exited.', one.name, program), {
      cause: error,
    });
  } catch (late) {
    return late instanceof EngineError ? late : undefined;
  }
}

/** Text of an output, up to a limit. */
class LimitedText {
  readonly #bytes = new ByteStore(OUTPUT_LIMIT);
  isWhole = true;

  add(bytes: Uint8Array): void {
    const room = OUTPUT_LIMIT - this.#bytes.size;
    this.isWhole &&= bytes.length <= room;
    this.#bytes.add(bytes.subarray(0, room));
  }

  /** Returns it with replacement characters for what is not UTF-8, and without a character that the limit cuts. */
  text(): string {
    const bytes = this.#bytes.look();
    return this.isWhole ? bytes.toString() : new StringDecoder('utf8').write(bytes);
  }
}
