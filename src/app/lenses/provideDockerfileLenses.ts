import * as vscode from 'vscode';
import type { CodeLensMode } from '../../base/settings.ts';
import { parseDockerfile } from '../../engine/builds/dockerfile/dockerfile.ts';
import { dockerfileLenses } from './dockerfileLenses.ts';

/** A file that is larger gets no lenses, in characters: it is read in one turn after each change. */
const LONGEST_TEXT = 128 * 1024;

/** Returns what can be built, above the last or each stage of a Dockerfile. */
export function provideDockerfileLenses(
  document: vscode.TextDocument,
  mode: CodeLensMode,
): vscode.CodeLens[] {
  const { uri } = document;
  const text = document.getText();
  if (text.length > LONGEST_TEXT) return [];
  const lenses = dockerfileLenses(parseDockerfile(text), mode === 'state');
  return lenses.map(({ line, title, target }) => {
    const command = 'gantry.images.build';
    // The second argument marks it as a choice of the user, as that of a menu.
    const args = [uri.with({ fragment: target }), []];
    const range = new vscode.Range(line, 0, line, 0);
    return new vscode.CodeLens(range, { title, command, arguments: args });
  });
}
