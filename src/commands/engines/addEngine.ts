import * as vscode from 'vscode';
import type { Engines } from '../../engines/engines.ts';
import type { EngineMaker } from '../../engines/engineMaker.ts';
import { productOf } from '../../engines/engineChecks.ts';
import { entryOf, nameProblem, placeOfNew, type NewEngine } from '../../engines/newEngine.ts';
import { InputError } from '../../engine/errors.ts';
import type { EngineInfo } from '../../engine/model.ts';
import { isCancellation } from '../../lifetime.ts';
import { oneLine } from '../../plainText.ts';
import { settings } from '../../settings.ts';
import { askForEngine, type EngineDraft } from './addEngineForm.ts';
import type { WindowCommand } from '../command.ts';
import { choose, showInfo, withProgress } from '../person.ts';
import { describeError } from '../sentences.ts';
import type { Shape } from '../shape.ts';
import { shownName, shownReason } from '../shown.ts';

const { l10n } = vscode;

interface Added {
  readonly outcome: 'added';
}

interface Chosen {
  readonly outcome: 'chosen';
}

const shape: Shape = {
  name: { kind: 'text', required: true },
  host: { kind: 'text', required: true },
  certPath: { kind: 'text' },
  skipTlsVerify: { kind: 'boolean' },
};

/** Adds an engine to the person's settings; for a person after a try whether it answers. */
export function addEngineCommand(
  engines: Engines,
  maker: EngineMaker,
): WindowCommand<NewEngine, Added> {
  return {
    id: 'gantry.engines.add',
    shape,
    failing: l10n.t('Could not add the engine'),
    run: async (given) => {
      const engine = { ...given, host: given.host.trim() };
      const problem = nameProblem(engine.name, (name) => isTaken(name, engines), l10n);
      if (problem !== undefined) throw new InputError(problem);
      await placeOfNew(engine, maker.machine, describe, l10n);
      return write(engine, engines);
    },
    person: () => addForPerson(engines, maker),
  };
}

async function addForPerson(engines: Engines, maker: EngineMaker): Promise<Added | undefined> {
  let draft: EngineDraft | undefined;
  for (;;) {
    draft = await askForEngine({
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
    const product = tried.info && shownName(productOf(tried.info, l10n));
    showInfo(
      product === undefined
        ? l10n.t('Added {0}.', shownName(engine.name))
        : l10n.t('Added {0}: {1}', shownName(engine.name), product),
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
  maker: EngineMaker,
): WindowCommand<{ readonly host: string }, Chosen> {
  return {
    id: 'gantry.engines.choose',
    shape: { host: { kind: 'text', required: true } },
    failing: l10n.t('Could not choose the engine'),
    run: async ({ host }) => {
      await placeOfNew({ name: host, host: host.trim() }, maker.machine, describe, l10n);
      return useHost(host.trim(), engines);
    },
    person: () => chooseForPerson(engines, maker),
  };
}

async function chooseForPerson(engines: Engines, maker: EngineMaker): Promise<Chosen | undefined> {
  let draft: EngineDraft | undefined;
  for (;;) {
    draft = await askForEngine({
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
async function tryEngine(newEngine: NewEngine, { machine, make }: EngineMaker): Promise<Tried> {
  const engine = make(newEngine.name, async () => ({
    places: [await placeOfNew(newEngine, machine, describe, l10n)],
    isChosen: true,
    looked: [],
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
    shownReason(describe(error)),
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

function describe(error: unknown): string {
  return describeError(error, l10n);
}
