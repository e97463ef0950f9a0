import * as vscode from 'vscode';
import {
  killContainer,
  pauseContainer,
  removeContainer,
  renameContainer,
  restartContainer,
  startContainer,
  stopContainer,
  unpauseContainer,
} from '../../engine/containers/containerLifecycle.ts';
import { checkContainerName } from '../../engine/options/optionChecks.ts';
import { InputError } from '../../engine/errors.ts';
import { isUp } from '../../engine/model.ts';
import { displayTitle } from '../../plainText.ts';
import { conflictMessage } from '../create/portConflicts.ts';
import { validationMessage } from '../forms/formRows.ts';
import { confirm } from '../notifications.ts';
import { removeContainerQuestion, serviceReplacementMessage } from './removeContainerQuestion.ts';
import type { CommandRegistry } from '../commandRegistry.ts';
import type { TargetCommand } from '../command.ts';
import type { CommandTarget } from '../targets.ts';

const { l10n } = vscode;

/** The label that tells a container of a swarm service, and the service's name. */
const SWARM_SERVICE = 'com.docker.swarm.service.name';

/** Registers the plain verbs on containers: one request each, and "already so" is an outcome. */
export function registerLifecycleCommands(registry: CommandRegistry): void {
  registry.target(start);
  registry.target(stop);
  registry.target(restart);
  registry.target(kill);
  registry.target(pause);
  registry.target(unpause);
  registry.target(rename);
  registry.target(remove);
}

interface Outcome<Word extends string> {
  readonly outcome: Word;
}

const start: TargetCommand<object, Outcome<'started' | 'alreadyStarted'>> = {
  id: 'gantry.containers.start',
  kind: 'container',
  schema: {},
  fits: (container) => !isUp(container) && container.state !== 'removing',
  verb: 'starting',
  progressTitle: (name) => l10n.t('Starting {0}', name),
  failureTitle: (name) => l10n.t('Could not start {0}', name),
  run: async (call, { exits }) => {
    // Before anything asynchronous: only waits asked for earlier may hold this start.
    const hold = exits.beforeStart();
    const { id } = await call.target();
    await hold(id, call.signal);
    try {
      return await startContainer(await call.connect(), id, call.signal);
    } catch (error) {
      exits.startFailed(id, error);
      throw error;
    }
  },
  say: ({ outcome }, { name }) =>
    outcome === 'alreadyStarted' ? l10n.t('{0} was running already.', name) : undefined,
};

interface GraceArguments {
  readonly timeoutSeconds?: number;
}

const graceShape = {
  timeoutSeconds: {
    kind: {
      check: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= -1,
      expected: l10n.t('a whole number of seconds, or -1 for no limit'),
    },
  },
} as const;

const stop: TargetCommand<GraceArguments, Outcome<'stopped' | 'alreadyStopped'>> = {
  id: 'gantry.containers.stop',
  kind: 'container',
  schema: graceShape,
  fits: isUp,
  verb: 'stopping',
  progressTitle: (name) => l10n.t('Stopping {0}', name),
  failureTitle: (name) => l10n.t('Could not stop {0}', name),
  run: async (call) => {
    const { id } = await call.target();
    return stopContainer(await call.connect(), id, call.args, call.signal);
  },
  say: ({ outcome }, target) => {
    if (outcome === 'alreadyStopped') return l10n.t('{0} was stopped already.', target.name);
    const service = serviceOf(target);
    return service === undefined
      ? undefined
      : serviceReplacementMessage(target.name, service, l10n);
  },
};

const restart: TargetCommand<GraceArguments, Outcome<'restarted'>> = {
  id: 'gantry.containers.restart',
  kind: 'container',
  schema: graceShape,
  fits: (container) => container.state !== 'removing',
  verb: 'restarting',
  progressTitle: (name) => l10n.t('Restarting {0}', name),
  failureTitle: (name) => l10n.t('Could not restart {0}', name),
  run: async (call) => {
    const { id } = await call.target();
    return restartContainer(await call.connect(), id, call.args, call.signal);
  },
};

const kill: TargetCommand<{ readonly signal?: string }, Outcome<'killed' | 'alreadyStopped'>> = {
  id: 'gantry.containers.kill',
  kind: 'container',
  schema: { signal: { kind: 'text' } },
  fits: isUp,
  verb: 'killing',
  progressTitle: (name) => l10n.t('Killing {0}', name),
  failureTitle: (name) => l10n.t('Could not kill {0}', name),
  run: async (call) => {
    const { signal } = call.args;
    if (signal !== undefined && !/^(?:[A-Za-z][A-Za-z0-9+-]*|\d{1,2})$/.test(signal)) {
      throw new InputError(l10n.t('"{0}" is not a signal. Write a name or a number.', signal));
    }
    const { id } = await call.target();
    return killContainer(await call.connect(), id, call.args, call.signal);
  },
  say: ({ outcome }, { name }) =>
    outcome === 'alreadyStopped' ? l10n.t('{0} was not running.', name) : undefined,
};

