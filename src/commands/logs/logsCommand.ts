import * as l10n from '@vscode/l10n';
import type { TargetCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { targetName } from '../frame/targets.ts';
import type { Ui } from '../ui/ui.ts';

interface LogsArguments {
  readonly follow?: boolean;
  readonly tail?: number | 'all';
  readonly since?: string | number;
  readonly timestamps?: boolean;
}

/** Where a log is shown: the name of its output channel, tab or terminal. */
type LogLocation =
  | { readonly channel: string }
  | { readonly title: string }
  | { readonly terminal: string };

/** Shows the log of a container: for an argument in its output channel, for the user as configured. */
export const logsCommand = (ui: Ui): TargetCommand<LogsArguments, LogLocation> => ({
  id: 'gantry.containers.logs',
  on: 'container',
  schema: {
    follow: { kind: 'boolean' },
    tail: { kind: { check: isTail, expected: l10n.t('an integer of 0 or more, or "all"') } },
    since: {
      kind: {
        check: isMoment,
        expected: l10n.t('an ISO 8601 date and time, or seconds since 1970'),
      },
    },
    timestamps: { kind: 'boolean' },
  },
  // The log itself shows the progress, line by line.
  progress: 'never',
  progressTitle: (name) => l10n.t('Opening the log of {0}', name),
  failureTitle: (name) => l10n.t('Could not show the log of {0}', name),
  run: async (call, context) => {
    const target = await call.target();
    const name = await targetName(target, await call.connect(), call.signal);
    if (call.isInteractive) return showLog({ id: target.id, name }, context);
    const { follow = true, tail = ui.settings.logTail(), since, timestamps = false } = call.args;
    const logs = await context.logs();
    return logs.open({ id: target.id, name }, { follow, tail, since, timestamps });
  },
});

/** Shows the log of a container to the user as configured. */
export async function showLog(
  owner: { readonly id: string; readonly name: string },
  { logs, openViewer, terminals, ui }: CommandContext,
): Promise<LogLocation> {
  const view = { tail: ui.settings.logTail(), timestamps: false };
  switch (ui.settings.logsOpenIn()) {
    case 'viewer':
      return openViewer({ ids: [owner.id] }, [owner.name]);
    case 'terminal':
      return (await terminals()).openLog(owner, view);
    case 'output':
      return (await logs()).open(owner, { ...view, follow: true });
  }
}

function isTail(value: unknown): boolean {
  return value === 'all' || (Number.isSafeInteger(value) && Number(value) >= 0);
}

function isMoment(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0;
  if (typeof value !== 'string') return false;
  return (
    /^\d+(\.\d{1,9})?$/.test(value) || (/^\d{4}-/.test(value) && !Number.isNaN(Date.parse(value)))
  );
}
