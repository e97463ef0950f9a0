import { literal } from '../composeBuild.ts';
import { readComposeFile } from '../composeFile.ts';
import { readComposeText } from '../projectFiles.ts';

/** Returns the name that compose files have written; undefined if they have none, or one with variables. Never rejects. */
export async function writtenName(files: readonly string[]): Promise<string | undefined> {
  let written: string | undefined;
  for (const file of files) {
    const text = await readComposeText(file);
    const read = text === undefined ? undefined : await readComposeFile(text);
    written = literal(read?.name) ?? written;
  }
  return written;
}