const pause: TargetCommand<object, Outcome<'paused' | 'alreadyPaused'>> = {
  id: 'gantry.containers.pause',
  kind: 'container',
  schema: {},
  fits: ({ state }) => state === 'running',
  verb: 'pausing',
  progressTitle: (name) => l10n.t('Pausing {0}', name),
  failureTitle: (name) => l10n.t('Could not pause {0}', name),
  run: async (call) => {
    const { id } = await call.target();
    return pauseContainer(await call.connect(), id, call.signal);
  },
};

const unpause: TargetCommand<object, Outcome<'unpaused' | 'alreadyUnpaused'>> = {
  id: 'gantry.containers.unpause',
  kind: 'container',
  schema: {},
  fits: ({ state }) => state === 'paused',
  verb: 'unpausing',
  progressTitle: (name) => l10n.t('Unpausing {0}', name),
  failureTitle: (name) => l10n.t('Could not unpause {0}', name),
  run: async (call) => {
    const { id } = await call.target();
    return unpauseContainer(await call.connect(), id, call.signal);
  },
};

const rename: TargetCommand<{ readonly name: string }, Outcome<'renamed' | 'alreadyNamed'>> = {
  id: 'gantry.containers.rename',
  kind: 'container',
  schema: { name: { kind: 'text', required: true } },
  verb: 'renaming',
  progressTitle: (name) => l10n.t('Renaming {0}', name),
  failureTitle: (name) => l10n.t('Could not rename {0}', name),
  isForOne: true,
  ask: async ([target], before) => (target ? askName(target, before?.name) : undefined),
  canEdit: true,
  run: async (call) => {
    const name = checkContainerName(call.args.name, l10n);
    const { id } = await call.target();
    return renameContainer(await call.connect(), id, name, l10n, call.signal);
  },
};

/** Says who has a name, by what is known without asking. */
function takenName(name: string, { id, context }: CommandTarget): string | undefined {
  const others = [...context.inventory.containers.values()].filter((one) => one.id !== id);
  return conflictMessage({ name }, others, l10n);
}

async function askName(
  target: CommandTarget,
  before = target.name,
): Promise<{ readonly name: string } | undefined> {
  const name = await vscode.window.showInputBox({
    title: displayTitle(l10n.t('Rename {0}', target.name)),
    prompt: l10n.t('New name of the container'),
    value: before,
    ignoreFocusOut: true,
    validateInput: (name) =>
      validationMessage(() => checkContainerName(name, l10n)) ?? takenName(name, target),
  });
  return name === undefined ? undefined : { name };
}

interface RemoveArguments {
  readonly force?: boolean;
  readonly volumes?: boolean;
  /** Ids of those that the user was told are killed first; not a part of the argument. */
  readonly killed?: ReadonlySet<string>;
}

const remove: TargetCommand<RemoveArguments, Outcome<'removed' | 'alreadyGone'>> = {
  id: 'gantry.containers.remove',
  kind: 'container',
  schema: { force: { kind: 'boolean' }, volumes: { kind: 'boolean' } },
  fits: ({ state }) => state !== 'removing',
  verb: 'removing',
  progressTitle: (name) => l10n.t('Removing {0}', name),
  failureTitle: (name) => l10n.t('Could not remove {0}', name),
  ask: confirmRemove,
  run: async (call) => {
    const { id } = await call.target();
    const { killed, force, ...options } = call.args;
    const isForced = killed ? killed.has(id) : force;
    return removeContainer(await call.connect(), id, { ...options, force: isForced }, call.signal);
  },
};

async function confirmRemove(
  targets: readonly CommandTarget[],
): Promise<RemoveArguments | undefined> {
  const now = targets.map(upToDate);
  const running = now.filter((one) => one.container && isUp(one.container));
  const { question, detail } = removeContainerQuestion(
    now.map((one) => ({
      name: one.name,
      isRunning: running.includes(one),
      service: serviceOf(one),
    })),
    l10n,
  );
  if (!(await confirm(question, detail, l10n.t('Remove')))) return undefined;
  // One that was started while the question was open is not killed: nobody was told so.
  return { killed: new Set(running.map(({ id }) => id)) };
}

/** The target as the inventory knows it now: a menu may have been open for a while. */
function upToDate(target: CommandTarget): CommandTarget {
  const known = target.context.inventory.containers.get(target.id) ?? target.container;
  return known ? { ...target, container: known } : target;
}

function serviceOf(target: CommandTarget): string | undefined {
  return target.container?.labels[SWARM_SERVICE];
}
