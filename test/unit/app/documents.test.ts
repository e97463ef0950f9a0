import assert from 'node:assert/strict';
import { act, shown } from '../support/fakeEditor.ts';
import { providers } from '../support/fakeVscode.ts';

const { Documents } = await import('../../../src/app/documents.ts');

interface Texts {
  readonly provideTextDocumentContent: (uri: object) => string;
}

describe('Documents', () => {
  it('shows objects of the same name but another kind or engine in documents of their own', async () => {
    act();
    const documents = new Documents();
    await documents.showJson('docker', 'container', 'proxy', 1);
    await documents.showJson('docker', 'network', 'proxy', 2);
    await documents.showJson('podman', 'network', 'proxy', 3);
    await documents.showJson('docker', 'container', 'proxy', 4);
    const uris = shown().map(({ text }) => text);
    const { provideTextDocumentContent } = providers.get('gantry-inspect') as Texts;
    assert.deepEqual(
      uris.map((uri) => provideTextDocumentContent({ toString: () => uri })),
      ['4\n', '2\n', '3\n', '4\n'],
    );
    documents.dispose();
  });
});
