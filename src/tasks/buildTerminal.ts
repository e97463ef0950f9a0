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
 * Returns the terminal of a task that builds an image: shows the output of the steps, and ends with code 0 if the image
 * was built.
 */
export function buildTerminal(
  start: StartBuild,
  describe: (error: unknown) => string,
): WorkTerminal {
  return new WorkTerminal(async (screen, signal) => {
    // Its output appears as the output of the build.
    const runBuildx: RunShown = async (call, { linesOf, signal: end }) => {
      screen.showMessage(`> ${withoutUrlPasswords(showCliCall(call))}`);
      const { code } = await runCli(call, (line) => linesOf(line), end);
      return code ?? FAILURE_EXIT_CODE;
    };
    const { builds, run, finished } = await start(signal, runBuildx);
    const transcript = new BuildTranscript();
    const writer = builds.onDidReport(({ run: reported, event }) => {
      if (reported !== run || !event) return;
      const text = transcript.add(event);
      if (text !== '') void screen.write(text.replaceAll('\n', '\r\n'));
    });
    try {
      await finished;
    } finally {
      writer.dispose();
    }
    screen.showMessage(l10n.t('Built {0}.', run.title));
    return 0;
  }, describe);
}

/** Starts a build. `finished` settles with it. */
export type StartBuild = (
  signal: AbortSignal,
  runBuildx: RunShown,
) => Promise<{
  readonly builds: Pick<Builds, 'onDidReport'>;
  readonly run: BuildRun;
  readonly finished: Promise<unknown>;
}>;
