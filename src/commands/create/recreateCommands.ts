/** Commands that make a container like one that is there: the same once more, or another one after it. */

import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import { checkContainerName } from '../../engine/options/optionChecks.ts';
import type { CreateArguments } from '../../engine/options/options.ts';
import { InputError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import { isCancellation } from '../../lifetime.ts';
import { readContainerSpec } from '../../recipes/containerSpec.ts';
import { ContainerNode, type TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { freeContainerName, findPortConflicts, portConflictMessage } from './portConflicts.ts';
import {
  createInteractively,
  createWithProgress,
  showCreateError,
  offerMissingImage,
  suggestPort,
} from './createInteractively.ts';
import { createAndStart, imageToPull, type CreatedContainer } from './createAndStart.ts';
import { optionSchema } from './createSchema.ts';
import { reassignPorts } from './reassignPorts.ts';
import { confirm } from '../notifications.ts';
import { pullWithCredentials } from '../registries/pullCommand.ts';
import { formatName, formatNames } from '../displayText.ts';
import { findContainerTarget, knownContainers, pickTarget } from '../targets.ts';

const { l10n } = vscode;

interface AgainArguments {
  readonly id: string;
  readonly name?: string;
  readonly start?: boolean;
}

/**
 * Makes a container with the configuration of another, of the image that its reference stands for now, and starts it.
 * Where its ports are taken nothing is made: a person is offered others.
 */
export const runAgainCommand: PlainCommand<AgainArguments, CreatedContainer> = {
  id: 'gantry.containers.runAgain',
  schema: {
    id: { kind: 'text', required: true },
    name: { kind: 'text' },
    start: { kind: 'boolean' },
  },
  selects: 'container',
  failureTitle: l10n.t('Could not run it again'),
  run: async ({ id, name, start = true }, context, signal) => {
    // Before any request: bad input changes nothing.
    if (name !== undefined) checkContainerName(name, l10n);
    const model = await modelOf(id, context, signal);
    const args = { ...model.args, name: name ?? model.freeName, start };
    const held = start ? findPortConflicts(args.ports ?? [], model.containers, l10n) : [];
    if (held.length > 0) throw new InputError(portConflictMessage(held, l10n) ?? '');
    return silently(args, model.warnings, context, signal);
  },
  runInteractive: async (context, nodes) => {
    const id = await idFor(context, nodes);
    if (id === undefined) return undefined;
    const model = await modelOf(id, context, new AbortController().signal);
    const ports = await portsFor(model, context);
    if (ports === undefined) return undefined;
    const args = { ...model.args, ports, name: model.freeName, start: true };
    return createAgain(args, model.warnings, context);
  },
};

type DuplicateArguments = Partial<CreateArguments> & { readonly id: string };

/** Makes a container after another, with changes: for a person in the form, filled in as that one is. */
export const duplicateCommand: PlainCommand<DuplicateArguments, CreatedContainer> = {
  id: 'gantry.containers.duplicate',
  schema: { id: { kind: 'text', required: true }, ...optionSchema },
  selects: 'container',
  failureTitle: l10n.t('Could not duplicate the container'),
  run: async ({ id, ...own }, context, signal) => {
    const model = await modelOf(id, context, signal);
    return silently(
      { ...model.args, name: model.freeName, ...own },
      model.warnings,
      context,
      signal,
    );
  },
  runInteractive: async (context, nodes) => {
    const id = await idFor(context, nodes);
    if (id === undefined) return undefined;
    const model = await modelOf(id, context, new AbortController().signal);
    const [warning] = model.warnings;
    return createInteractively(context, {
      title: l10n.t('Duplicate {0}', model.name),
      draft: { ...model.args, name: model.freeName },
      ...(warning !== undefined && { warning }),
    });
  },
};

/** A container to make others after. */
interface Model {
  readonly args: CreateArguments;
  readonly name: string;
  readonly freeName: string;
  readonly containers: readonly Container[];
  /** What of it the others will not have, as one sentence, or nothing. */
  readonly warnings: readonly string[];
}

/** @throws InputError where `id` calls no container, EngineError where there is none. */
async function modelOf(id: string, context: CommandContext, signal: AbortSignal): Promise<Model> {
  if (id.trim() === '') throw new InputError(l10n.t('The id is empty.'));
  const connection: Connection = await context.engine.connect(signal);
  const target = await findContainerTarget(context, connection, id, signal);
  const { args, unsupported } = await readContainerSpec(connection, target.id, signal);
  const containers = await knownContainers(context);
  const name = args.name ?? target.name;
  return {
    args,
    name,
    freeName: freeContainerName(name, containers),
    containers,
    warnings:
      unsupported.length === 0
        ? []
        : [l10n.t('Not taken over: {0}.', formatNames(unsupported, l10n))],
  };
}

async function silently(
  args: CreateArguments,
  warnings: readonly string[],
  context: CommandContext,
  signal: AbortSignal,
): Promise<CreatedContainer> {
  const pull = (): Promise<unknown> =>
    pullWithCredentials(context, imageToPull(args), false, signal);
  const created = await createAndStart(args, context, signal, pull);
  return { ...created, warnings: [...created.warnings, ...warnings] };
}

/** What the person points at, else what they pick. Undefined where they leave. */
async function idFor(
  context: CommandContext,
  nodes: readonly TreeNode[],
): Promise<string | undefined> {
  const node = nodes.find((one) => one instanceof ContainerNode);
  return node ? node.container.id : (await pickTarget(context, 'container', undefined))?.id;
}

/** Its ports, or free ones in place of those that are taken. Undefined where the person leaves. */
async function portsFor(
  { args, name, containers }: Model,
  context: CommandContext,
): Promise<readonly string[] | undefined> {
  const { ports = [] } = args;
  const held = findPortConflicts(ports, containers, l10n);
  if (held.length === 0) return ports;
  const question = l10n.t('Run {0} again at other ports?', formatName(name));
  const sentence = portConflictMessage(held, l10n) ?? '';
  if (!(await confirm(question, sentence, l10n.t('Use Free Ports')))) return undefined;
  const taken = new Set(held.map(({ hostPort }) => hostPort));
  return reassignPorts(
    ports,
    taken,
    (...asked) => suggestPort(context, containers, ...asked),
    l10n,
  );
}

async function createAgain(
  args: CreateArguments,
  warnings: readonly string[],
  context: CommandContext,
): Promise<CreatedContainer | undefined> {
  try {
    if (!(await offerMissingImage(args, context))) return undefined;
    return await createWithProgress(args, context, warnings);
  } catch (error) {
    if (!isCancellation(error)) showCreateError(error, args, context);
    return undefined;
  }
}
