import * as vscode from 'vscode';
import { DisposableStore, Emitter, type Disposable } from '../base/lifetime.ts';
import type { TextChannel } from './trimmedChannel.ts';

/** The end of a channel document's path: `extension-output-publisher.name-#3-Gantry: web`. */
const PATH = /-#(\d+)-(.*)$/s;

/**
 * Maps the documents of output channels to the channels. VS Code has no API for this: it opens a document for a channel
 * only when the channel is shown, some time after the call. Of several channels with one name, the document of any may
 * be opened first. The path has a number: VS Code numbers the channels of an extension in the order of their creation.
 */
export class ChannelDocuments implements Disposable {
  readonly #channels: Channel[] = [];
  #added = 0;
  /** How many channels earlier extension hosts of this window have created, at least. */
  #addedEarlier = 0;
  readonly #owned = new DisposableStore();

  constructor() {
    this.#owned.listen(vscode.workspace.onDidOpenTextDocument, this.#claim);
    this.#owned.listen(vscode.window.onDidChangeVisibleTextEditors, (editors) => {
      // Editors outside the tabs, such as the Output view.
      const outside = editors.filter(({ viewColumn }) => viewColumn === undefined);
      const inView = new Set(outside.map(({ document }) => document.uri.toString()));
      for (const channel of [...this.#channels]) channel.look(inView);
    });
  }

  /**
   * Registers a channel that was just created.
   *
   * @param id the ID of the container whose log it shows.
   */
  add(output: vscode.OutputChannel, name: string, id: string, onEnd: () => void): TextChannel {
    const channel = new Channel(output, name, id, ++this.#added, () => {
      const index = this.#channels.indexOf(channel);
      if (index >= 0) this.#channels.splice(index, 1);
      onEnd();
    });
    this.#channels.push(channel);
    return channel;
  }

  countOf(name: string): number {
    return this.#channels.filter((channel) => channel.name === name.trim()).length;
  }

  /** Returns the ID of the container whose log is in a document. */
  containerOf(document: vscode.TextDocument): string | undefined {
    return this.#channels.find(({ address }) => address === document.uri.toString())?.id;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  readonly #claim = ({ uri }: vscode.TextDocument): void => {
    const [, number, name] = (uri.scheme === 'output' ? PATH.exec(uri.path) : null) ?? [];
    const namesakes = this.#channels.filter((one) => one.name === name);
    if (namesakes.length === 0) return;
    // A document belongs to a channel that was already added.
    this.#addedEarlier = Math.max(this.#addedEarlier, Number(number) - this.#added);
    const position = Number(number) - this.#addedEarlier;
    const channel =
      namesakes.find((one) => one.position === position) ??
      namesakes.findLast((one) => !one.address);
    if (channel) channel.address = uri.toString();
  };
}

/** A channel and its state in VS Code. */
class Channel implements TextChannel {
  readonly name: string;
  readonly id: string;
  /** Its position in the order of creation, from 1. */
  readonly position: number;
  /** The URI of its document; undefined until it is first shown. */
  address: string | undefined;
  readonly #output: vscode.OutputChannel;
  readonly #onEnd: () => void;
  readonly #view = new Emitter<undefined>();
  readonly onDidChangeView = this.#view.event;
  #isInView = false;

  constructor(
    output: vscode.OutputChannel,
    name: string,
    id: string,
    position: number,
    onEnd: () => void,
  ) {
    this.#output = output;
    this.name = name.trim();
    this.id = id;
    this.position = position;
    this.#onEnd = onEnd;
  }

  append(text: string): void {
    this.#output.append(text);
  }

  show(preserveFocus: boolean): void {
    this.#output.show(preserveFocus);
  }

  get isInView(): boolean {
    return this.#isInView;
  }

  look(inView: ReadonlySet<string>): void {
    const isInView = this.address !== undefined && inView.has(this.address);
    if (isInView === this.#isInView) return;
    this.#isInView = isInView;
    this.#view.fire(undefined);
  }

  dispose(): void {
    this.#output.dispose();
    this.#view.dispose();
    this.#onEnd();
  }
}
