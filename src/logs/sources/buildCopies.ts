import { posix, basename } from 'node:path';
import { parseCompose, type ComposeNodes } from '../../projects/composeNodes.ts';
import type { ContainerPaths, CopiedPath } from './containerPaths.ts';
import {
  isAbsoluteNormalized,
  joinNormalized,
  hostPath,
  normalizeSourcePath,
} from './normalizeSourcePath.ts';

/**
 * Returns which paths of a container's image are copies from the build context of its compose service: those
 * that the Dockerfile copies, and last the working directory, as if it were a copy of the whole context. Most
 * relevant first.
 */
export async function buildCopies(
  container: ContainerPaths,
  read: ReadText,
): Promise<readonly CopiedPath[]> {
  const { configFiles, projectFolders, service, workingDir } = container;
  const [project] = projectFolders;
  if (project === undefined || service === '') return [];
  let section: ServiceBuild | undefined;
  for (const file of configFiles) {
    const text = await read(file);
    const written = text === undefined ? undefined : await composeBuildOf(text, service);
    if (written) section = { ...section, ...written };
  }
  const context = section && resolved(project, section.context ?? '.');
  if (!section || context === undefined) return [];
  const dockerfile = resolved(context, section.dockerfile ?? 'Dockerfile');
  const text = dockerfile && (await read(dockerfile));
  const copies = text === undefined ? [] : copiesIn(text, section.target, workingDir);
  const whole = { source: context, target: workingDir, isFile: false };
  return [
    ...copies.map((copy) => ({ ...copy, source: posix.join(context, copy.source) })),
    ...(workingDir === '' ? [] : [whole]),
  ];
}

/** Reads a file of the workspace. Resolves to undefined if the file is outside the workspace or too large. */
export type ReadText = (path: string) => Promise<string | undefined>;

/** Resolves a written path to a path on this machine; undefined if it leads above the root. */
function resolved(folder: string, written: string): string | undefined {
  const own = hostPath(written);
  if (own !== undefined && isAbsoluteNormalized(own)) return own;
  const path = posix.normalize(joinNormalized(folder, written.replaceAll('\\', '/')));
  const shaped = normalizeSourcePath(path);
  return shaped !== undefined && isAbsoluteNormalized(shaped) ? shaped : undefined;
}

/** The `build` section of a compose service, as written. */
export interface ServiceBuild {
  readonly context?: string;
  readonly dockerfile?: string;
  readonly target?: string;
}

/**
 * Reads the `build` section of one service from a compose file, through aliases and merge keys. Does not
 * support variables, `extends` and tags. Undefined if there is no such section or the file is invalid.
 */
export async function composeBuildOf(
  text: string,
  service: string,
): Promise<ServiceBuild | undefined> {
  const nodes = await parseCompose(text);
  const services = nodes?.get(nodes.root, 'services');
  return nodes && buildSection(nodes, nodes.get(nodes.get(services, service), 'build'));
}

/**
 * Returns the `build` section of a service, which is a context path or a map. Undefined if any field is not
 * supported.
 */
function buildSection(nodes: ComposeNodes, build: unknown): ServiceBuild | undefined {
  if (build === undefined) return undefined;
  const isMap = nodes.isMap(build);
  const section: Record<string, string> = {};
  for (const key of ['context', 'dockerfile', 'target']) {
    const value = isMap ? nodes.get(build, key) : key === 'context' ? build : undefined;
    if (value === undefined) continue;
    const text = nodes.text(value);
    if (text === undefined || text === '' || text.includes('$')) return undefined;
    section[key] = text;
  }
  return Object.keys(section).length > 0 ? section : undefined;
}

interface Stage {
  readonly name: string;
  /** Undefined if not known. */
  folder: string | undefined;
  readonly copies: CopiedPath[];
}

/** Limits of stages, and of copies in one stage, above those of real Dockerfiles. */
const [MOST_STAGES, MOST_COPIES] = [50, 100];

