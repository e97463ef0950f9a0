import { isAbsolute, resolve } from 'node:path';
import { tryParseJson } from '../../engine/wire/parseJson.ts';
import { asLine, asList, asRecord, asText } from '../../engine/wire/wire.ts';

/** @param folder the folder that `bake` runs in, from which its paths lead. */
export function readBakePlan(text: string, folder: string): BakePlan {
  const all = Object.entries(asRecord(asRecord(tryParseJson(text))['target']));
  const targets = all
    .slice(0, MOST_TARGETS)
    .map(([name, value]) => [name, readTarget(asRecord(value), folder)] as const);
  return { targets: new Map(targets) };
}

/** The output of `buildx bake --print` for a bake file. */
export interface BakePlan {
  /** By name. */
  readonly targets: ReadonlyMap<string, BakeTarget>;
}

export interface BakeTarget {
  /** Absolute path; undefined if it is not a file of this machine. */
  readonly dockerfile: string | undefined;
  /** The folders that it sends, each an absolute path: first its context, if that is one, then its named contexts. */
  readonly folders: readonly string[];
}

const MOST_TARGETS = 500;

/** A group or target that can be built. */
export interface BakeChoice {
  readonly name: string;
  readonly description: string;
  readonly isGroup: boolean;
}

/** Reads the output of `buildx bake --list=type=targets,format=json`. */
export function readBakeChoices(text: string): readonly BakeChoice[] {
  return asList(tryParseJson(text))
    .slice(0, MOST_TARGETS)
    .map(asRecord)
    .map((value) => ({
      name: asText(value['name']),
      description: asLine(value['description']),
      isGroup: value['group'] === true,
    }))
    .filter(({ name }) => isTargetName(name));
}

/** Whether a text can be the name of a target, or a pattern of names. No option can. */
export function isTargetName(text: string): boolean {
  return /^[\w*?[][\w.*?[\]-]{0,200}$/.test(text);
}

function readTarget(target: Readonly<Record<string, unknown>>, folder: string): BakeTarget {
  const context = asText(target['context']) || '.';
  const dockerfile = asText(target['dockerfile']) || 'Dockerfile';
  const named = Object.values(asRecord(target['contexts'])).map(asText);
  const folders = [context, ...named.slice(0, MOST_CONTEXTS)].filter((one) => !isRemote(one));
  const isFile = target['dockerfile-inline'] === undefined;
  const isHere = isAbsolute(dockerfile) || !isRemote(context);
  return {
    dockerfile: isFile && isHere ? resolve(folder, context, dockerfile) : undefined,
    folders: [...new Set(folders.map((one) => resolve(folder, one)))],
  };
}

const MOST_CONTEXTS = 100;

/** Whether a context is a repository, an archive, an image, or another target. */
function isRemote(context: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|git@|github\.com\/)/i.test(context) && !isAbsolute(context);
}
