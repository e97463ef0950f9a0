import { mkdir, readdir, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { oneLine } from '../../base/plainText.ts';
import { readLocalText } from '../../base/readLocalFile.ts';
import { writeAtomically } from '../../base/writeAtomically.ts';
import { asList, asNumber, asRecord, asText } from '../../engine/wire/wire.ts';
import { tryParseJson } from '../../engine/wire/parseJson.ts';
import { InputError } from '../../engine/errors.ts';
import { Emitter } from '../../base/lifetime.ts';
import { jsonInYaml } from './formatOverride.ts';
import type { HostPort } from './hostPorts.ts';
import { pathKey } from '../projectOfFiles.ts';
import { hashAtEnd } from './worktreeProject.ts';

/**
 * The files that override the compose files of worktrees, in the storage of the extension: one for each project, with
 * what is known of its worktree in the first lines. Several windows use the same ones.
 */
export class WorktreeOverrides {
  readonly #folder: string;
  readonly #changes = new Emitter<string>();
  readonly #known = new Map<string, Promise<WorktreeRecord | undefined>>();

  /** Fires with the name of a project whose file this window has written or removed. */
  readonly onDidChange = this.#changes.event;

  /** @param folder absolute; need not exist. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the path of the file of a project. The file may not exist. */
  pathOf(project: string): string {
    return join(this.#folder, `${project}${ENDING}`);
  }

  /** Returns the project whose file this is; undefined for any other file. Where it leads is not looked at. */
  projectOf(path: string): string | undefined {
    const name = basename(path);
    const project = name.slice(0, -ENDING.length);
    const isOwn = NAME.test(project) && pathKey(path) === pathKey(this.pathOf(project));
    return isOwn ? project : undefined;
  }

  /** Returns compose files without our own. */
  without(files: readonly string[]): readonly string[] {
    return files.filter((file) => this.projectOf(file) === undefined);
  }

  /** Resolves to what is known of the worktree of a project; undefined if it has none. Never rejects. */
  async read(project: string): Promise<WorktreeRecord | undefined> {
    const known = this.#known.get(project) ?? this.#load(project);
    this.#known.set(project, known);
    const found = await known;
    // It may be there later, written by another window.
    if (!found) this.#known.delete(project);
    return found;
  }

  /** Resolves to all worktrees that have a file. Never rejects. */
  async all(): Promise<readonly WorktreeRecord[]> {
    const names = (await readdir(this.#folder).catch(() => [])).slice(0, MOST_FILES);
    const projects = names.flatMap((name) => this.projectOf(join(this.#folder, name)) ?? []);
    const found = await Promise.all(projects.map((project) => this.#load(project)));
    return found.filter((one) => one !== undefined);
  }

  /**
   * Resolves to what is known of a worktree that may have another branch, and so another name, by now. Never rejects.
   *
   * @param project the name that it has now.
   */
  async find(project: string): Promise<WorktreeRecord | undefined> {
    const names = await readdir(this.#folder).catch(() => []);
    const ending = `-${hashAtEnd(project)}${ENDING}`;
    const name = names.find((one) => one.endsWith(ending));
    const found = name === undefined ? undefined : this.projectOf(join(this.#folder, name));
    return found === undefined ? undefined : this.#load(found);
  }

  /** Writes the file of a project, completely or not at all. @throws InputError for an odd name; file system errors. */
  async write(record: WorktreeRecord, override: string): Promise<string> {
    const { project, folder } = record;
    if (!NAME.test(project))
      throw InputError.of('{0} is not the name of a project.', oneLine(project));
    const path = this.pathOf(project);
    const header = [
      `# The project ${project} of the worktree ${jsonInYaml(folder)}.`,
      '# Made by Gantry from the compose files, and made again with each Up.',
      `${DATA}${jsonInYaml(record)}`,
    ];
    const bytes = Buffer.from(`${[...header, override].join('\n')}\n`);
    await mkdir(this.#folder, { recursive: true });
    if ((await readLocalText(path, { limit: LARGEST })) !== bytes.toString())
      await writeAtomically(Readable.from([bytes]), path, { overwrite: true }).catch(
        async (error: unknown) => {
          // Another window has written the same.
          if ((await readLocalText(path, { limit: LARGEST })) !== bytes.toString()) throw error;
        },
      );
    this.#change(project);
    return path;
  }

  /** Removes the file of a project, if there is one. Never rejects. */
  async remove(project: string): Promise<void> {
    if (!NAME.test(project)) return;
    const isRemoved = await unlink(this.pathOf(project)).then(
      () => true,
      () => false,
    );
    if (isRemoved) this.#change(project);
  }

  dispose(): void {
    this.#changes.dispose();
  }

  #change(project: string): void {
    this.#known.delete(project);
    this.#changes.fire(project);
  }

  async #load(project: string): Promise<WorktreeRecord | undefined> {
    if (!NAME.test(project)) return undefined;
    const text = await readLocalText(this.pathOf(project), { limit: LARGEST });
    const line = text?.split('\n', HEADER).find((one) => one.startsWith(DATA));
    return line === undefined ? undefined : readRecord(project, line.slice(DATA.length));
  }
}

/** What is known of the project of a worktree. The paths are absolute, and not for display. */
export interface WorktreeRecord {
  readonly project: string;
  /** The root of the worktree when the file was written. */
  readonly folder: string;
  /** See `Checkout`. */
  readonly gitFolder: string;
  /** The project in other worktrees, by the name in the compose files. */
  readonly base: string;
  readonly ports: readonly RecordedPort[];
}

type RecordedPort = Pick<HostPort, 'key' | 'service' | 'container' | 'protocol' | 'host' | 'count'>;

const ENDING = '.yaml';
const DATA = '# gantry ';
/** In lines. */
const HEADER = 5;
/** Names that Compose accepts, which have no part of a path in them. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/;
/** In bytes: a thousand services. */
const LARGEST = 4 * 1024 * 1024;
const MOST_FILES = 1_000;

function readRecord(project: string, text: string): WorktreeRecord | undefined {
  const fields = asRecord(tryParseJson(text));
  const [folder = '', gitFolder = '', base = ''] = ['folder', 'gitFolder', 'base'].map((name) =>
    asText(fields[name]),
  );
  if (folder === '' || gitFolder === '') return undefined;
  return { project, folder, gitFolder, base, ports: asList(fields['ports']).flatMap(readPort) };
}

function readPort(value: unknown): readonly RecordedPort[] {
  const fields = asRecord(value);
  const [container, host, count] = ['container', 'host', 'count'].map((name) =>
    asNumber(fields[name]),
  );
  const [key = '', service = '', protocol = ''] = ['key', 'service', 'protocol'].map((name) =>
    asText(fields[name]),
  );
  if (container === undefined || host === undefined || count === undefined) return [];
  return [{ key, service, protocol, container, host, count }];
}
