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

/** Returns the first of {@link projectsWithFile}. */
export function projectWithFile(
  file: string,
  containers: Iterable<Container>,
): Project | undefined {
  return readProjects(containers).find((one) => hasFile(one, file));
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
