import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { TextChannel } from '../../../src/output/trimmedChannel.ts';
import type * as channelDocuments from '../../../src/output/channelDocuments.ts';
import '../support/fakeEditor.ts';
import { FakeChannel } from '../support/fakeChannel.ts';
import { changedEditors, openedDocuments, Uri } from '../support/fakeVscode.ts';

describe('output/channelDocuments: the channel of a document', () => {
  let documents: channelDocuments.ChannelDocuments;
  let ended: string[];
  let opened: number;
  beforeEach(async () => {
    const { ChannelDocuments } = await import('../../../src/output/channelDocuments.ts');
    documents = new ChannelDocuments();
    ended = [];
    opened = 0;
  });
  afterEach(() => documents.dispose());

  function add(name: string, id: string): TextChannel {
    const output = new FakeChannel(name) as unknown as vscode.OutputChannel;
    return documents.add(output, name, id, () => ended.push(id));
  }

  /** Opens a document like VS Code does: for a channel with this name, unless another scheme is given. */
  function open(name: string, scheme = 'output'): vscode.TextDocument {
    const uri = new Uri(scheme, '', `extension-output-me.gantry-#${++opened}-${name}`);
    openedDocuments.fire({ uri });
    return { uri } as unknown as vscode.TextDocument;
  }

  it('is found by its name, ignoring surrounding spaces', () => {
    add(' Gantry: web ', 'web');
    const db = open('Gantry: db');
    const file = open('Gantry: web', 'file');
    const web = open('Gantry: web');
    assert.deepEqual(
      [db, file, web].map((one) => documents.containerOf(one)),
      [undefined, undefined, 'web'],
    );
    assert.deepEqual([documents.countOf('Gantry: web '), documents.countOf('web')], [1, 0]);
  });

  it('is the newest of several channels with one name, then the one before', () => {
    add('web', 'first');
    add('web', 'second');
    const one = open('web');
    const two = open('web');
    const three = open('web');
    openedDocuments.fire({ uri: one.uri as unknown as Uri });
    assert.deepEqual(
      [one, two, three].map((document) => documents.containerOf(document)),
      ['second', 'first', undefined],
    );
  });

  it('is in view while its document is shown outside the tabs', () => {
    const channel = add('web', 'web');
    let changes = 0;
    channel.onDidChangeView(() => changes++);
    const show = (document: vscode.TextDocument, viewColumn?: number): boolean => {
      changedEditors.fire([{ document, viewColumn }]);
      return channel.isInView;
    };
    const web = open('web');
    const other = open('other');
    assert.deepEqual([show(other), show(web, 1), changes], [false, false, 0]);
    assert.deepEqual([show(web), show(web), changes], [true, true, 1]);
    assert.deepEqual([show(other), changes], [false, 2]);
  });

  it('is undefined after the channel was disposed', () => {
    const first = add('web', 'first');
    const second = add('web', 'second');
    const document = open('web');
    second.dispose();
    assert.deepEqual([documents.containerOf(document), documents.countOf('web')], [undefined, 1]);
    assert.deepEqual(ended, ['second']);
    first.dispose();
    first.dispose();
    assert.equal(documents.countOf('web'), 0);
  });
});
