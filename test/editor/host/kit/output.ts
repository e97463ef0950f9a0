// What stands in an output channel, as the editor shows it.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../../../bed/http.ts';

/** The text of a channel that has been shown, of several of its name the newest; undefined where there is none. */
export function textOf(channel: string): string | undefined {
  return documentOf(channel)?.getText().replaceAll('\r\n', '\n');
}

/** The document of that channel. */
export function documentOf(channel: string): vscode.TextDocument | undefined {
  const found = vscode.workspace.textDocuments.flatMap((document) => {
    const [, number, name] = /-#(\d+)-(.*)$/s.exec(document.uri.path) ?? [];
    return document.uri.scheme === 'output' && name === channel ? [{ document, number }] : [];
  });
  return found.sort((a, b) => Number(b.number) - Number(a.number))[0]?.document;
}

/** Waits until a channel's text is as it should be; otherwise fails with what it is. */
export async function assertShows(channel: string, expected: string): Promise<void> {
  await settled(channel, (text) => text === expected);
  const text = textOf(channel);
  if (text === expected) return;
  // Of a long text the place where it goes wrong says more than all of it.
  const from = Math.max(0, firstDifference(text ?? '', expected) - 200);
  assert.equal(text?.slice(from, from + 1000), expected.slice(from, from + 1000));
  assert.fail('The texts differ in length alone.');
}

/** Waits until a channel's text passes the check; resolves to it. */
export async function shown(channel: string, check: (text: string) => boolean): Promise<string> {
  await settled(channel, check);
  const text = textOf(channel);
  assert.ok(text !== undefined && check(text), `The channel ${channel} has: ${text ?? 'nothing'}`);
  return text;
}

/** The editor shows a channel some time after it was written. */
async function settled(channel: string, check: (text: string) => boolean): Promise<void> {
  const isSo = (): boolean => {
    const text = textOf(channel);
    return text !== undefined && check(text);
  };
  await until(isSo, 'the text', 15_000).catch(() => undefined);
}

function firstDifference(a: string, b: string): number {
  let place = 0;
  while (place < a.length && a[place] === b[place]) place++;
  return place;
}
