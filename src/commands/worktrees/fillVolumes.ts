import * as l10n from '@vscode/l10n';
import { basename, join } from 'node:path';
import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import { InputError } from '../../engine/errors.ts';
import type { Volume } from '../../engine/model.ts';
import { orRemoved } from '../../engine/volumes/cloneVolume.ts';
import { CREATION_LABEL } from '../../engine/volumes/createVolume.ts';
import { chooseReading, sureLosses } from '../../engine/volumes/openVolume.ts';
import { listVolumes } from '../../engine/volumes/volumes.ts';
import { VolumeIncompleteError } from '../../engine/volumes/volumeErrors.ts';
import { readProjects } from '../../projects/project.ts';
import { pathKey } from '../../projects/projectOfFiles.ts';
import { projectOf, volumeLabels } from '../../projects/projectLabels.ts';
import { hasCloneMark, withCloneMark } from '../../projects/worktrees/cloneMarks.ts';
import { branchOf, rootsOf } from '../../projects/worktrees/findCheckout.ts';
import {
  findVolumeSources,
  type VolumeDonor,
  type VolumeOwner,
} from '../../projects/worktrees/findVolumeSources.ts';
import { formatSize } from '../../views/format.ts';
import { withByteProgress, type OnBytes } from '../files/withByteProgress.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatItemText, formatName, formatNames } from '../ui/formatNames.ts';
import type { PickItem } from '../ui/ui.ts';
import { acceptRisks, attributesNote } from '../volumes/copyRisks.ts';
import { offerToRemove, runClone, type NewClone } from '../volumes/runClone.ts';

/**
 * Fills the volumes of the project of a worktree before its first Up, if the user wants that: asks once whether they
 * start empty or with the files of another project. For a caller they start empty.
 *
 * @param caller undefined for the user.
 * @returns whether Up may go on: not if the user cancels, or a clone fails, after which nothing is left of it.
 * @throws InputError if volumes may be incomplete; VolumeExistsError if another client created one in the meantime;
 *   EngineError; the reason of the signal, also of Cancel.
 */
export async function fillVolumes(
  owner: VolumeOwner,
  context: CommandContext,
  caller?: AbortSignal,
): Promise<boolean> {
  const find = (signal: AbortSignal): ReturnType<typeof findDonors> =>
    findDonors(owner, context, signal);
  const donors = caller
    ? await find(caller)
    : await context.ui.progress(l10n.t('Loading volumes'), 'late', find);
  if (donors.length === 0 || caller) return true;
  const choice = await askVolumes(owner, donors, context);
  if (!choice) return false;
  return choice.clones.length === 0 || cloneVolumes(owner, choice, context);
}

/** Returns the projects to choose from: none if the project has any of its volumes, or containers. */
async function findDonors(
  owner: VolumeOwner,
  context: CommandContext,
  signal: AbortSignal,
): Promise<readonly VolumeDonor[]> {
  const { engine, inventory, window } = context;
  if (owner.volumes.length === 0) return [];
  const connection = await engine.connect(signal);
  const existing = await listVolumes(connection, {}, signal);
  const names = new Set(owner.volumes.map(({ name }) => name));
  const own = existing.filter(({ name }) => names.has(name));
  await checkComplete(owner, own, context);
  // Volumes of a profile that was never enabled do not exist either.
  const isUsed = [...inventory.containers.values()].some((one) => projectOf(one) === owner.project);
  if (own.length > 0 || isUsed) return [];
  const records = await (await window.worktrees()).all();
  return findVolumeSources(owner, existing, {
    records,
    plain: await plainProjects(owner, context),
  });
}

/** Returns the projects in the same folder of any worktree of the repository: the files may not say how they are named. */
async function plainProjects(
  { common, below }: VolumeOwner,
  { inventory }: CommandContext,
): Promise<readonly string[]> {
  const folders = (await rootsOf(common)).map((root) => pathKey(join(root, below)));
  return readProjects(inventory.containers.values()).flatMap(({ name, workingDir = '' }) =>
    folders.includes(pathKey(workingDir)) ? [name] : [],
  );
}

/** @throws InputError if volumes are being cloned, or a crash has ended that. */
async function checkComplete(
  { project }: VolumeOwner,
  own: readonly Volume[],
  context: CommandContext,
): Promise<void> {
  const cloned = own.filter(({ labels }) => Object.hasOwn(labels, CREATION_LABEL));
  if (cloned.length === 0 || !(await hasCloneMark(await markOf(project, context)))) return;
  const names = formatNames(cloned.map(({ name }) => name));
  throw new InputError(
    l10n.t(
      'Volumes of {0} are being cloned. If that was interrupted, remove {1}, then try again.',
      formatName(project),
      names,
    ),
  );
}

