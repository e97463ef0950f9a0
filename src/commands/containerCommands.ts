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
} from '../engine/containerVerbs.ts';
import { checkContainerName } from '../engine/createSpec.ts';
import { InputError } from '../engine/errors.ts';
import { isUp } from '../engine/model.ts';
import { problemOf } from './formRows.ts';
import { confirm } from './person.ts';
import type { CommandRegistry } from './registry.ts';
import { shownText } from './shown.ts';
import type { TargetCommand } from './command.ts';
import type { Target } from './targets.ts';

const { l10n } = vscode;

/** The label that tells a container of a swarm service, and the service's name. */
const SWARM_SERVICE = 'com.docker.swarm.service.name';

/** Registers the plain verbs on containers: one request each, and "already so" is an outcome. */
export function registerContainerVerbs(registry: CommandRegistry): void {
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
  shape: {},
  fits: (container) => !isUp(container) && container.state !== 'removing',
  verb: 'starting',
  doing: (name) => l10n.t('Starting {0}', name),
  failing: (name) => l10n.t('Could not start {0}', name),
  run: async (call, { exits }) => {
    // Before anything asynchronous: only waits asked for earlier may hold this start.
    const hold = exits.holdStart();
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
  shape: graceShape,
  fits: isUp,
  verb: 'stopping',
  doing: (name) => l10n.t('Stopping {0}', name),
  failing: (name) => l10n.t('Could not stop {0}', name),
  run: async (call) => {
    const { id } = await call.target();
    return stopContainer(await call.connect(), id, call.args, call.signal);
  },
  say: ({ outcome }, target) => {
    if (outcome === 'alreadyStopped') return l10n.t('{0} was stopped already.', target.name);
    const service = serviceOf(target);
    return service === undefined ? undefined : willBeReplaced(target.name, service);
  },
};

const restart: TargetCommand<GraceArguments, Outcome<'restarted'>> = {
  id: 'gantry.containers.restart',
  kind: 'container',
  shape: graceShape,
  fits: (container) => container.state !== 'removing',
  verb: 'restarting',
  doing: (name) => l10n.t('Restarting {0}', name),
  failing: (name) => l10n.t('Could not restart {0}', name),
  run: async (call) => {
    const { id } = await call.target();
    return restartContainer(await call.connect(), id, call.args, call.signal);
  },
};

const kill: TargetCommand<{ readonly signal?: string }, Outcome<'killed' | 'alreadyStopped'>> = {
  id: 'gantry.containers.kill',
  kind: 'container',
  shape: { signal: { kind: 'text' } },
  fits: isUp,
  verb: 'killing',
  doing: (name) => l10n.t('Killing {0}', name),
  failing: (name) => l10n.t('Could not kill {0}', name),
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
  shape: {},
  fits: ({ state }) => state === 'running',
  verb: 'pausing',
  doing: (name) => l10n.t('Pausing {0}', name),
  failing: (name) => l10n.t('Could not pause {0}', name),
  run: async (call) => {
    const { id } = await call.target();
    return pauseContainer(await call.connect(), id, call.signal);
  },
};

const unpause: TargetCommand<object, Outcome<'unpaused' | 'alreadyUnpaused'>> = {
  id: 'gantry.containers.unpause',
  kind: 'container',
  shape: {},
  fits: ({ state }) => state === 'paused',
  verb: 'unpausing',
  doing: (name) => l10n.t('Unpausing {0}', name),
  failing: (name) => l10n.t('Could not unpause {0}', name),
  run: async (call) => {
    const { id } = await call.target();
    return unpauseContainer(await call.connect(), id, call.signal);
  },
};

const rename: TargetCommand<{ readonly name: string }, Outcome<'renamed' | 'alreadyNamed'>> = {
  id: 'gantry.containers.rename',
  kind: 'container',
  shape: { name: { kind: 'text', required: true } },
  verb: 'renaming',
  doing: (name) => l10n.t('Renaming {0}', name),
  failing: (name) => l10n.t('Could not rename {0}', name),
  isForOne: true,
  ask: async ([target]) => (target ? askName(target) : undefined),
  run: async (call) => {
    const name = checkContainerName(call.args.name, l10n);
    const { id } = await call.target();
    return renameContainer(await call.connect(), id, name, call.signal);
  },
};

async function askName(target: Target): Promise<{ readonly name: string } | undefined> {
  const name = await vscode.window.showInputBox({
    title: shownText(l10n.t('Rename {0}', target.name)),
    prompt: l10n.t('New name of the container'),
    value: target.name,
    validateInput: (value) => problemOf(() => checkContainerName(value, l10n)),
  });
  return name === undefined ? undefined : { name };
}

interface RemoveArguments {
  readonly force?: boolean;
  readonly volumes?: boolean;
}

const remove: TargetCommand<RemoveArguments, Outcome<'removed' | 'alreadyGone'>> = {
  id: 'gantry.containers.remove',
  kind: 'container',
  shape: { force: { kind: 'boolean' }, volumes: { kind: 'boolean' } },
  fits: ({ state }) => state !== 'removing',
  verb: 'removing',
  doing: (name) => l10n.t('Removing {0}', name),
  failing: (name) => l10n.t('Could not remove {0}', name),
  ask: confirmRemove,
  run: async (call) => {
    const { id } = await call.target();
    return removeContainer(await call.connect(), id, call.args, call.signal);
  },
};

async function confirmRemove(targets: readonly Target[]): Promise<RemoveArguments | undefined> {
  const now = targets.map(upToDate);
  const running = now.filter((one) => one.container && isUp(one.container));
  const [first] = targets;
  const question =
    targets.length === 1 && first
      ? l10n.t('Remove the container {0}?', first.name)
      : l10n.t('Remove {0} containers?', targets.length);
  const sentences = [
    targets.length > 1 ? l10n.t('These go: {0}.', targets.map((one) => one.name).join(', ')) : '',
    running.length > 0
      ? l10n.t('Running, so killed first: {0}.', running.map((one) => one.name).join(', '))
      : '',
    l10n.t('What was written inside is lost, unless it is in a volume or a mount.'),
    ...now.flatMap((one) => {
      const service = serviceOf(one);
      return service === undefined ? [] : [willBeReplaced(one.name, service)];
    }),
  ];
  const detail = sentences.filter((sentence) => sentence !== '').join('\n');
  return (await confirm(question, detail, l10n.t('Remove')))
    ? { force: running.length > 0 }
    : undefined;
}

/** The target as the inventory knows it now: a menu may have been open for a while. */
function upToDate(target: Target): Target {
  const known = target.context.inventory.containers.get(target.id) ?? target.container;
  return known ? { ...target, container: known } : target;
}

function serviceOf(target: Target): string | undefined {
  return target.container?.labels[SWARM_SERVICE];
}

function willBeReplaced(name: string, service: string): string {
  return l10n.t('{0} belongs to the service {1}, which will replace it.', name, service);
}
