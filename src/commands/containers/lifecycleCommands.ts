import * as l10n from '@vscode/l10n';
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
import { isOfPod, isOfStack, swarmServiceOf } from '../../projects/projectLabels.ts';
import { ProjectNode, ServiceNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import { conflictMessage } from '../create/portConflicts.ts';
import { validationMessage } from '../ui/formRows.ts';
import { removeContainerQuestion, serviceReplacementMessage } from './removeContainerQuestion.ts';
import type { Command, TargetCall, TargetCommand } from '../frame/command.ts';
import { nameAmong, uiOf, type CommandTarget } from '../frame/targets.ts';
import type { CommandId, Ui } from '../ui/ui.ts';

/** The lifecycle commands of containers: one request each; "already in that state" is an outcome, not an error. */
export function lifecycleCommands(ui: Ui): readonly Command[] {
  const grace = {
    timeoutSeconds: {
      kind: {
        check: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= -1,
        expected: l10n.t('a number of seconds, or -1 for no limit'),
      },
    },
  };
  return [
    onContainers({
      id: 'gantry.containers.start',
      fits: (one) => !isUp(one) && one.state !== 'removing' && one.state !== 'dead',
      verb: 'starting',
      progressTitle: (name) => l10n.t('Starting {0}', name),
      failureTitle: (name) => l10n.t('Could not start {0}', name),
      run: async (call, { exits }) => {
        // Before anything asynchronous, so that only earlier waits can delay this start.
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
      message: ({ outcome }, { name }) =>
        outcome === 'alreadyStarted' ? l10n.t('{0} is already running.', name) : undefined,
    }),
    onContainers({
      id: 'gantry.containers.stop',
      schema: grace,
      fits: isUp,
      verb: 'stopping',
      progressTitle: (name) => l10n.t('Stopping {0}', name),
      failureTitle: (name) => l10n.t('Could not stop {0}', name),
      run: async (call: TargetCall<GraceArguments>) => {
        const { id } = await call.target();
        return stopContainer(await call.connect(), id, call.args, call.signal);
      },
      message: ({ outcome }, target) => {
        if (outcome === 'alreadyStopped') return l10n.t('{0} is already stopped.', target.name);
        const service = serviceOf(target);
        if (service === undefined) return undefined;
        return serviceReplacementMessage(target.name, service);
      },
    }),
    onContainers({
      id: 'gantry.containers.restart',
      schema: grace,
      fits: (container) => container.state !== 'removing',
      verb: 'restarting',
      progressTitle: (name) => l10n.t('Restarting {0}', name),
      failureTitle: (name) => l10n.t('Could not restart {0}', name),
      run: async (call: TargetCall<GraceArguments>) => {
        const { id } = await call.target();
        return restartContainer(await call.connect(), id, call.args, call.signal);
      },
    }),
    onContainers({
      id: 'gantry.containers.kill',
      schema: { signal: { kind: 'text' } },
      fits: isUp,
      verb: 'killing',
      progressTitle: (name) => l10n.t('Killing {0}', name),
      failureTitle: (name) => l10n.t('Could not kill {0}', name),
      run: async (call: TargetCall<{ readonly signal?: string }>) => {
        const { signal } = call.args;
        if (signal !== undefined && !/^(?:[A-Za-z][A-Za-z0-9+-]*|\d{1,2})$/.test(signal)) {
          throw new InputError(
            l10n.t('"{0}" is not a signal. Use a name or number, for example SIGTERM.', signal),
          );
        }
        const { id } = await call.target();
        return killContainer(await call.connect(), id, call.args, call.signal);
      },
      message: ({ outcome }, { name }) =>
        outcome === 'alreadyStopped' ? l10n.t('{0} is not running.', name) : undefined,
    }),
    onContainers({
      id: 'gantry.containers.pause',
      fits: ({ state }) => state === 'running',
      verb: 'pausing',
      progressTitle: (name) => l10n.t('Pausing {0}', name),
      failureTitle: (name) => l10n.t('Could not pause {0}', name),
      run: async (call) => {
        const { id } = await call.target();
        return pauseContainer(await call.connect(), id, call.signal);
      },
    }),
    onContainers({
      id: 'gantry.containers.unpause',
      fits: ({ state }) => state === 'paused',
      verb: 'unpausing',
      progressTitle: (name) => l10n.t('Unpausing {0}', name),
      failureTitle: (name) => l10n.t('Could not unpause {0}', name),
      run: async (call) => {
        const { id } = await call.target();
        return unpauseContainer(await call.connect(), id, call.signal);
      },
    }),
    onContainers({
      id: 'gantry.containers.rename',
      schema: { name: { kind: 'text', required: true } },
      verb: 'renaming',
      progressTitle: (name) => l10n.t('Renaming {0}', name),
      failureTitle: (name) => l10n.t('Could not rename {0}', name),
      isForOne: true,
      ask: async ([target], before) => (target ? askName(target, before?.name) : undefined),
      canEdit: true,
      run: async (call: TargetCall<{ readonly name: string }>) => {
        const name = checkContainerName(call.args.name);
        const { id } = await call.target();
        return renameContainer(await call.connect(), id, name, call.signal);
      },
    }),
    onContainers({
      id: 'gantry.containers.remove',
      schema: { force: { kind: 'boolean' }, volumes: { kind: 'boolean' } },
      fits: ({ state, pod }) => state !== 'removing' && pod?.isInfra !== true,
      verb: 'removing',
      progressTitle: (name) => l10n.t('Removing {0}', name),
      failureTitle: (name) => l10n.t('Could not remove {0}', name),
      ofOthers: removalOf,
      ask: (targets) => confirmRemove(ui, targets),
      run: async (call: TargetCall<RemoveArguments>) => {
        const { id } = await call.target();
        const { killed, force, ...options } = call.args;
        const wanted = { ...options, force: killed ? killed.has(id) : force };
        return removeContainer(await call.connect(), id, wanted, call.signal);
      },
    }),
  ];
}

/** Creates a command on containers. Infers its type arguments. */
function onContainers<Args extends object, Result>(
  command: Omit<TargetCommand<Args, Result>, 'on'>,
): TargetCommand<Args, Result> {
  return { on: 'container', ...command };
}

interface GraceArguments {
  readonly timeoutSeconds?: number;
}

interface RemoveArguments {
  readonly force?: boolean;
  readonly volumes?: boolean;
  /** IDs of the containers that the confirmation announced as killed. Not part of the argument. */
  readonly killed?: ReadonlySet<string>;
}

/** Returns the command that removes projects and services, if all rows are such. */
function removalOf(rows: readonly TreeNode[]): CommandId | undefined {
  const projects = rows.filter((row) => row instanceof ProjectNode);
  const isDown = projects.every(({ containers }) =>
    containers.every(({ container }) => !isOfStack(container) && !isOfPod(container)),
  );
  if (projects.length === rows.length && isDown) return 'gantry.projects.down';
  const areGroups = rows.every((row) => row instanceof ProjectNode || row instanceof ServiceNode);
  return areGroups ? 'gantry.projects.remove' : undefined;
}

/** Returns a message if the inventory has another container with this name. */
function nameConflict(name: string, { id, context }: CommandTarget): string | undefined {
  const others = [...context.inventory.containers.values()].filter((one) => one.id !== id);
  return conflictMessage({ name }, others);
}

async function askName(
  target: CommandTarget,
  before = target.name,
): Promise<{ readonly name: string } | undefined> {
  const name = await target.context.ui.input({
    title: l10n.t('Rename {0}', target.name),
    prompt: l10n.t('New name of the container'),
    value: before,
    problem: (name) =>
      validationMessage(() => checkContainerName(name)) ?? nameConflict(name, target),
  });
  return name === undefined ? undefined : { name };
}

async function confirmRemove(
  ui: Ui,
  targets: readonly CommandTarget[],
): Promise<RemoveArguments | undefined> {
  const now = targets.map(upToDate);
  const running = now.filter((one) => one.container && isUp(one.container));
  const { question, detail } = removeContainerQuestion(
    now.map((one) => ({
      name: nameAmong(one, now),
      isRunning: running.includes(one),
      service: serviceOf(one),
    })),
  );
  if (!(await uiOf(now, ui).confirm(question, detail, l10n.t('Remove')))) return undefined;
  // A container that is started while the question is open is not killed: the question did not announce it.
  return { killed: new Set(running.map(({ id }) => id)) };
}

/** Returns the target with its current state from the inventory: a menu may have been open for a while. */
function upToDate(target: CommandTarget): CommandTarget {
  const known = target.context.inventory.containers.get(target.id) ?? target.container;
  return known ? { ...target, container: known } : target;
}

function serviceOf(target: CommandTarget): string | undefined {
  return target.container && swarmServiceOf(target.container);
}