/**
 * Returns what a Dockerfile copies from its build context, by paths relative to it, most relevant first: the
 * last instruction of the final stage, then those of the other stages, where programs are compiled. Skips
 * instructions with variables or patterns.
 *
 * @param target the final stage; undefined for the last one.
 * @param workingDir the working directory of stages built from other images; empty if not known.
 */
export function copiesIn(
  text: string,
  target: string | undefined,
  workingDir: string,
): readonly CopiedPath[] {
  const stages: Stage[] = [];
  for (const [instruction, rest] of instructionsOf(text)) {
    if (instruction === 'FROM' && stages.push(stageFrom(rest, stages, workingDir)) > MOST_STAGES) {
      return [];
    }
    const stage = stages.at(-1);
    if (stage && instruction === 'WORKDIR') stage.folder = folderFrom(stage.folder, rest);
    if (stage && stage.copies.length < MOST_COPIES && /^(?:COPY|ADD)$/.test(instruction)) {
      stage.copies.push(...copiesOf(rest, stage));
    }
  }
  const run =
    target === undefined ? stages.at(-1) : stages.find(({ name }) => name === target.toLowerCase());
  const others = stages.filter((stage) => stage !== run).reverse();
  return [...(run ? [run] : []), ...others]
    .flatMap(({ copies }) => [...copies].reverse())
    .slice(0, MOST_COPIES);
}

function instructionsOf(text: string): readonly (readonly [string, string])[] {
  // With another escape character, lines would continue differently.
  if (/^[ \t]*#[ \t]*escape[ \t]*=/im.test(text)) return [];
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*#/.test(line));
  const whole = lines.join('\n').replaceAll(/\\[ \t]*\n/g, ' ');
  return whole.split('\n').flatMap((line) => {
    const [before = '', instruction] = /^\s*([A-Za-z]+)\s/.exec(line) ?? [];
    if (instruction === undefined) return [];
    return [[instruction.toUpperCase(), line.slice(before.length).trim()]];
  });
}

/** A stage built from another stage inherits its copies. */
function stageFrom(rest: string, stages: readonly Stage[], workingDir: string): Stage {
  const [image = '', , name = ''] = wordsOf(rest).words;
  const base = stages.findLast((stage) => stage.name !== '' && stage.name === image.toLowerCase());
  return {
    name: name.toLowerCase(),
    folder: base ? base.folder : workingDir === '' ? undefined : workingDir,
    copies: [...(base?.copies ?? [])],
  };
}

function folderFrom(before: string | undefined, written: string): string | undefined {
  const path = written.replace(/^(["'])(.*)\1$/, '$2');
  if (path.includes('$')) return undefined;
  if (path.startsWith('/')) return posix.normalize(path);
  return before === undefined ? undefined : posix.join(before, path);
}

function copiesOf(rest: string, { folder }: Stage): readonly CopiedPath[] {
  const { words, flags } = wordsOf(rest);
  const written = words.at(-1);
  if (written === undefined || flags.some((flag) => /^--(?:from|parents)\b/.test(flag))) return [];
  const target = folderFrom(folder, written);
  if (target === undefined) return [];
  return words
    .slice(0, -1)
    .slice(0, MOST_COPIES)
    .filter((source) => !/[*?[\]$]|^<<|:\/\//.test(source))
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

/** Returns the words of an instruction in shell or exec form; none if the shell form has quotes. */
function wordsOf(rest: string): { readonly flags: readonly string[]; readonly words: string[] } {
  const flags = /^(?:--\S+\s+)+/.exec(rest)?.[0] ?? '';
  const plain = rest.slice(flags.length);
  return { flags: flags.split(/\s+/).filter((flag) => flag !== ''), words: listOf(plain) };
}

function listOf(plain: string): string[] {
  if (!plain.startsWith('[')) return /["']/.test(plain) ? [] : plain.split(/\s+/);
  try {
    const list: unknown = JSON.parse(plain);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
