import { basename } from 'node:path';
import type { Container } from '../engine/model.ts';
import { readProjects, type Project } from './project.ts';

/** Returns the project that was created from exactly these files, if there is one. */
export function projectOfFiles(
  files: readonly string[],
  containers: readonly Container[],
): string | undefined {
  const key = keyOf(files);
  return readProjects(containers).find((one) => keyOf(one.files) === key)?.name;
}

/** Returns the first project that was created from this file and maybe others. */
export function projectWithFile(
  file: string,
  containers: Iterable<Container>,
): Project | undefined {
  const key = pathKey(file);
  return readProjects(containers).find(({ files }) => files.some((one) => pathKey(one) === key));
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
