// Reads the text of output channels as VS Code shows it.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../../../bed/until.ts';

/**
 * Returns the text of a channel that has been shown; undefined if there is none. Of several channels with this
 * name, the newest counts.
 */
export function textOf(channel: string): string | undefined {
  return documentOf(channel)?.getText().replaceAll('\r\n', '\n');
}

/** Returns the document of that channel. */
function documentOf(channel: string): vscode.TextDocument | undefined {
  const found = vscode.workspace.textDocuments.flatMap((document) => {
    const [, number, name] = /-#(\d+)-(.*)$/s.exec(document.uri.path) ?? [];
    return document.uri.scheme === 'output' && name === channel ? [{ document, number }] : [];
  });
  return found.sort((a, b) => Number(b.number) - Number(a.number))[0]?.document;
}

/** Waits until a channel shows the expected text; otherwise fails with a diff. */
export async function assertShows(channel: string, expected: string): Promise<void> {
  await settled(channel, (text) => text === expected);
  assert.equal(textOf(channel), expected);
}

/** Waits until a channel's text passes the check; resolves to the text. */
export async function shown(channel: string, check: (text: string) => boolean): Promise<string> {
  await settled(channel, check);
  const text = textOf(channel);
  assert.ok(text !== undefined && check(text), `The channel ${channel} has: ${text ?? 'nothing'}`);
  return text;
}

/** VS Code shows a text some time after it was written to the channel. */
async function settled(channel: string, check: (text: string) => boolean): Promise<void> {
  const isSo = (): boolean => {
    const text = textOf(channel);
    return text !== undefined && check(text);
  };
  await until(isSo, 'the text', 15_000).catch(() => undefined);
}
