/** The commands that create a container: a new one, or from an existing one with or without changes. */

import * as l10n from '@vscode/l10n';
import { checkContainerName } from '../../engine/options/optionChecks.ts';
import type { CreateArguments, OptionName } from '../../engine/options/options.ts';
import { InputError } from '../../engine/errors.ts';
import { oneLine } from '../../base/plainText.ts';
import type { Container } from '../../engine/model.ts';
import { ImageNode } from '../../views/images/imageNode.ts';
import { ContainerNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import {
  freeContainerName,
  findPortConflicts,
  portConflictMessage,
  reassignPorts,
} from './portConflicts.ts';
import {
  createFailedMessage,
  createInteractively,
  createWithProgress,
  offerMissingImage,
  withCreateError,
} from './createInteractively.ts';
import { createSchema, optionSchema } from './createSchema.ts';
import { portSuggester, publishedPorts } from './formDependencies.ts';
import { readCopy } from './proxies.ts';
import { createAndStart, type CreatedContainer } from './createAndStart.ts';
import { formatName, formatNames } from '../ui/formatNames.ts';
import { findContainerTarget, knownContainers } from '../frame/targets.ts';
import { pickRow, pickTarget } from '../frame/pickTarget.ts';

/** Creates a container, and starts it if requested. */
export const createCommand = (): PlainCommand<CreateArguments, CreatedContainer> => ({
  id: 'gantry.containers.create',
  schema: createSchema(),
  failureTitle: createFailedMessage(),
  run: (args, context, signal) => createAndStart(args, context, false, signal),
  runInteractive: async (context, [node]) => {
    const image = node instanceof ImageNode ? (node.reference ?? node.image.id) : undefined;
    return createInteractively(context, { draft: { image }, isFresh: true });
  },
});

interface AgainArguments {
  readonly id: string;
  readonly name?: string;
  readonly start?: boolean;
  /** Whether to start a copy that lacks ports, user, network, mounts, or runtime of the container. */
  readonly allowLosses?: boolean;
}

/**
 * Creates and starts a container with the configuration of another, from the image that its reference means
 * now. If its ports are in use, creates nothing; the user is offered free ports. If it would lack an essential setting,
 * creates nothing; the user edits it in the form.
 */
export const runAgainCommand = (): PlainCommand<AgainArguments, CreatedContainer> => ({
  id: 'gantry.containers.runAgain',
  schema: {
    id: { kind: 'text', required: true },
    name: { kind: 'text' },
    start: { kind: 'boolean' },
    allowLosses: { kind: 'boolean' },
  },
  selects: 'container',
  isForOne: true,
  pick: pickRow('gantry.containers.runAgain', 'container'),
  failureTitle: l10n.t('Could not duplicate and run the container'),
  run: async ({ id, name, start = true, allowLosses }, context, signal) => {
    // Before any request, so that invalid input changes nothing.
    if (name !== undefined) checkContainerName(name);
    const model = await modelOf(id, context, signal);
    const args = { ...model.args, name: name ?? model.freeName, start };
    if (start && allowLosses !== true) refuseLosses(model, {});
    const held = start ? findPortConflicts(args.ports ?? [], model.containers) : [];
    if (held.length > 0) throw new InputError(portConflictMessage(held) ?? '');
    return silently(args, model.warnings, context, signal);
  },
  runInteractive: async (context, nodes) => {
    const model = await askModel(context, nodes);
    if (!model) return undefined;
    if (model.essential.length > 0) return editCopy(model, context);
    const ports = await portsFor(model, context);
    if (!ports) return undefined;
    const args = { ...model.args, ports, name: model.freeName, start: true };
    return withCreateError(args, context, async () => {
      if (!(await offerMissingImage(args, context))) return undefined;
      return createWithProgress(args, context, model.warnings);
    });
  },
});

type DuplicateArguments = Partial<CreateArguments> & Pick<AgainArguments, 'id' | 'allowLosses'>;

/**
 * Creates a container from another one, with changes. The user edits them in the form, which has the values
 * of that container.
 */
export const duplicateCommand = (): PlainCommand<DuplicateArguments, CreatedContainer> => ({
  id: 'gantry.containers.duplicate',
  schema: {
    id: { kind: 'text', required: true },
    ...optionSchema(),
    allowLosses: { kind: 'boolean' },
  },
  selects: 'container',
  isForOne: true,
  pick: pickRow('gantry.containers.duplicate', 'container'),
  failureTitle: l10n.t('Could not duplicate the container'),
  run: async ({ id, allowLosses, ...own }, context, signal) => {
    const model = await modelOf(id, context, signal);
    if (own.start === true && allowLosses !== true) refuseLosses(model, own);
    const args = { ...model.args, name: model.freeName, ...own };
    return silently(args, model.warnings, context, signal);
  },
  runInteractive: async (context, nodes) => {
    const model = await askModel(context, nodes);
    return model && editCopy(model, context);
  },
});

/** Opens the form with the values of a container. It says which settings cannot be copied. */
function editCopy(model: Model, context: CommandContext): Promise<CreatedContainer | undefined> {
  const draft = { ...model.args, name: model.freeName };
  const title = l10n.t('Duplicate {0}', model.name);
  return createInteractively(context, { title, draft, warning: model.warnings[0] });
}

/** The options that take the place of a setting of the API. */
const REPLACED_BY: Readonly<Record<string, OptionName>> = {
  Mounts: 'mounts',
  VolumesFrom: 'mounts',
  Networks: 'network',
  NetworkDisabled: 'network',
  Links: 'network',
};

/** Rejects a copy that lacks an essential setting, unless the caller sets it. @throws InputError with all of them. */
function refuseLosses({ essential }: Model, own: Partial<CreateArguments>): void {
  const lost = essential.filter((setting) => {
    const [name = ''] = setting.split(' ', 1);
    return !Object.hasOwn(own, REPLACED_BY[name] ?? name);
  });
  if (lost.length === 0) return;
  throw new InputError(
    l10n.t(
      'The copy would lack settings of the container: {0}. Set them, or allow the losses (allowLosses).',
      lost.map((setting) => oneLine(setting, 100)).join(', '),
    ),
  );
}

/** A container to create another one from. */
interface Model {
  readonly args: CreateArguments;
  readonly name: string;
  readonly freeName: string;
  readonly containers: readonly Container[];
  /** The settings that the new container will not have, as one sentence; empty if there are none. */
  readonly warnings: readonly string[];
  /** Settings without which the new container is not started. */
  readonly essential: readonly string[];
}

/** @throws InputError if `id` is not a valid name or ID, EngineError if the container does not exist. */
async function modelOf(id: string, context: CommandContext, signal: AbortSignal): Promise<Model> {
  if (id.trim() === '') throw new InputError(l10n.t('The ID is empty.'));
  const connection = await context.engine.connect(signal);
  const target = await findContainerTarget(context, connection, id, signal);
  const { args, unsupported, essential } = await readCopy(context, connection, target.id, signal);
  const containers = await knownContainers(context, signal);
  const name = args.name ?? target.name;
  const lost = [...essential, ...unsupported.filter((one) => !essential.includes(one))];
  return {
    args,
    name,
    freeName: freeContainerName(name, containers),
    containers,
    essential,
    warnings: lost.length === 0 ? [] : [l10n.t('Not copied: {0}.', formatNames(lost))],
  };
}

async function silently(
  args: CreateArguments,
  warnings: readonly string[],
  context: CommandContext,
  signal: AbortSignal,
): Promise<CreatedContainer> {
  const created = await createAndStart(args, context, false, signal);
  return { ...created, warnings: [...created.warnings, ...warnings] };
}

/** Returns the model for the row, or for a container that the user picks. Undefined if the user picks none. */
async function askModel(
  context: CommandContext,
  nodes: readonly TreeNode[],
): Promise<Model | undefined> {
  const own = nodes.filter(({ engine }) => engine === context.unit.id);
  const node = own.find((one) => one instanceof ContainerNode);
  const id = 'gantry.containers.duplicate';
  const found = node?.container ?? (await pickTarget([context], id, 'container'));
  if (!found) return undefined;
  const title = l10n.t('Inspecting {0}', formatName(found.name));
  return context.ui.progress(title, 'late', (signal) => modelOf(found.id, context, signal));
}

/** Returns the model's ports, with free ports in place of those in use. Undefined if the user cancels. */
async function portsFor(
  { args, name, containers }: Model,
  context: CommandContext,
): Promise<readonly string[] | undefined> {
  const { ports = [] } = args;
  const held = findPortConflicts(ports, containers);
  if (held.length === 0) return ports;
  const question = l10n.t('Duplicate {0} with other ports?', formatName(name));
  const sentence = portConflictMessage(held) ?? '';
  if (!(await context.ui.confirm(question, sentence, l10n.t('Use Free Ports')))) return undefined;
  const usedPorts = new Set(held.map(({ hostPort }) => hostPort));
  const published = publishedPorts(containers);
  return reassignPorts(
    ports,
    usedPorts,
    portSuggester(context, () => published),
  );
}
