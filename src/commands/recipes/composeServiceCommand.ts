import * as l10n from '@vscode/l10n';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { stampAt, writeAtomically } from '../../base/writeAtomically.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { asRecord, asTextMap } from '../../engine/wire/wire.ts';
import { isComposeFile } from '../../projects/composeFiles.ts';
import { filesOf, projectOf } from '../../projects/projectLabels.ts';
import { pathKey, projectName } from '../../projects/projectOfFiles.ts';
import type { ContainerSpec } from '../../recipes/containerSpec.ts';
import { redactCreateArguments } from '../../recipes/createHistory.ts';
import { envFileNames } from '../../recipes/envFile.ts';
import { secretVariables } from '../../recipes/formatRecipe.ts';
import { formatComposeFile, serviceSpec, type ServiceSpec } from '../../recipes/serviceSpec.ts';
import { ContainerNode } from '../../views/containers/containerNode.ts';
import { readCopy } from '../create/proxies.ts';
import { withFileErrors } from '../files/archiveFiles.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { pickRow } from '../frame/pickTarget.ts';
import { findContainerTarget } from '../frame/targets.ts';
import { formatName, formatNames } from '../ui/formatNames.ts';
import { localUri } from '../ui/localUri.ts';
import type { Ui } from '../ui/ui.ts';
import { askHidden, suspectMessage, unsupportedMessage } from './askHidden.ts';
import { insertService } from './insertService.ts';

interface SavedService {
  /** A compose file with the service alone. */
  readonly yaml: string;
  /** The lines that it needs in the file `.env`. */
  readonly env: string;
  /** The names of settings that a service cannot have. */
  readonly leftOut: readonly string[];
}

/** Saves a container as a service of a compose file: only what differs from its image. */
export const composeServiceCommand = (): PlainCommand<{ readonly id: string }, SavedService> => ({
  id: 'gantry.containers.composeService',
  schema: { id: { kind: 'text', required: true } },
  selects: 'container',
  accepts: (row) => row instanceof ContainerNode,
  isForOne: true,
  pick: pickRow('gantry.containers.composeService', 'container'),
  failureTitle: l10n.t('Could not save as a Compose service'),
  run: async ({ id: text }, context, signal) => {
    const connection = await context.engine.connect(signal);
    const { id } = await findContainerTarget(context, connection, text, signal);
    const source = await readSource(context, id, signal);
    return resultOf(serviceSpec(source.spec, source.raw, secretVariables(source.spec.args)));
  },
  runInteractive: async (context, [row]) => {
    if (!(row instanceof ContainerNode)) return undefined;
    const source = await readSource(context, row.container.id);
    const { args } = source.spec;
    const hidden = await askHidden(context.ui, args, titleText(), (name) => `\${${name}}`);
    const place = hidden && (await askWhere(context.ui));
    if (!place) return undefined;
    const saved = await place.save(place.path, { ...source, hidden }, context.ui);
    if (!saved) return undefined;
    const notes = await saveVariables(saved, place.path, context.ui);
    // Without the variables, which the user was asked about.
    const suspect = redactCreateArguments({ ...args, env: [] }).notKept;
    const all = [unsupportedMessage(saved.leftOut), suspectMessage(suspect), ...notes];
    const message = all.filter((one) => one !== undefined).join(' ');
    if (message !== '') context.ui.info(message);
    return resultOf(saved);
  },
});

interface Source {
  readonly spec: ContainerSpec;
  /** The complete inspect response. */
  readonly raw: unknown;
}

async function readSource(
  context: CommandContext,
  id: string,
  signal?: AbortSignal,
): Promise<Source> {
  const connection = await context.engine.connect(signal);
  const [spec, { raw }] = await Promise.all([
    readCopy(context, connection, id, signal),
    inspectContainer(connection, id, signal),
  ]);
  return { spec, raw };
}

function resultOf(spec: ServiceSpec): SavedService {
  const { env, leftOut } = spec;
  return { yaml: formatComposeFile(spec), env: [...env.values()].join(''), leftOut };
}

function titleText(): string {
  return l10n.t('Save as Compose Service');
}

