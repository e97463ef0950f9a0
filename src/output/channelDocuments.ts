import * as vscode from 'vscode';
import { DisposableStore, Emitter, type Disposable } from '../base/lifetime.ts';
import type { TextChannel } from './trimmedChannel.ts';

/** The end of a channel document's path: `extension-output-publisher.name-#3-Gantry: web`. */
const NAME = /-#\d+-(.*)$/s;

/**
 * Maps the documents of output channels to the channels. VS Code has no API for this: it opens a document for a channel
 * only when the channel is first shown, and of several channels with one name, it shows the newest first.
 */
export class ChannelDocuments implements Disposable {
  readonly #channels: Channel[] = [];
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
    const channel = new Channel(output, name, id, () => {
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
    const name = uri.scheme === 'output' ? NAME.exec(uri.path)?.[1] : undefined;
    const address = uri.toString();
    if (name === undefined || this.#channels.some((one) => one.address === address)) return;
    const channel = this.#channels.findLast((one) => one.name === name && !one.address);
    if (channel) channel.address = address;
  };
}

/** A channel and its state in VS Code. */
class Channel implements TextChannel {
  readonly name: string;
  readonly id: string;
  /** The URI of its document; undefined until it is first shown. */
  address: string | undefined;
  readonly #output: vscode.OutputChannel;
  readonly #onEnd: () => void;
  readonly #view = new Emitter<undefined>();
  readonly onDidChangeView = this.#view.event;
  #isInView = false;

  constructor(output: vscode.OutputChannel, name: string, id: string, onEnd: () => void) {
    this.#output = output;
    this.name = name.trim();
    this.id = id;
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
