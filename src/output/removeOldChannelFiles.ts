import * as vscode from 'vscode';

/** A channel's file: a number that grows, and the channel's name. */
const FILE = /^(\d+)-(.*)\.log$/s;

/**
 * Removes the files of channels of this name that were given up for a newer one: the editor would keep each of them
 * until long after the window is closed. Where they stand is the editor's own affair; elsewhere nothing is removed,
 * and what cannot be removed stays.
 *
 * @param logUri the extension's own folder for logs, beside the one with the channels' files.
 */
export async function removeOldChannelFiles(logUri: vscode.Uri, name: string): Promise<void> {
  const { fs } = vscode.workspace;
  try {
    const around = vscode.Uri.joinPath(logUri, '..');
    const folders = (await fs.readDirectory(around)).map(([folder]) => folder);
    const newest = folders.filter((folder) => folder.startsWith('output_logging_')).sort();
    const folder = vscode.Uri.joinPath(around, newest.at(-1) ?? 'none');
    const files = (await fs.readDirectory(folder)).map(([file]) => file);
    for (const file of olderThanNewest(files, name)) {
      await fs.delete(vscode.Uri.joinPath(folder, file), { useTrash: false });
    }
  } catch {
    // A file that is still open cannot be removed on every system: the next time tries again.
  }
}

function olderThanNewest(files: readonly string[], name: string): readonly string[] {
  const wanted = name.trim().replace(/[\\/:*?"<>|]/g, '');
  const found = files.flatMap((file) => {
    const [, number, title] = FILE.exec(file) ?? [];
    return title === wanted ? [{ file, number: Number(number) }] : [];
  });
  found.sort((a, b) => a.number - b.number);
  return found.slice(0, -1).map(({ file }) => file);
}
