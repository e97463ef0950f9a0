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

interface Created {
  readonly id: string;
  readonly warnings: readonly string[];
}

interface Opened {
  readonly terminal: string;
}

interface Pulled {
  readonly imageId: string;
  readonly digest?: string;
}

interface ListedVolume {
  readonly name: string;
  readonly isAnonymous: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly usedBy: readonly { readonly id: string }[];
}

interface ListedNetwork {
  readonly id: string;
  readonly name: string;
  readonly isInternal: boolean;
  readonly members: readonly { readonly id: string }[];
}

interface ListedProject {
  readonly name: string;
  readonly services: readonly { readonly name: string; readonly isUp: boolean }[];
}

interface ProjectOutcome {
  readonly done: readonly Outcome[];
  readonly failed: readonly object[];
}

/** Commands that resolve to their outcome. */
type OutcomeCommand =
  | `containers.${'start' | 'stop' | 'restart' | 'kill' | 'pause' | 'unpause' | 'rename' | 'remove'}`
  | `containers.${'copyId' | 'copyName' | 'copyRunCommand'}`
  | `engines.${'add' | 'remove' | 'setDefault' | 'unsetDefault'}`
  | `images.${'checkNewer' | 'tag' | 'remove' | 'copyId'}`
  | `networks.${'connect' | 'disconnect' | 'remove'}`
  | 'files.upload'
  | 'registries.signOut'
  | 'volumes.remove';

/** What each command resolves to if called with an argument. */
type Results = Readonly<
  Record<OutcomeCommand, Outcome> &
    Record<'containers.create' | 'recipes.create', Created> &
    Record<`containers.${'openShell' | 'attach'}`, Opened> &
    Record<`images.${'pull' | 'pullAgain' | 'import'}` | 'containers.commit', Pulled> &
    Record<'containers.reviewChanges', ChangeCounts> &
    Record<`projects.${'start' | 'stop' | 'down'}`, ProjectOutcome>
> & {
  readonly 'recipes.save': {
    readonly path: string;
    readonly hidden: readonly string[];
    readonly left: readonly string[];
  };
  readonly 'builds.list': readonly { readonly state: string; readonly tags: readonly string[] }[];
  readonly 'containers.wait': ExitStatus;
  readonly 'containers.list': readonly Container[];
  readonly 'containers.logs': { readonly channel: string };
  readonly 'containers.openLogViewer': { readonly title: string };
  readonly 'containers.inspect': unknown;
  readonly 'files.browse': Listing;
  readonly 'files.open': { readonly uri: string };
  readonly 'files.find': { readonly paths: readonly string[] };
  readonly 'files.download': DownloadResult;
  readonly 'files.compare': { readonly title: string };
  readonly 'engines.list': readonly ListedEngine[];
  readonly 'images.build': { readonly tags: readonly string[] };
  readonly 'images.list': readonly Image[];
  readonly 'images.push': { readonly reference: string; readonly digest?: string };
  readonly 'images.save': { readonly path: string; readonly size: number };
  readonly 'images.load': { readonly images: readonly string[] };
  readonly 'images.history': {
    readonly steps: readonly object[];
    readonly madeFrom: readonly string[];
  };
  readonly 'images.inspect': unknown;
  readonly 'networks.create': { readonly id: string };
  readonly 'networks.list': readonly ListedNetwork[];
  readonly 'projects.list': readonly ListedProject[];
  readonly 'registries.signIn': Outcome & { readonly checked: boolean };
  readonly 'volumes.create': Outcome & { readonly name: string };
  readonly 'volumes.list': readonly ListedVolume[];
};

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
