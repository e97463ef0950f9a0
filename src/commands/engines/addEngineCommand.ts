import * as l10n from '@vscode/l10n';
import type { Engines } from '../../engines/engines.ts';
import { DEFAULT_ENGINE, type EngineFactory } from '../../engines/engineUnit.ts';
import { productOf } from '../../engines/checkEngine.ts';
import {
  entryOf,
  nameProblem,
  newEngineCandidate,
  type NewEngine,
} from '../../engines/newEngine.ts';
import { InputError } from '../../engine/errors.ts';
import type { DiscoveryResult } from '../../engine/discovery/endpointCandidate.ts';
import type { EngineInfo } from '../../engine/model.ts';
import { isCancellation } from '../../base/lifetime.ts';
import { oneLine } from '../../base/plainText.ts';
import type { WorkQueue } from '../../base/time.ts';
import { showEngineForm, type EngineDraft, type EngineFormOptions } from './showEngineForm.ts';
import type { WindowCommand } from '../frame/command.ts';
import { errorMessage } from '../ui/errorMessage.ts';
import type { ArgumentSchema } from '../ui/checkArguments.ts';
import { formatName, formatReason } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';

interface Added {
  readonly outcome: 'added';
}

interface Chosen {
  readonly outcome: 'chosen';
}

const shape: ArgumentSchema = {
  name: { kind: 'text', required: true },
  host: { kind: 'text', required: true },
  certPath: { kind: 'text' },
  skipTlsVerify: { kind: 'boolean' },
};

/**
 * Adds an engine to the user settings. If the user runs it, tests the connection first.
 *
 * @param writes the changes of the engines in the settings: each needs the result of the one before.
 */
export function addEngineCommand(
  ui: Ui,
  engines: Engines,
  maker: EngineFactory,
  writes: WorkQueue,
): WindowCommand<NewEngine, Added> {
  return {
    id: 'gantry.engines.add',
    on: 'window',
    schema: shape,
    failureTitle: l10n.t('Could not add the engine'),
    run: (given) =>
      writes.add(async () => {
        const engine = { ...given, host: given.host.trim() };
        await newEngineCandidate(engine, maker.machine);
        return write(ui, engine, engines);
      }),
    runInteractive: async () => {
      const found = await askForEngine(ui, engines, maker, {
        title: l10n.t('Add Engine'),
        isAdded: true,
        anyway: l10n.t('Add Anyway'),
      });
      if (!found) return undefined;
      const { engine, info } = found;
      const added = await writes.add(() => write(ui, engine, engines));
      const name = formatName(engine.name);
      ui.info(
        info
          ? l10n.t('Added {0}: {1}', name, formatName(productOf(info)))
          : l10n.t('Added {0}.', name),
      );
      return added;
    },
  };
}

/**
 * Selects another default engine. If the user runs it, tests the connection first, and connects it if it was
 * disconnected.
 */
export function chooseEngineCommand(
  ui: Ui,
  engines: Engines,
  maker: EngineFactory,
): WindowCommand<{ readonly host: string }, Chosen> {
  return {
    id: 'gantry.engines.choose',
    on: 'window',
    schema: { host: { kind: 'text', required: true } },
    failureTitle: l10n.t('Could not select the engine'),
    run: async ({ host }) => {
      await newEngineCandidate({ name: host, host: host.trim() }, maker.machine);
      return useHost(ui, host.trim(), engines);
    },
    runInteractive: async () => {
      const found = await askForEngine(ui, engines, maker, {
        title: l10n.t('Select Engine'),
        isAdded: false,
        anyway: l10n.t('Use Anyway'),
      });
      if (!found) return undefined;
      const chosen = await useHost(ui, found.engine.host, engines);
      const unit = engines.get(DEFAULT_ENGINE);
      if (unit?.isOff) engines.connect(unit);
      return chosen;
    },
  };
}

/**
 * Asks for an engine until one can be reached, or the user wants it anyway. Resolves to undefined if the user
 * cancels.
 */
async function askForEngine(
  ui: Ui,
  engines: Engines,
  maker: EngineFactory,
  { title, isAdded, anyway }: EngineQuestion,
): Promise<{ readonly engine: NewEngine; readonly info?: EngineInfo } | undefined> {
  const { machine } = maker;
  const isUsed = (name: string): boolean => isNameUsed(ui, name, engines);
  let before: EngineDraft | undefined;
  for (;;) {
    const parts = { ui, title, isAdded, engines, machine, isNameUsed: isUsed, before };
    before = await showEngineForm(parts);
    if (!before) return undefined;
    const { host } = before.engine;
    const engine = isAdded ? before.engine : { name: host, host };
    try {
      return { engine, info: await tryEngine(ui, engine, maker) };
    } catch (error) {
      // Canceling the test goes back to the form without a message.
      if (isCancellation(error)) continue;
      const question = l10n.t('Could not connect to {0}', oneLine(engine.name));
      const edit = l10n.t('Edit...');
      const why = formatReason(errorMessage(error));
      const answer = await ui.choose(question, why, [edit, anyway]);
      if (answer === anyway) return { engine };
      if (answer !== edit) return undefined;
    }
  }
}

interface EngineQuestion extends Pick<EngineFormOptions, 'title' | 'isAdded'> {
  /** The button that accepts an engine that cannot be reached. */
  readonly anyway: string;
}

async function useHost(ui: Ui, host: string, engines: Engines): Promise<Chosen> {
  const isSame = host === ui.settings.host();
  await ui.settings.setHost(host);
  engines.update();
  const unit = engines.get(DEFAULT_ENGINE);
  // The setting has not changed, so only this ends the wait for a retry, and takes the tunnel of the test.
  if (isSame && unit && unit.inventory.phase.kind !== 'live') unit.engine.reset();
  return { outcome: 'chosen' };
}

/** Connects once, as the window will. ssh may ask questions, and not again for the engine that is added then. */
async function tryEngine(
  ui: Ui,
  newEngine: NewEngine,
  { machine, createTrial }: EngineFactory,
): Promise<EngineInfo> {
  const discover = async (): Promise<DiscoveryResult> => ({
    candidates: [await newEngineCandidate(newEngine, machine)],
    isChosen: true,
    steps: [],
  });
  const engine = createTrial(newEngine.name, discover);
  try {
    const title = l10n.t('Connecting to {0}', newEngine.name);
    return await ui.progress(title, 'atOnce', async (signal) => {
      const connection = await engine.check(signal);
      return connection.info(signal);
    });
  } finally {
    engine.dispose();
  }
}

/** @throws InputError if the name is not valid or in use, which may have happened during the test. */
async function write(ui: Ui, engine: NewEngine, engines: Engines): Promise<Added> {
  const problem = nameProblem(engine.name, (name) => isNameUsed(ui, name, engines));
  if (problem !== undefined) throw new InputError(problem);
  await ui.settings.setEngines({ ...ui.settings.engines(), [engine.name]: entryOf(engine) });
  // The change event may not have fired yet, and the caller may use the new name next.
  engines.update();
  return { outcome: 'added' };
}

function isNameUsed(ui: Ui, name: string, engines: Engines): boolean {
  return engines.named(name) !== undefined || Object.hasOwn(ui.settings.engines(), name);
}
