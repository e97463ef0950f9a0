import * as l10n from '@vscode/l10n';
import { failedWith } from '../../engine/errors.ts';
import { AmbiguousError } from '../../engine/system/resolveTarget.ts';
import type { TargetCall, TargetCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { tellExit, type ToldExit } from './tellExit.ts';

type Explanation = Pick<
  ToldExit,
  'exitCode' | 'signal' | 'oomKilled' | 'lastLines' | 'probes' | 'changed'
>;

/** Tells how a container ended, and what has changed since its last good run. */
export const explainExitCommand = (): TargetCommand<object, Explanation> => ({
  id: 'gantry.containers.explainExit',
  on: 'container',
  isForOne: true,
  progressTitle: (name) => l10n.t('Looking for why {0} exited', name),
  failureTitle: (name) => l10n.t('Could not tell why {0} exited', name),
  run: async (call, context) => {
    const id = await findId(call, context);
    const { events } = context.unit;
    const known = { events, runs: await context.unit.runs() };
    const story = await tellExit(id, await call.connect(), known, call.signal);
    const { exitCode, signal, oomKilled, lastLines, probes, changed } = story;
    const named = signal === undefined ? {} : { signal };
    return { exitCode, ...named, oomKilled, lastLines, probes, changed };
  },
});

/** Returns the full ID. A container that is gone is known by its full ID or its name. */
async function findId(call: TargetCall<object>, { unit }: CommandContext): Promise<string> {
  try {
    return (await call.target()).id;
  } catch (error) {
    const isGone = failedWith(error, 'notFound') && !(error instanceof AmbiguousError);
    const kept = isGone ? (await unit.runs()).find(call.text) : undefined;
    if (!kept) throw error;
    return kept.id;
  }
}