/** Where a service is saved, and how. */
interface Place {
  readonly path: string;
  readonly save: Save;
}

/** Asks for one of the open compose files, or else for a new file. */
async function askWhere(ui: Ui): Promise<Place | undefined> {
  const open = ui.openFiles().filter(isComposeFile);
  const items = [
    { label: l10n.t('New File...'), description: '', path: undefined },
    ...open.map((path) => ({ label: basename(path), description: dirname(path), path })),
  ];
  const placeholder = l10n.t('Select where to save the service');
  const picked =
    open.length === 0 ? items[0] : await ui.pick({ title: titleText(), placeholder, items });
  if (!picked) return undefined;
  if (picked.path !== undefined) return { path: picked.path, save: insert };
  const uri = await ui.saveDialog({
    title: titleText(),
    name: 'compose.yaml',
    filters: { [l10n.t('Compose files')]: ['yaml', 'yml'] },
  });
  return uri?.scheme === 'file' ? { path: uri.fsPath, save: writeNew } : undefined;
}

interface Chosen extends Source {
  readonly hidden: readonly string[];
}

type Save = (path: string, chosen: Chosen, ui: Ui) => Promise<ServiceSpec | undefined>;

/** The dialog asked about the file that existed then. One that is created after that is not overwritten. */
const writeNew: Save = async (path, { spec, raw, hidden }, ui) => {
  const saved = serviceSpec(spec, raw, hidden);
  const overwrite = (await stampAt(path)) !== undefined;
  const bytes = new TextEncoder().encode(formatComposeFile(saved));
  await withFileErrors(path, () => writeAtomically(Readable.from([bytes]), path, { overwrite }));
  await ui.openFile(localUri(ui, path));
  return saved;
};

/** Shows the file with the service before it is inserted. */
const insert: Save = async (path, { spec, raw, hidden }, ui) => {
  const labels = asTextMap(asRecord(asRecord(raw)['Config'])['Labels']);
  const isOfProject = filesOf({ labels }).files.map(pathKey).includes(pathKey(path));
  const own = isOfProject ? projectOf({ labels }) : undefined;
  let saved: ServiceSpec | undefined;
  const isSaved = await ui.changeText(
    path,
    (text) =>
      insertService(text, own ?? projectName(dirname(path)), (existing) => {
        saved = serviceSpec(spec, raw, hidden, existing);
        return saved;
      }),
    async () => {
      const label = l10n.t('Insert');
      const picked = await ui.pick({
        title: titleText(),
        placeholder: l10n.t(
          'Insert the service {0} into {1}?',
          formatName(saved?.name ?? ''),
          formatName(basename(path)),
        ),
        items: [{ label }, { label: l10n.t('Cancel') }],
        isStep: true,
      });
      return picked?.label === label;
    },
  );
  return isSaved === undefined ? undefined : saved;
};

/** Adds the variables to the file `.env` next to a compose file. Those that are there stay as they are. */
async function saveVariables(
  { env }: ServiceSpec,
  composeFile: string,
  ui: Ui,
): Promise<readonly string[]> {
  if (env.size === 0) return [];
  let there: readonly string[] = [];
  const isSaved = await ui.changeText(join(dirname(composeFile), '.env'), (text) => {
    const names = envFileNames(text);
    there = [...env.keys()].filter((name) => names.has(name));
    const lines = [...env].flatMap(([name, line]) => (names.has(name) ? [] : [line]));
    const start = text === '' || text.endsWith('\n') || lines.length === 0 ? '' : '\n';
    return { edits: [{ offset: text.length, length: 0, content: start + lines.join('') }] };
  });
  const added = [...env.keys()].filter((name) => !there.includes(name));
  return [
    ...(added.length > 0
      ? [l10n.t('The values of {0} are in the file .env. Do not share it.', formatNames(added))]
      : []),
    ...(there.length > 0
      ? [l10n.t('Already in the file .env, and not changed: {0}.', formatNames(there))]
      : []),
    ...(isSaved === false ? [l10n.t('Save the file .env, which had unsaved changes.')] : []),
  ];
}
