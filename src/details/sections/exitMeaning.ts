import * as l10n from '@vscode/l10n';

/** Returns what an exit code usually means; empty if it is up to the program. */
export function exitMeaning(exitCode: number | undefined): string {
  return MEANINGS.get(exitCode ?? 0)?.() ?? '';
}

/** By the conventions of shells and engines, and by signals: 128 plus the number. */
const MEANINGS: ReadonlyMap<number, () => string> = new Map([
  [125, () => l10n.t('The engine could not run the command.')],
  [126, () => l10n.t('The command is not executable.')],
  [127, () => l10n.t('The command was not found.')],
  [130, () => l10n.t('Interrupted, as by Ctrl+C.')],
  [132, () => l10n.t('Illegal instruction. The image may be for another processor.')],
  [134, () => l10n.t('The program aborted itself.')],
  [135, () => l10n.t('The program accessed memory that does not exist.')],
  [137, () => l10n.t('Killed, by a client or because memory was short.')],
  [139, () => l10n.t('The program accessed memory that is not its own.')],
  [141, () => l10n.t('The program wrote to a closed pipe.')],
  [143, () => l10n.t('Asked to exit.')],
]);
