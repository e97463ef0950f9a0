import * as l10n from '@vscode/l10n';
import { BuildTranscript } from '../builds/buildTranscript.ts';
import type { BuildRun } from '../builds/buildRun.ts';
import type { Builds } from '../builds/builds.ts';
import type { RunShown } from '../builds/buildx/runBuildx.ts';
import { showCliCall } from '../engine/cli/cliCall.ts';
import { runCli } from '../engine/cli/runCli.ts';
import { withoutUrlPasswords } from '../base/plainText.ts';
import { FAILURE_EXIT_CODE } from './containerRun.ts';
import { WorkTerminal } from './workTerminal.ts';

/**
 * The terminal of a task that builds an image: shows the output of the steps, and ends with code 0 if the image was
 * built.
 */
export class BuildTerminal extends WorkTerminal {
  readonly #parts: BuildTerminalParts;

  constructor(parts: BuildTerminalParts) {
    super();
    this.#parts = parts;
  }

  protected async work(signal: AbortSignal): Promise<number> {
    const { start } = this.#parts;
    const { builds, run, finished } = await start({ signal, run: this.#runShown });
    const transcript = new BuildTranscript();
    const writer = builds.onDidReport(({ run: reported, event }) => {
      if (reported !== run || !event) return;
      const text = transcript.add(event);
      if (text !== '') void this.screen.write(text.replaceAll('\n', '\r\n'));
    });
    try {
      await finished;
    } finally {
      writer.dispose();
    }
    this.screen.showMessage(l10n.t('Built {0}.', run.title));
    return 0;
  }

  protected describe(error: unknown): string {
    return this.#parts.describe(error);
  }

  /** The output appears as the output of the build. */
  readonly #runShown: RunShown = async (call, { linesOf, signal }) => {
    this.screen.showMessage(`> ${withoutUrlPasswords(showCliCall(call))}`);
    const { code } = await runCli(call, (line) => linesOf(line), signal);
    return code ?? FAILURE_EXIT_CODE;
  };
}

/** How the build is shown and stopped. */
export interface BuildTerminalControls {
  readonly signal: AbortSignal;
  /** Runs buildx in the terminal. */
  readonly run: RunShown;
}

export interface BuildTerminalParts {
  /** Starts the build. `finished` settles with it. */
  readonly start: (controls: BuildTerminalControls) => Promise<{
    readonly builds: Pick<Builds, 'onDidReport'>;
    readonly run: BuildRun;
    readonly finished: Promise<unknown>;
  }>;
  /** Returns the error message to show to the user. */
  readonly describe: (error: unknown) => string;
}
