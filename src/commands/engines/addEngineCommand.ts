import * as vscode from 'vscode';
import type { Engines } from '../../engines/engines.ts';
import type { EngineFactory } from '../../engines/engineFactory.ts';
import { productOf } from '../../engines/checkEngine.ts';
import {
  entryOf,
  nameProblem,
  newEngineCandidate,
  type NewEngine,
} from '../../engines/newEngine.ts';
import { InputError } from '../../engine/errors.ts';
import type { EngineInfo } from '../../engine/model.ts';
import { isCancellation } from '../../lifetime.ts';
import { oneLine } from '../../plainText.ts';
import { settings } from '../../settings.ts';
import { showEngineForm, type EngineDraft } from './showEngineForm.ts';
import type { WindowCommand } from '../command.ts';
import { choose, showInfo, withProgress } from '../notifications.ts';
import { errorMessage } from '../errorMessages.ts';
import type { ArgumentSchema } from '../arguments.ts';
import { formatName, formatReason } from '../displayText.ts';

const { l10n } = vscode;

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

/** Adds an engine to the person's settings; for a person after a try whether it answers. */
export function addEngineCommand(
  engines: Engines,
  maker: EngineFactory,
): WindowCommand<NewEngine, Added> {
  return {
    id: 'gantry.engines.add',
    schema: shape,
    failureTitle: l10n.t('Could not add the engine'),
    run: async (given) => {
      const engine = { ...given, host: given.host.trim() };
      const problem = nameProblem(engine.name, (name) => isTaken(name, engines), l10n);
      if (problem !== undefined) throw new InputError(problem);
      await newEngineCandidate(engine, maker.machine, l10n);
      return write(engine, engines);
    },
    runInteractive: () => addInteractively(engines, maker),
  };
}

async function addInteractively(
  engines: Engines,
  maker: EngineFactory,
): Promise<Added | undefined> {
  let draft: EngineDraft | undefined;
  for (;;) {
    draft = await showEngineForm({
      title: l10n.t('Add Engine'),
      isAdded: true,
      engines,
      machine: maker.machine,
      isTaken: (name) => isTaken(name, engines),
      before: draft,
    });
    if (!draft) return undefined;
    const { engine } = draft;
    const tried = await tryEngine(engine, maker);
    const answer = tried.info
      ? 'anyway'
      : await askAfterFailure(engine.name, tried.error, l10n.t('Add Anyway'));
    if (answer === 'leave') return undefined;
    if (answer === 'edit') continue;
    const added = await write(engine, engines);
    const product = tried.info && formatName(productOf(tried.info, l10n));
    showInfo(
      product === undefined
        ? l10n.t('Added {0}.', formatName(engine.name))
        : l10n.t('Added {0}: {1}', formatName(engine.name), product),
    );
    return added;
  }
}

type Tried =
  | { readonly info: EngineInfo; readonly error?: undefined }
  | { readonly info?: undefined; readonly error: unknown };

/** Lets the default engine be another one; for a user after a try whether it answers. */
export function chooseEngineCommand(
  engines: Engines,
  maker: EngineFactory,
): WindowCommand<{ readonly host: string }, Chosen> {
  return {
    id: 'gantry.engines.choose',
    schema: { host: { kind: 'text', required: true } },
    failureTitle: l10n.t('Could not choose the engine'),
    run: async ({ host }) => {
      await newEngineCandidate({ name: host, host: host.trim() }, maker.machine, l10n);
      return useHost(host.trim(), engines);
    },
    runInteractive: () => chooseInteractively(engines, maker),
  };
}

async function chooseInteractively(
  engines: Engines,
  maker: EngineFactory,
): Promise<Chosen | undefined> {
  let draft: EngineDraft | undefined;
  for (;;) {
    draft = await showEngineForm({
      title: l10n.t('Choose an Engine'),
      isAdded: false,
      engines,
      machine: maker.machine,
      isTaken: () => false,
      before: draft,
    });
    if (!draft) return undefined;
    const { host } = draft.engine;
    const tried = await tryEngine({ name: host, host }, maker);
    const answer = tried.info
      ? 'anyway'
      : await askAfterFailure(host, tried.error, l10n.t('Use Anyway'));
    if (answer === 'leave') return undefined;
    if (answer === 'anyway') return useHost(host, engines);
  }
}

async function useHost(host: string, engines: Engines): Promise<Chosen> {
  await settings.setHost(host);
  engines.update();
  return { outcome: 'chosen' };
}

/** Connects once, as the window will; ssh may ask, for the person is there. */
async function tryEngine(newEngine: NewEngine, { machine, create }: EngineFactory): Promise<Tried> {
  const engine = create(newEngine.name, async () => ({
    candidates: [await newEngineCandidate(newEngine, machine, l10n)],
    isChosen: true,
    steps: [],
  }));
  try {
    const title = l10n.t('Connecting to {0}', newEngine.name);
    const info = await withProgress(title, 'atOnce', async (signal) => {
      const connection = await engine.check(signal);
      return connection.info(signal);
    });
    return { info };
  } catch (error) {
    return { error };
  } finally {
    engine.dispose();
  }
}

/** A cancelled try is gone back from without a word. */
async function askAfterFailure(
  name: string,
  error: unknown,
  anyway: string,
): Promise<'edit' | 'anyway' | 'leave'> {
  if (isCancellation(error)) return 'edit';
  const edit = l10n.t('Edit…');
  const answer = await choose(
    l10n.t('{0} could not be reached', oneLine(name)),
    formatReason(errorMessage(error, l10n)),
    [edit, anyway],
  );
  if (answer === edit) return 'edit';
  return answer === anyway ? 'anyway' : 'leave';
}

async function write(engine: NewEngine, engines: Engines): Promise<Added> {
  const others = Object.entries(settings.engines()).filter(([name]) => name !== engine.name);
  await settings.setEngines(Object.fromEntries([...others, [engine.name, entryOf(engine)]]));
  // The change may not have been told yet; who calls next may name the new one.
  engines.update();
  return { outcome: 'added' };
}

function isTaken(name: string, engines: Engines): boolean {
  return engines.named(name) !== undefined || Object.hasOwn(settings.engines(), name);
}
