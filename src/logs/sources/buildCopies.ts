import { posix, basename } from 'node:path';
import type { BuildRequest } from '../../engine/builds/model.ts';
import { copyOf, type Copy } from '../../engine/builds/dockerfile/copyOf.ts';
import {
  findStage,
  parseDockerfile,
  type Stage,
} from '../../engine/builds/dockerfile/dockerfile.ts';
import {
  mergeServices,
  type ComposeBuild,
  type MergedService,
} from '../../projects/composeBuild.ts';
import { readComposeFile } from '../../projects/composeFile.ts';
import type { FileOrigins, CopiedPath } from './fileOrigins.ts';
import {
  isAbsoluteNormalized,
  joinNormalized,
  hostPath,
  normalizeSourcePath,
} from './normalizeSourcePath.ts';

/**
 * Returns which paths of a container's image are copies from the build context of its compose service: those that the
 * Dockerfile copies, and last the working directory, as if it were a copy of the whole context. Most relevant first.
 */
export async function buildCopies(
  origins: FileOrigins,
  read: ReadText,
): Promise<readonly CopiedPath[]> {
  const { configFiles, projectFolders, service, workingDir } = origins;
  const [project] = projectFolders;
  if (project === undefined || service === '') return [];
  const build = await composeBuildOf(configFiles, service, read);
  const context = build && resolved(project, build.context ?? '.');
  if (!build || context === undefined) return [];
  const dockerfile = resolved(context, build.dockerfile ?? 'Dockerfile');
  const text = dockerfile && (await read(dockerfile));
  const copies = copiesFrom(context, text ?? '', build, workingDir);
  const whole = { source: context, target: workingDir, isFile: false };
  return workingDir === '' ? copies : [...copies, whole];
}

/**
 * Returns where the files in the steps of a build come from.
 *
 * @param id names the step.
 * @param request what is built, if it is known.
 * @param dockerfile its Dockerfile, if it can be read.
 */
export function fileOriginsInBuild(
  id: string,
  request: Pick<BuildRequest, 'context' | 'target' | 'args'> | undefined,
  dockerfile = '',
): FileOrigins {
  const none = { id, binds: [], workingDir: '', configFiles: [], service: '' };
  if (!request) return { ...none, projectFolders: [], copies: [] };
  const { context, target, args = {} } = request;
  const build = { args, ...(target !== undefined && { target }) };
  const copies = copiesFrom(context, dockerfile, build);
  return { ...none, projectFolders: [context], copies };
}

/** Returns what a Dockerfile copies from this context; see {@link copiesIn}. */
function copiesFrom(
  context: string,
  text: string,
  build: Pick<ComposeBuild, 'target' | 'args'>,
  workingDir = '',
): readonly CopiedPath[] {
  const copies = copiesIn(text, build, workingDir);
  return copies.map((copy) => ({ ...copy, source: posix.join(context, copy.source) }));
}

/** Reads a file of the workspace. Resolves to undefined if the file is outside the workspace or too large. */
type ReadText = (path: string) => Promise<string | undefined>;

/** Resolves a written path to a path on this machine; undefined if it leads above the root. */
function resolved(folder: string, written: string): string | undefined {
  const own = hostPath(written);
  if (own !== undefined && isAbsoluteNormalized(own)) return own;
  const path = posix.normalize(joinNormalized(folder, written.replaceAll('\\', '/')));
  const shaped = normalizeSourcePath(path);
  return shaped !== undefined && isAbsoluteNormalized(shaped) ? shaped : undefined;
}

/** Returns how a service is built; undefined if what decides about its Dockerfile is not known. */
async function composeBuildOf(
  files: readonly string[],
  service: string,
  read: ReadText,
): Promise<ComposeBuild | undefined> {
  let merged: MergedService = { unknown: [] };
  for (const path of files) {
    const text = await read(path);
    const file = text === undefined ? undefined : await readComposeFile(text);
    if (file?.isUnclear) return undefined;
    const found = file?.services.find(({ name }) => name === service);
    if (found) merged = mergeServices(merged, found);
  }
  const { build, unknown } = merged;
  const left = [...(build?.leftOut ?? []), ...unknown];
  return left.some((key) => DECIDING.includes(key)) ? undefined : build;
}

const DECIDING: readonly string[] = [
  ...['context', 'dockerfile', 'dockerfile_inline', 'target', 'build', 'extends'],
];

/** Limits of stages, and of copies in one stage, above those of real Dockerfiles. */
const MOST_STAGES = 50;
const MOST_COPIES = 100;

/**
 * Returns what a Dockerfile copies from its build context, by paths relative to it, most relevant first: the
 * last instruction of the final stage, then those of the other stages, where programs are compiled. Skips
 * instructions with variables or patterns.
 *
 * @param workingDir the working directory of stages built from other images; empty if not known.
 */
export function copiesIn(
  text: string,
  { target, args }: Pick<ComposeBuild, 'target' | 'args'>,
  workingDir: string,
): readonly CopiedPath[] {
  const dockerfile = parseDockerfile(text, args);
  if (dockerfile.stages.length > MOST_STAGES) return [];
  const known: StageCopies[] = [];
  for (const stage of dockerfile.stages)
    known.push(copiesOfStage(stage, known, { workingDir, escape: dockerfile.escape }));
  const final = findStage(dockerfile, target)?.index ?? -1;
  const others = known.filter((_, index) => index !== final).reverse();
  return [known[final], ...others]
    .flatMap((stage) => stage?.copies.toReversed() ?? [])
    .slice(0, MOST_COPIES);
}

interface StageCopies {
  /** Undefined if not known. */
  readonly folder: string | undefined;
  readonly copies: readonly CopiedPath[];
}

/** A stage built from another stage inherits its copies. */
function copiesOfStage(
  { baseStage, instructions }: Stage,
  earlier: readonly StageCopies[],
  { workingDir, escape }: { readonly workingDir: string; readonly escape: string },
): StageCopies {
  const base = earlier[baseStage ?? -1];
  let folder = base ? base.folder : workingDir === '' ? undefined : workingDir;
  const copies = [...(base?.copies ?? [])];
  for (const instruction of instructions) {
    if (instruction.keyword === 'WORKDIR') folder = folderFrom(folder, instruction.rest);
    const copy = copies.length < MOST_COPIES ? copyOf(instruction, escape) : undefined;
    if (copy) copies.push(...copiesOf(copy, folder));
  }
  return { folder, copies };
}

function folderFrom(before: string | undefined, written: string): string | undefined {
  const path = written.replace(/^(["'])(.*)\1$/, '$2');
  if (/[$\\]/.test(path)) return undefined;
  if (path.startsWith('/')) return posix.normalize(path);
  return before === undefined ? undefined : posix.join(before, path);
}

function copiesOf(copy: Copy, folder: string | undefined): readonly CopiedPath[] {
  const target = folderFrom(folder, copy.target ?? '$');
  const hasParents = copy.flags.some((flag) => /^--parents\b/.test(flag));
  if (target === undefined || hasParents || !copy.isFromContext) return [];
  return copy.sources
    .slice(0, MOST_COPIES)
    .filter((source) => !/[*?[\]$"'\\]|^<<|:\/\//.test(source))
    .flatMap((written) => {
      const source = cleaned(posix.join('/', written)).slice(1) || '.';
      const whole = { source, target: cleaned(target), isFile: false };
      const name = basename(source);
      const single = { source, target: posix.join(target, name), isFile: true };
      return name === '.' ? [whole] : [whole, single];
    });
}

function cleaned(path: string): string {
  return path.length > 1 ? path.replace(/\/$/, '') : path;
}
