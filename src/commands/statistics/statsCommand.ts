import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { wallClock } from '../../base/time.ts';
import { readOnce } from '../../statistics/readOnce.ts';
import type { Reading } from '../../statistics/reading.ts';
import type { PlainCommand } from '../frame/command.ts';
import { findContainerTarget } from '../frame/targets.ts';

interface StatsArguments {
  readonly ids?: readonly string[];
}

/** What a container uses now, without the fields that the engine does not report. */
type Stats = { readonly id: string } & Partial<Omit<Reading, 'at'>>;

/** Reads once what containers use. Those that do not run are left out. */
export const statsCommand = (): PlainCommand<StatsArguments, readonly Stats[]> => ({
  id: 'gantry.containers.stats',
  schema: { ids: { kind: 'texts', required: true } },
  failureTitle: l10n.t('Could not read the statistics'),
  run: async ({ ids = [] }, context, signal) => {
    if (ids.length > MOST_CONTAINERS)
      throw new InputError(l10n.t('Statistics are read of up to {0} containers.', MOST_CONTAINERS));
    const connection = await context.engine.connect(signal);
    const targets = await Promise.all(
      ids.map((text) => findContainerTarget(context, connection, text, signal)),
    );
    const wanted = [...new Set(targets.map(({ id }) => id))];
    const readings = await readOnce(connection, wanted, wallClock, signal);
    return wanted.flatMap((id) => {
      const reading = readings.get(id);
      return reading ? [toStats(id, reading)] : [];
    });
  },
});

function toStats(id: string, reading: Reading): Stats {
  const { at: _, ...amounts } = reading;
  const known = Object.entries(amounts).filter(([, value]) => value !== undefined);
  return { id, ...Object.fromEntries(known) };
}

const MOST_CONTAINERS = 100;
