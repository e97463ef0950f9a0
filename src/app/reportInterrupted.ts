import * as l10n from '@vscode/l10n';
import { asRecord } from '../engine/wire/wire.ts';
import { sightOf } from '../base/writeAtomically.ts';
import { removeParts } from '../files/removeParts.ts';
import type { LeftWork, UnfinishedWork, WorkAgain } from '../files/unfinishedWork.ts';
import type { CommandHandler } from '../commands/frame/command.ts';
import { formatName } from '../commands/ui/formatNames.ts';
import { delay } from '../base/time.ts';
import { endedShell, reportEndedShells, type EndedShellParts } from './reportEndedShells.ts';
import type { CommandId, Ui } from '../commands/ui/ui.ts';

/** Milliseconds between the looks whether the process of the earlier window has ended. */
const PAUSES_MS = [0, 1000, 2000, 4000, 8000, 16_000];

/**
 * Says once what the end of an earlier window has interrupted, and removes the temporary files of it. What a process
 * does that still runs is left alone.
 */
export async function reportInterrupted(
  work: Pick<UnfinishedWork, 'left' | 'settle' | 'isElsewhere'>,
  ui: Pick<Ui, 'warn' | 'info' | 'error'>,
  { isRunning = isOtherProcessRunning, pause = delay, ...parts }: ReportParts,
): Promise<void> {
  for (const milliseconds of PAUSES_MS) {
    await pause(milliseconds);
    const ended = work.left.filter((one) => work.isElsewhere(one) || !isRunning(one.processId));
    if (ended.length > 0) {
      // First, so that another window does not say it again.
      work.settle(ended);
      for (const { file } of ended) if (file) await removeParts(file.path, file.token);
      const { shell: shells = [], other = [] } = Object.groupBy(ended, ({ kind }) =>
        kind === 'shell' ? kind : 'other',
      );
      if (other.length > 0) show(other, ui, parts);
      if (shells.length > 0) await reportEndedShells(shells, ui, parts);
    }
    if (work.left.length === 0) return;
  }
}

/** Dependencies of {@link reportInterrupted}. */
interface ReportParts extends Partial<Pick<EndedShellParts, 'showEnded'>> {
  /** Loads a command of ours. */
  readonly handlerOf: (id: CommandId) => Promise<CommandHandler>;
  /** Runs a command of the editor. */
  readonly execute: (command: string, argument: unknown) => PromiseLike<unknown>;
  /** Whether another process with this ID runs. */
  readonly isRunning?: (processId: number) => boolean;
  readonly pause?: (milliseconds: number) => Promise<void>;
}

/** Returns whether another process runs. */
function isOtherProcessRunning(processId: number): boolean {
  if (processId === process.pid) return false;
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

type ReportUi = Parameters<typeof reportInterrupted>[1];

function show(ended: readonly LeftWork[], ui: ReportUi, parts: ReportParts): void {
  const all = ended.flatMap((work) => (work.again ? [{ ...work, again: work.again }] : []));
  const run = async (): Promise<void> => {
    const others = all.filter(({ again }) => again.asks !== true);
    const running = others.map((work) => runAgain(work, ui, parts));
    // One question at a time.
    for (const work of all) if (work.again.asks === true) await runAgain(work, ui, parts);
    await Promise.all(running);
  };
  const title = all.length > 1 ? l10n.t('Run Again ({0})', all.length) : l10n.t('Run Again');
  ui.warn(messageOf(ended), ...(all.length > 0 ? [{ title, run }] : []));
}

type AgainWork = LeftWork & { readonly again: WorkAgain };

/** A command of ours that asks the user reports itself how it ends, and so does one of the editor. */
async function runAgain(
  work: AgainWork,
  ui: ReportUi,
  { handlerOf, execute }: ReportParts,
): Promise<void> {
  const { command, asks } = work.again;
  const argument = await safeArgument(work);
  if (!isOurs(command)) {
    await execute(command, argument);
    return;
  }
  const handler = await handlerOf(command);
  if (asks === true) {
    await handler(argument, []);
    return;
  }
  await handler(argument);
  ui.info(l10n.t('Finished: {0}.', shortOf(work)));
}

function isOurs(command: string): command is CommandId {
  return command.startsWith('gantry.');
}

/** Returns the argument. Only the file that the user agreed to replace is replaced: another one may be there by now. */
async function safeArgument({ again, file }: AgainWork): Promise<unknown> {
  const argument = asRecord(again.argument);
  if (!file || argument['overwrite'] !== true) return again.argument;
  const isSame = file.replaces !== undefined && (await sightOf(file.path)) === file.replaces;
  return { ...argument, overwrite: isSame };
}

function messageOf(ended: readonly LeftWork[]): string {
  const [first] = ended;
  if (ended.length === 1 && first) return sentenceOf(first);
  const some = ended.slice(0, MOST_SHOWN).map((one) => shortOf(one));
  const list = some.join(', ') + (ended.length > some.length ? ', …' : '');
  return l10n.t('Interrupted by a reload: {0}.', list);
}

const MOST_SHOWN = 6;

function sentenceOf({ kind, name }: LeftWork): string {
  const shown = formatName(name);
  return {
    build: () => l10n.t('The build of {0} was interrupted by a reload.', shown),
    clone: () => l10n.t('The clone of {0} was interrupted by a reload.', shown),
    compose: () => l10n.t('{0} was interrupted by a reload.', shown),
    download: () => l10n.t('The download of {0} was interrupted by a reload.', shown),
    export: () => l10n.t('The export of {0} was interrupted by a reload.', shown),
    import: () => l10n.t('The import into {0} was interrupted by a reload.', shown),
    load: () => l10n.t('Loading {0} was interrupted by a reload.', shown),
    pull: () => l10n.t('The pull of {0} was interrupted by a reload.', shown),
    push: () => l10n.t('The push of {0} was interrupted by a reload.', shown),
    save: () => l10n.t('Saving {0} was interrupted by a reload.', shown),
    shell: () => endedShell(name),
    task: () => l10n.t('The task {0} was interrupted by a reload.', shown),
    upload: () => l10n.t('The upload to {0} was interrupted by a reload.', shown),
  }[kind]();
}

function shortOf({ kind, name }: LeftWork): string {
  const shown = formatName(name);
  return {
    build: () => l10n.t('build of {0}', shown),
    clone: () => l10n.t('clone of {0}', shown),
    compose: () => shown,
    download: () => l10n.t('download of {0}', shown),
    export: () => l10n.t('export of {0}', shown),
    import: () => l10n.t('import into {0}', shown),
    load: () => l10n.t('loading {0}', shown),
    pull: () => l10n.t('pull of {0}', shown),
    push: () => l10n.t('push of {0}', shown),
    save: () => l10n.t('saving {0}', shown),
    shell: () => l10n.t('shell in {0}', shown),
    task: () => l10n.t('task {0}', shown),
    upload: () => l10n.t('upload to {0}', shown),
  }[kind]();
}
