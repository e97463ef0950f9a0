import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * Returns the absolute path of a program on the PATH; undefined if there is none. A program that runs in a folder of
 * the workspace must be named so: Windows would first look for its name there.
 */
export async function programPath(
  name: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (isAbsolute(name)) return name;
  const isWindows = process.platform === 'win32';
  const paths = env['PATH'] ?? env['Path'] ?? '';
  for (const folder of paths.split(delimiter)) {
    const path = join(folder, isWindows ? `${name}.exe` : name);
    if (isAbsolute(folder) && (await canRun(path))) return path;
  }
  return undefined;
}

async function canRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