async function markOf(project: string, { engine, window }: CommandContext) {
  const { endpoint } = await engine.connect();
  return { overrides: await window.worktrees(), project, engine: endpoint.url };
}

/** What volumes start with: the files of those of a project, or nothing. */
interface VolumeChoice {
  readonly donor?: VolumeDonor;
  readonly clones: readonly NewClone[];
}

/** Resolves to undefined if the user cancels. */
async function askVolumes(
  owner: VolumeOwner,
  donors: readonly VolumeDonor[],
  context: CommandContext,
): Promise<VolumeChoice | undefined> {
  const { ui, engine } = context;
  const empty = { label: l10n.t('Start with Empty Volumes'), donor: undefined };
  const info = await (await engine.connect()).info();
  const note = attributesNote({ losses: sureLosses(capabilitiesOf(info)) });
  const items = await Promise.all(donors.map((donor) => itemOf(donor, note, context)));
  const picked = await ui.pick<PickItem & { readonly donor: VolumeDonor | undefined }>({
    title: l10n.t('Volumes of {0}', formatName(owner.project)),
    placeholder: l10n.t('Select what the volumes start with'),
    items: [empty, ...items],
  });
  if (!picked) return undefined;
  const { donor } = picked;
  if (!donor) return { clones: [] };
  const title = l10n.t('Inspecting {0}', formatName(donor.project));
  const clones = await ui.progress(title, 'late', (signal) =>
    readEach(owner, donor, context, signal),
  );
  const question = l10n.t('Clone volumes of {0}?', formatName(donor.project));
  const readings = clones.map(({ reading }) => reading);
  const isAccepted = await acceptRisks(context, readings, question, l10n.t('Clone'));
  return isAccepted ? { donor, clones } : undefined;
}

/** @param note what copies lose; empty if nothing. */
async function itemOf(donor: VolumeDonor, note: string, { inventory }: CommandContext) {
  const { project, gitFolder, folder = '', pairs, withOptions } = donor;
  const names = pairs.map(({ from: { name } }) => {
    const size = inventory.volumeSizes.get(name);
    return size === undefined ? name : `${name} (${formatSize(size)})`;
  });
  const left = withOptions.map(({ own }) => own.key);
  const place =
    gitFolder === undefined ? undefined : ((await branchOf(gitFolder)) ?? basename(folder));
  return {
    label: l10n.t('Clone Volumes of {0}', formatItemText(project)),
    ...(place !== undefined && { description: formatItemText(place) }),
    detail: [
      formatItemText(formatNames(names)),
      ...(left.length === 0
        ? []
        : [l10n.t('Not cloned because of driver options: {0}', formatItemText(formatNames(left)))]),
      ...(note === '' ? [] : [note]),
    ].join('. '),
    donor,
  };
}

async function readEach(
  { project }: VolumeOwner,
  { pairs }: VolumeDonor,
  { engine }: CommandContext,
  signal: AbortSignal,
): Promise<readonly NewClone[]> {
  const connection = await engine.connect(signal);
  const clones: NewClone[] = [];
  for (const { own, from } of pairs) {
    const reading = await chooseReading(connection, from.name, signal);
    clones.push({ to: own.name, reading, labels: volumeLabels(project, own.key) });
  }
  return clones;
}

/** Clones all volumes or none. Resolves to false if one could not be removed after a failure, which is shown. */
async function cloneVolumes(
  { project }: VolumeOwner,
  { donor, clones }: VolumeChoice,
  context: CommandContext,
): Promise<boolean> {
  const { ui } = context;
  const name = formatName(donor?.project ?? '');
  const mark = await markOf(project, context);
  const isLeft = (error: unknown): boolean => error instanceof VolumeIncompleteError;
  try {
    await withByteProgress(ui, l10n.t('Cloning volumes of {0}', name), (signal, onBytes) =>
      withCloneMark(mark, isLeft, () => cloneEach(clones, context, signal, onBytes)),
    );
    return true;
  } catch (error) {
    if (!(error instanceof VolumeIncompleteError)) throw error;
    offerToRemove(context, l10n.t('Could not clone the volumes'), error);
    return false;
  }
}

/** After a failure, the clones before are removed, too: volumes of different times do not fit together. */
async function cloneEach(
  [first, ...rest]: readonly NewClone[],
  context: CommandContext,
  signal: AbortSignal,
  onBytes: OnBytes,
  before = 0,
): Promise<void> {
  if (!first) return;
  let bytes = before;
  const { volume } = await runClone(context, first, signal, (count) => {
    bytes = before + count;
    onBytes(bytes);
  });
  const next = () => cloneEach(rest, context, signal, onBytes, bytes);
  await orRemoved(await context.engine.connect(), volume, next);
}
