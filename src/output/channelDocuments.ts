import * as vscode from 'vscode';
import { Emitter, type Disposable, type Event } from '../lifetime.ts';

/** A channel's name as its document's address ends: `extension-output-publisher.name-#3-Gantry: web`. */
const NAME = /-#\d+-(.*)$/s;

/**
 * Which document of the editor is which channel. The editor tells nobody: it has a document for a channel only once
 * that is shown, and of several of one name the one that was made last is shown first.
 */
export class ChannelDocuments implements Disposable {
  readonly #channels: Channel[] = [];
  readonly #subscriptions: readonly Disposable[];

  constructor() {
    this.#subscriptions = [
      vscode.workspace.onDidOpenTextDocument((document) => {
        this.#claim(document);
      }),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        const inView = documentsInView(editors);
        for (const channel of [...this.#channels]) channel.look(inView);
      }),
    ];
  }

  /** Takes note of a channel that is made now. @param id of the container whose log it has */
  add(name: string, id: string): ChannelView {
    const channel = new Channel(name, id, () => {
      const place = this.#channels.indexOf(channel);
      if (place >= 0) this.#channels.splice(place, 1);
    });
    this.#channels.push(channel);
    return channel;
  }

  /** How many channels of that name there are. */
  countOf(name: string): number {
    return this.#channels.filter((channel) => channel.name === name.trim()).length;
  }

  /** The id of the container whose log a document has. */
  containerOf(document: vscode.TextDocument): string | undefined {
    return this.#channels.find(({ address }) => address === document.uri.toString())?.id;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #claim({ uri }: vscode.TextDocument): void {
    const name = uri.scheme === 'output' ? NAME.exec(uri.path)?.[1] : undefined;
    const address = uri.toString();
    if (name === undefined || this.#channels.some((one) => one.address === address)) return;
    const channel = this.#channels.findLast((one) => one.name === name && !one.address);
    if (channel) channel.address = address;
  }
}

/** A channel as the editor shows it. */
export interface ChannelView extends Disposable {
  /** Whether it is what the Output view shows. */
  readonly isInView: boolean;
  readonly onDidChangeView: Event<undefined>;
}

class Channel implements ChannelView {
  readonly name: string;
  readonly id: string;
  /** Its document's; undefined until it is shown for the first time. */
  address: string | undefined;
  readonly #forget: () => void;
  readonly #view = new Emitter<undefined>();
  readonly onDidChangeView = this.#view.event;
  #isInView = false;

  constructor(name: string, id: string, forget: () => void) {
    this.name = name.trim();
    this.id = id;
    this.#forget = forget;
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
    this.#forget();
    this.#view.dispose();
  }
}

/** The addresses of what is shown elsewhere than among the tabs. */
function documentsInView(editors: readonly vscode.TextEditor[]): ReadonlySet<string> {
  const outside = editors.filter(({ viewColumn }) => viewColumn === undefined);
  return new Set(outside.map(({ document }) => document.uri.toString()));
}
