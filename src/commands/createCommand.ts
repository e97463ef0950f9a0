import * as vscode from 'vscode';
import type { Connection } from '../engine/connection.ts';
import { createContainer, inspectContainer } from '../engine/containers.ts';
import { removeContainer, startContainer } from '../engine/containerVerbs.ts';
import { createSpec, type CreateArguments } from '../engine/createSpec.ts';
import { failedWith } from '../engine/errors.ts';
import { hasImage } from '../engine/images.ts';
import { waitForRemoval } from '../engine/containerWait.ts';
import { isCancellation } from '../lifetime.ts';
import { ImageNode, type TreeNode } from '../views/nodes.ts';
import type { CommandContext } from './context.ts';
import { askCreate } from './createForm.ts';
import { createShape } from './createShape.ts';
import { confirm, helpFor, showError, showWarning, withProgress } from './person.ts';
import { pullFor, type PullArguments } from './pullCommand.ts';
import type { PlainCommand } from './command.ts';
import { describeError, describeFailure, SentenceError } from './sentences.ts';
import { knownImages } from './targets.ts';

const { l10n } = vscode;

interface Created {
  readonly id: string;
  readonly warnings: readonly string[];
}

/** Creates a container, and starts it where asked to. */
export const createCommand: PlainCommand<CreateArguments, Created> = {
  id: 'gantry.containers.create',
  shape: createShape,
  failing: l10n.t('Could not create the container'),
  run: (args, context, signal) =>
    create(args, context, signal, () => pullFor(context, imageOf(args), false, signal)),
  person: createForPerson,
};

/** The container is there, but would not start. */
class StartFailure extends SentenceError {
  override readonly name = 'StartFailure';
  readonly id: string;

  constructor(id: string, cause: unknown) {
    const why = describeError(cause, l10n);
    super(l10n.t('Created {0}, but could not start it: {1}', id.slice(0, 12), why), { cause });
    this.id = id;
  }
}

async function createForPerson(
  context: CommandContext,
  nodes: readonly TreeNode[],
): Promise<Created | undefined> {
  const [node] = nodes;
  const preset = node instanceof ImageNode ? { image: node.reference ?? node.image.id } : undefined;
  return askAndCreate(context, preset);
}

/** What the person has filled in is never lost: after a failure the form opens with it again. */
async function askAndCreate(
  context: CommandContext,
  preset: Partial<CreateArguments> | undefined,
): Promise<Created | undefined> {
  const args = await askCreate(await knownImages(context).catch(() => []), preset);
  if (!args) return undefined;
  try {
    if (!(await offerMissing(args, context))) return await askAndCreate(context, args);
    const created = await withProgress(
      l10n.t('Creating a container of {0}', args.image),
      'late',
      (signal) =>
        create(args, context, signal, () => pullFor(context, imageOf(args), true, signal)),
    );
    context.reveal(created.id);
    if (created.warnings.length > 0) showWarning(created.warnings.join(' '));
    return created;
  } catch (error) {
    if (!isCancellation(error)) explain(error, args, context);
    return undefined;
  }
}

function explain(error: unknown, args: CreateArguments, context: CommandContext): void {
  if (error instanceof StartFailure) {
    context.reveal(error.id);
    showError(error.message, {
      title: l10n.t('Remove'),
      run: () => removeFailed(error.id, context),
    });
    return;
  }
  showError(describeFailure(createCommand.failing, error, l10n), ...helpFor(error), {
    title: l10n.t('Edit…'),
    run: () => askAndCreate(context, args),
  });
}

async function removeFailed(id: string, context: CommandContext): Promise<void> {
  try {
    await removeContainer(await context.engine.connect(), id);
  } catch (error) {
    showError(describeFailure(l10n.t('Could not remove {0}', id.slice(0, 12)), error, l10n));
  }
}

/** Offers to pull an image that is missing. False where the person would rather change what they asked for. */
async function offerMissing(args: CreateArguments, context: CommandContext): Promise<boolean> {
  const connection = await context.engine.connect();
  if (await hasImage(connection, args.image)) return true;
  const question = l10n.t('Pull {0}?', args.image);
  const detail = l10n.t('The engine does not have this image yet.');
  if (!(await confirm(question, detail, l10n.t('Pull and Create')))) return false;
  await pullFor(context, imageOf(args), true, new AbortController().signal);
  return true;
}

/**
 * Creates; where the image is missing, gets it by `pull` and creates once more; then starts where asked to.
 *
 * @param pull gets the image, or rejects.
 */
async function create(
  args: CreateArguments,
  context: CommandContext,
  signal: AbortSignal,
  pull: () => Promise<unknown>,
): Promise<Created> {
  const request = createSpec(args, l10n);
  const connection = await context.engine.connect(signal);
  const created = await createContainer(connection, request, signal).catch(
    async (error: unknown) => {
      if (!(await isImageMissing(connection, args, error, signal))) throw error;
      await pull();
      return createContainer(connection, request, signal);
    },
  );
  if (args.start === true) await start(connection, created.id, args, context, signal);
  return created;
}

/** A 404 may be about a network, too; and with a platform about an image that is there in another one. */
async function isImageMissing(
  connection: Connection,
  args: CreateArguments,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  if (!failedWith(error, 'notFound')) return false;
  return args.platform !== undefined || !(await hasImage(connection, args.image, signal));
}

async function start(
  connection: Connection,
  id: string,
  args: CreateArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  try {
    // A container that removes itself takes its exit status along: the wait must stand before it starts.
    if (args.autoRemove === true) {
      const { name } = await inspectContainer(connection, id, signal);
      const { exit } = await waitForRemoval(connection, id);
      context.exits.keep(id, name, exit);
    }
    await startContainer(connection, id, signal);
  } catch (error) {
    if (isCancellation(error)) {
      // It stays, so it is shown.
      context.reveal(id);
      throw error;
    }
    throw new StartFailure(id, error);
  }
}

function imageOf(args: CreateArguments): PullArguments {
  const { image: reference, platform } = args;
  return platform === undefined ? { reference } : { reference, platform };
}
