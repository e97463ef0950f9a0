import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { ChannelDocuments } from '../../../src/output/channelDocuments.ts';
import type { ChannelLinks } from '../../../src/output/channelLinks.ts';
import '../support/fakeEditor.ts';
import { changedDocuments, closedDocuments, Uri } from '../support/fakeVscode.ts';

const TOKEN = {
  isCancellationRequested: false,
  onCancellationRequested: () => ({ dispose: () => undefined }),
};

describe('output/channelLinks: the files of a channel', () => {
  let links: ChannelLinks;
  let searched: string[];
  const lines = ['at /app/src/pay.go:7', ''];
  const document = {
    uri: new Uri('output', '', 'extension-output-me.gantry-#1-web'),
    get lineCount() {
      return lines.length;
    },
    lineAt: (line: number) => ({ text: lines[line] ?? '' }),
  };

  beforeEach(async () => {
    const { ChannelLinks } = await import('../../../src/output/channelLinks.ts');
    searched = [];
    const documents = { containerOf: () => 'web' } as unknown as ChannelDocuments;
    links = new ChannelLinks(documents, {
      onDidChange: () => ({ dispose: () => undefined }),
      find: (id, { path }) => {
        searched.push(`${id} ${path}`);
        return Promise.resolve(undefined);
      },
    });
  });

  afterEach(() => links.dispose());

  async function look(): Promise<void> {
    const found = await links.provideDocumentLinks(
      document as unknown as vscode.TextDocument,
      TOKEN,
    );
    assert.deepEqual(found, []);
  }

  it('are searched once, and again after its document was closed', async () => {
    await look();
    await look();
    assert.deepEqual(searched, ['web /app/src/pay.go']);
    closedDocuments.fire(document);
    await look();
    assert.equal(searched.length, 2);
  });

  it('are those of changed lines', async () => {
    await look();
    lines[0] = 'at /app/src/cart.go:9';
    changedDocuments.fire({ document, contentChanges: [{ range: { start: { line: 0 } } }] });
    await look();
    assert.deepEqual(searched, ['web /app/src/pay.go', 'web /app/src/cart.go']);
  });
});
