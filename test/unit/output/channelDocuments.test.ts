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
  beforeEach(async () => {
    const { ChannelDocuments } = await import('../../../src/output/channelDocuments.ts');
    documents = new ChannelDocuments();
    ended = [];
  });
  afterEach(() => documents.dispose());

  function add(name: string, id: string): TextChannel {
    const output = new FakeChannel(name) as unknown as vscode.OutputChannel;
    return documents.add(output, name, id, () => ended.push(id));
  }

  /** Opens a document like VS Code does: for the channel with this number, unless another scheme is given. */
  function open(name: string, number: number, scheme = 'output'): vscode.TextDocument {
    const uri = new Uri(scheme, '', `extension-output-me.gantry-#${number}-${name}`);
    openedDocuments.fire({ uri });
    return { uri } as unknown as vscode.TextDocument;
  }

  function owners(opened: readonly vscode.TextDocument[]): readonly (string | undefined)[] {
    return opened.map((document) => documents.containerOf(document));
  }

  it('is found by its name, ignoring surrounding spaces', () => {
    add(' Gantry: web ', 'web');
    const db = open('Gantry: db', 2);
    const file = open('Gantry: web', 1, 'file');
    const web = open('Gantry: web', 1);
    assert.deepEqual(owners([db, file, web]), [undefined, undefined, 'web']);
    assert.deepEqual([documents.countOf('Gantry: web '), documents.countOf('web')], [1, 0]);
  });

  it('is found by its number among channels with one name, in whatever order the documents open', () => {
    add('web', 'first');
    add('web', 'second');
    add('web', 'third');
    const opened = [1, 3, 2].map((number) => open('web', number));
    assert.deepEqual(owners(opened), ['first', 'third', 'second']);
  });

  it('is not in view while another channel with its name is', () => {
    const replaced = add('web', 'web');
    const newest = add('web', 'web');
    const look = (document: vscode.TextDocument): readonly boolean[] => {
      changedEditors.fire([{ document, viewColumn: undefined }]);
      return [replaced.isInView, newest.isInView];
    };
    const first = open('web', 1);
    assert.deepEqual(look(first), [true, false]);
    assert.deepEqual(look(open('web', 2)), [false, true]);
  });

  it('is found when an earlier extension host has created channels too', () => {
    add('db', 'db');
    add('web', 'first');
    const both = [open('db', 8), open('web', 9)];
    assert.deepEqual(owners(both), ['db', 'first']);
    add('web', 'second');
    add('web', 'third');
    const opened = [9, 10, 11].map((number) => open('web', number));
    assert.deepEqual(owners(opened), ['first', 'second', 'third']);
  });

  it('is in view while its document is shown outside the tabs', () => {
    const channel = add('web', 'web');
    let changes = 0;
    channel.onDidChangeView(() => changes++);
    const show = (document: vscode.TextDocument, viewColumn?: number): boolean => {
      changedEditors.fire([{ document, viewColumn }]);
      return channel.isInView;
    };
    const web = open('web', 1);
    const other = open('other', 2);
    assert.deepEqual([show(other), show(web, 1), changes], [false, false, 0]);
    assert.deepEqual([show(web), show(web), changes], [true, true, 1]);
    assert.deepEqual([show(other), changes], [false, 2]);
  });

  it('is undefined after the channel was disposed', () => {
    const first = add('web', 'first');
    const second = add('web', 'second');
    const document = open('web', 2);
    second.dispose();
    assert.deepEqual([documents.containerOf(document), documents.countOf('web')], [undefined, 1]);
    assert.deepEqual(ended, ['second']);
    first.dispose();
    first.dispose();
    assert.equal(documents.countOf('web'), 0);
  });
});
