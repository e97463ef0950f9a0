// Runs the extension's commands for the suites, and checks their error messages.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ListedEngine } from '../../../../src/commands/engines/engineCommands.ts';
import type { ExitStatus } from '../../../../src/engine/containers/waitForContainer.ts';
import type { DownloadResult } from '../../../../src/files/writeEntries.ts';
import type { Listing } from '../../../../src/files/fileIndex.ts';
import type { Container, Image } from '../../../../src/engine/model.ts';
import type { ChangeCounts } from '../../../../src/review/changeTree.ts';

interface Outcome {
  readonly outcome: string;
}

/** What each command resolves to if called with an argument. */
interface Results {
  readonly 'containers.create': { readonly id: string; readonly warnings: readonly string[] };
  readonly 'containers.runAgain': { readonly id: string; readonly warnings: readonly string[] };
  readonly 'containers.duplicate': { readonly id: string; readonly warnings: readonly string[] };
  readonly 'containers.copyRunCommand': Outcome & { readonly left: readonly string[] };
  readonly 'recipes.create': { readonly id: string; readonly warnings: readonly string[] };
  readonly 'recipes.save': {
    readonly path: string;
    readonly hidden: readonly string[];
    readonly left: readonly string[];
  };
  readonly 'containers.start': Outcome;
  readonly 'containers.wait': ExitStatus;
  readonly 'containers.stop': Outcome;
  readonly 'containers.restart': Outcome;
  readonly 'containers.kill': Outcome;
  readonly 'containers.pause': Outcome;
  readonly 'containers.unpause': Outcome;
  readonly 'containers.rename': Outcome;
  readonly 'containers.remove': Outcome;
  readonly 'containers.list': readonly Container[];
  readonly 'containers.logs': { readonly channel: string };
  readonly 'containers.openLogViewer': { readonly title: string };
  readonly 'containers.openShell': { readonly terminal: string };
  readonly 'containers.attach': { readonly terminal: string };
  readonly 'containers.commit': { readonly imageId: string };
  readonly 'containers.reviewChanges': ChangeCounts;
  readonly 'containers.inspect': unknown;
  readonly 'containers.copyId': Outcome;
  readonly 'containers.copyName': Outcome;
  readonly 'containers.openInBrowser': Outcome;
  readonly 'files.browse': Listing;
  readonly 'files.open': { readonly uri: string };
  readonly 'files.find': { readonly paths: readonly string[]; readonly isWhole: boolean };
  readonly 'files.download': DownloadResult;
  readonly 'files.upload': Outcome;
  readonly 'files.compare': { readonly title: string };
  readonly 'engines.add': Outcome;
  readonly 'engines.choose': Outcome;
  readonly 'engines.remove': Outcome;
  readonly 'engines.connect': Outcome;
  readonly 'engines.disconnect': Outcome;
  readonly 'engines.setDefault': Outcome;
  readonly 'engines.unsetDefault': Outcome;
  readonly 'engines.list': readonly ListedEngine[];
  readonly 'engines.diagnose': { readonly report: string };
  readonly 'images.list': readonly Image[];
  readonly 'images.pull': { readonly imageId: string; readonly digest?: string };
  readonly 'registries.signIn': { readonly outcome: string; readonly checked: boolean };
  readonly 'registries.signOut': Outcome;
  readonly 'images.pullAgain': { readonly imageId: string; readonly digest?: string };
  readonly 'images.push': { readonly reference: string; readonly digest?: string };
  readonly 'images.checkNewer': Outcome & { readonly digest: string };
  readonly 'pulls.cancel': Outcome;
  readonly 'pulls.retry': Outcome;
  readonly 'pulls.dismiss': Outcome;
  readonly 'images.tag': Outcome;
  readonly 'images.remove': Outcome;
  readonly 'images.reviewContents': ChangeCounts;
  readonly 'images.save': { readonly path: string; readonly size: number };
  readonly 'images.load': { readonly images: readonly string[] };
  readonly 'images.import': { readonly imageId: string };
  readonly 'images.prune': {
    readonly removed: readonly string[];
    readonly kept: readonly string[];
    readonly freed?: number;
  };
  readonly 'images.diskUse': { readonly images: number; readonly size: number };
  readonly 'images.history': {
    readonly steps: readonly { readonly size: number; readonly createdBy: string }[];
    readonly madeFrom: readonly string[];
    readonly madeInto: readonly string[];
    readonly usedBy: readonly string[];
  };
  readonly 'images.inspect': unknown;
  readonly 'images.copyReference': Outcome;
  readonly 'images.copyId': Outcome;
  readonly 'images.copyDigest': Outcome;
}

/** A command ID without the prefix of the extension. */
export type Command = keyof Results;

/** Runs one of the extension's commands. */
export async function run<Id extends Command>(id: Id, ...args: unknown[]): Promise<Results[Id]> {
  return vscode.commands.executeCommand<Results[Id]>(`gantry.${id}`, ...args);
}

/**
 * Asserts that a command rejects with an Error whose message is one readable line, and resolves to the message.
 *
 * @param words what the message must match
 */
export async function refusal(
  work: Promise<unknown>,
  ...words: readonly RegExp[]
): Promise<string> {
  const { message } = await work.then(
    (value) => assert.fail(`It resolved to ${JSON.stringify(value)}`),
    (error: unknown) => {
      assert.ok(error instanceof Error, `It rejected with no Error: ${String(error)}`);
      return error;
    },
  );
  assertSentence(message);
  for (const word of words) assert.match(message, word);
  return message;
}

/** Internal values and names that do not belong in a message for users. */
const PROGRAM_WORDS =
  /\bundefined\b|\bNaN\b|\[object|\{\d+\}|TypeError|EngineError|InputError|ECONN|ENOENT|UND_ERR|\bat .*:\d+:\d+/;

function assertSentence(message: string): void {
  assert.match(message, /^\S+( \S+){2,}$/, `It is no single line of words: "${message}"`);
  assert.doesNotMatch(message, PROGRAM_WORDS);
}
