import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { runExec } from '../../engine/exec/runExec.ts';
import { oneLine } from '../../base/plainText.ts';
import { formatName } from '../ui/formatNames.ts';
import type { CommandContext } from '../frame/commandContext.ts';

/** The signals that are offered, the most usual first. */
const SIGNALS = ['TERM', 'HUP', 'INT', 'QUIT', 'USR1', 'USR2', 'STOP', 'CONT', 'KILL'] as const;

/**
 * Asks for a signal, and sends it to a process by `kill` in the container. Resolves to undefined if the user cancels.
 *
 * @throws InputError if the container has no `kill`, or the process has ended.
 */
export async function sendSignal(
  process: SignaledProcess,
  { ui, titleOf, engine }: CommandContext,
): Promise<'sent' | undefined> {
  const picked = await ui.pick({
    title: titleOf(l10n.t('Send a Signal to Process {0}', process.pid)),
    placeholder: l10n.t('Select a signal'),
    items: SIGNALS.map((signal) => ({
      label: `SIG${signal}`,
      description: USES[signal](),
      signal,
    })),
    matchOnDescription: true,
  });
  if (!picked) return undefined;
  const question = l10n.t('Send {0} to process {1}?', picked.label, process.pid);
  const detail = l10n.t('{0} in container {1}', oneLine(process.command), formatName(process.name));
  if (!(await ui.confirm(question, detail, l10n.t('Send Signal')))) return undefined;
  await kill(await engine.connect(), process, picked.signal);
  return 'sent';
}

/** A process of a container. */
export interface SignaledProcess {
  /** The full ID of the container, and its name. */
  readonly id: string;
  readonly name: string;
  /** The ID of the process in the container. */
  readonly pid: number;
  readonly command: string;
}

const USES: Readonly<Record<(typeof SIGNALS)[number], () => string>> = {
  TERM: () => l10n.t('ask it to exit'),
  HUP: () => l10n.t('often: load the configuration again'),
  INT: () => l10n.t('as Ctrl+C'),
  QUIT: () => l10n.t('often: exit with a dump'),
  USR1: () => '',
  USR2: () => '',
  STOP: () => l10n.t('pause it'),
  CONT: () => l10n.t('continue it'),
  KILL: () => l10n.t('end it without asking it'),
};

/** As root: the process may have another user. */
async function kill(
  connection: Connection,
  { id, name, pid }: SignaledProcess,
  signal: string,
): Promise<void> {
  const command = ['kill', `-${signal}`, String(pid)];
  const result = await runExec(connection, id, { command, user: '0' }, { outputLimit: 4096 });
  if (!result)
    throw new InputError(l10n.t('{0} has no program kill, or does not run.', formatName(name)));
  if (result.exitCode === 0) return;
  const words = oneLine(result.stderr.toString('utf8')) || l10n.t('unknown');
  throw new InputError(l10n.t('Process {0} could not get the signal: {1}', pid, words));
}
