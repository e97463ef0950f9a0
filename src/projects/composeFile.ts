import { firstIndex } from '../base/firstIndex.ts';
import { oneLine } from '../base/plainText.ts';
import {
  isBuildable,
  readComposeBuild,
  type ComposeBuild,
  type ServiceMerge,
} from './composeBuild.ts';
import { parseCompose, type ComposeNodes } from './composeNodes.ts';

/** Limits of what is read. */
const LONGEST_TEXT = 256 * 1024;
const MOST_SERVICES = 500;
const MOST_ITEMS = 100;

/**
 * The contents of the first document of a compose file about its project, as written: without variables, `extends` and
 * other files.
 */
export interface ComposeFile {
  readonly name?: string;
  /** The line of `services:`, from 0; undefined if there is none. */
  readonly line?: number;
  readonly services: readonly ComposeService[];
  /** The files that it includes, as written. */
  readonly includes: readonly string[];
  /** Whether all of its services and includes are known: none is merged, computed, or beyond a limit. */
  readonly isWhole: boolean;
  /** Whether more may be said of its services than is known here: in another document, or below a tag. */
  readonly isUnclear?: true;
}

/** A service of a compose file. Texts are exact, and not for display. */
export interface ComposeService {
  readonly name: string;
  /** The line of its name, from 0. */
  readonly line: number;
  readonly image?: string;
  /** Build of its image, if that is known here. */
  readonly build?: ComposeBuild;
  readonly merge?: ServiceMerge;
  readonly profiles: readonly string[];
  /** Whether a program runs it instead of the engine. */
  readonly isProvided: boolean;
  /** Whether it says how many containers it has: maybe none. */
  readonly isScaled?: true;
  /** Whether Compose runs commands after its start or before its stop. */
  readonly hasHooks: boolean;
}

/** Whether a plain Up creates a container of a service: what it extends may have profiles, or no container. */
export function isExpected({ profiles, isProvided, isScaled, merge }: ComposeService): boolean {
  const isExtended = merge?.unknown.includes('extends') === true;
  return profiles.length === 0 && !isProvided && isScaled !== true && !isExtended;
}

/**
 * Reads a compose file for the editor. Nothing in it is executed, and no other file is opened.
 *
 * @returns undefined if it is not valid YAML, or too large.
 */
export async function readComposeFile(text: string): Promise<ComposeFile | undefined> {
  if (text.length > LONGEST_TEXT) return undefined;
  const nodes = await parseCompose(text);
  if (!nodes) return undefined;
  const lines = lineStarts(text);
  const keys = nodes.keys(nodes.root, MOST_ITEMS);
  const section = keys.find(({ name }) => name === 'services');
  const services = nodes.keys(section?.value, MOST_SERVICES);
  const include = nodes.get(nodes.root, 'include');
  const included = nodes.items(include, MOST_ITEMS);
  const isTagged = [nodes.root, section?.value].some((node) => nodes.tagOf(node) !== 'none');
  return {
    ...given('name', nodes.text(nodes.get(nodes.root, 'name'))),
    ...(section && { line: lineOf(section.at, lines) }),
    services: services.map((key) => ({
      line: lineOf(key.at, lines),
      ...readService(nodes, key.name, key.value),
    })),
    includes: included.flatMap((one) => readInclude(nodes, one)),
    ...((isTagged || !nodes.isOnly) && { isUnclear: true }),
    isWhole:
      nodes.isOnly &&
      services.every(({ value }) => nodes.tagOf(value) === 'none') &&
      nodes.isAll(nodes.root, keys.length) &&
      nodes.isAll(section?.value, services.length) &&
      nodes.isAll(include, included.length) &&
      included.every((one) => isPlainInclude(nodes, one)),
  };
}

/** Whether the paths of an include are known. Its own folder would change what the files below it mean. */
function isPlainInclude(nodes: ComposeNodes, node: unknown): boolean {
  const paths = readInclude(nodes, node);
  if (nodes.get(node, 'project_directory') !== undefined) return false;
  return paths.length > 0 && paths.length < MOST_ITEMS && !paths.some((one) => one.includes('$'));
}

function readService(
  nodes: ComposeNodes,
  name: string,
  value: unknown,
): Omit<ComposeService, 'line'> {
  const { build, merge } = readBuild(nodes, value);
  return {
    name,
    ...given('image', nodes.text(nodes.get(value, 'image'))),
    ...(build && { build }),
    ...(merge && { merge }),
    profiles: nodes
      .items(nodes.get(value, 'profiles'), MOST_ITEMS)
      .flatMap((one) => oneText(nodes.text(one))),
    isProvided: nodes.has(value, 'provider'),
    ...((nodes.has(value, 'scale') || nodes.has(nodes.get(value, 'deploy'), 'replicas')) && {
      isScaled: true,
    }),
    hasHooks: HOOKS.some((key) => nodes.has(value, key)),
  };
}

/** Reads what a service says of its build, and what that means for the files before. */
function readBuild(
  nodes: ComposeNodes,
  service: unknown,
): { readonly build?: ComposeBuild; readonly merge?: ServiceMerge } {
  const node = nodes.get(service, 'build');
  const image = nodes.get(service, 'image');
  const build = readComposeBuild(nodes, node);
  const tags = {
    service: nodes.tagOf(service),
    build: nodes.tagOf(node),
    image: nodes.tagOf(image),
  };
  const isNew = tags.service !== 'none';
  const merge: ServiceMerge = {
    replaced: (['build', 'image'] as const).filter((key) => isNew || tags[key] !== 'none'),
    unknown: [
      ...(tags.service === 'unknown' || (nodes.has(service, 'build') && !build) ? ['build'] : []),
      ...(tags.service === 'unknown' || tags.image === 'unknown' ? ['image'] : []),
      ...(nodes.has(service, 'extends') ? ['extends'] : []),
    ],
    ...(build && (tags.build !== 'none' || !isBuildable(build)) && { build }),
  };
  const isPlain = merge.replaced.length + merge.unknown.length === 0 && !merge.build;
  return { ...(build && !merge.build && { build }), ...(!isPlain && { merge }) };
}

const HOOKS = ['pre_start', 'post_start', 'pre_stop'];

/** An include is a path, or a map with one or several paths. */
function readInclude(nodes: ComposeNodes, node: unknown): readonly string[] {
  if (!nodes.isMap(node)) return oneText(nodes.text(node));
  const path = nodes.get(node, 'path');
  const several = nodes.items(path, MOST_ITEMS).flatMap((one) => oneText(nodes.text(one)));
  return [...oneText(nodes.text(path)), ...several];
}

/** Returns a text that has visible characters. */
function oneText(text = ''): readonly string[] {
  return oneLine(text) === '' ? [] : [text];
}

function given<Key extends string>(
  key: Key,
  text: string | undefined,
): Partial<Record<Key, string>> {
  const [own] = oneText(text);
  return own === undefined ? {} : ({ [key]: own } as Record<Key, string>);
}

function lineStarts(text: string): readonly number[] {
  return [...text.matchAll(/\n/g)].map(({ index }) => index);
}

/** Counts the line feeds before a position. */
function lineOf(at: number, feeds: readonly number[]): number {
  return firstIndex(0, feeds.length, (index) => (feeds[index] ?? 0) >= at);
}
