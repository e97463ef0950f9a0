import { basename } from 'node:path';
import type { Container } from '../engine/model.ts';
import { readProjects, type Project } from './project.ts';

/** Returns the projects that were created from exactly these files, sorted by name. */
export function projectsOfFiles(
  files: readonly string[],
  containers: Iterable<Container>,
): readonly string[] {
  const key = keyOf(files);
  return readProjects(containers).flatMap((one) => (keyOf(one.files) === key ? [one.name] : []));
}

/** Returns the projects that were created from this file and maybe others, sorted by name. */
export function projectsWithFile(
  file: string,
  containers: Iterable<Container>,
): readonly Project[] {
  return readProjects(containers).filter((one) => hasFile(one, file));
}

/** Returns {@link projectsWithFile} of several engines, in their order. */
export function projectsOfEngines<Engine>(
  file: string,
  engines: Iterable<readonly [engine: Engine, containers: Iterable<Container>]>,
): readonly ProjectOfEngine<Engine>[] {
  return [...engines].flatMap(([engine, containers]) =>
    projectsWithFile(file, containers).map((project) => ({ engine, project })),
  );
}

/** A project, and the engine that it is on. */
export interface ProjectOfEngine<Engine> {
  readonly engine: Engine;
  readonly project: Project;
}

/** Whether a project was created from this file and maybe others. */
export function hasFile({ files }: Project, file: string): boolean {
  const key = pathKey(file);
  return files.some((one) => pathKey(one) === key);
}

/** Returns the name that Compose gives to a project in a folder. */
export function projectName(folder: string): string {
  return basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '')
    .replace(/^[_-]+/, '');
}

function keyOf(files: readonly string[]): string {
  return files.map(pathKey).join('\n');
}

/** Returns a path to compare. VS Code writes the letter of a Windows drive in lower case, a shell in upper case. */
export function pathKey(path: string): string {
  return path.replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
}
