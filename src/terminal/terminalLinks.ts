import * as vscode from 'vscode';
import { filePlacesIn } from '../logs/text/filePlaces.ts';
import type { FilePlace } from '../logs/text/sourcePath.ts';
import { plainOf } from '../logs/text/plain.ts';
import { signalOf, type Disposable } from '../lifetime.ts';
import { oneLine } from '../plainText.ts';

/** A file of the person's that a container's output speaks of. */
export interface LinkedPlace {
  /** Path on this machine. */
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly title: string;
}

/** Finds the file that a place in a container's output means. */
export interface LinkedPlaces {
  find(
    containerId: string,
    place: FilePlace,
    signal: AbortSignal,
  ): Promise<LinkedPlace | undefined>;
}

class PlaceLink extends vscode.TerminalLink {
  readonly place: LinkedPlace;

  constructor(start: number, length: number, place: LinkedPlace) {
    super(start, length, oneLine(place.title));
    this.place = place;
  }
}

/** Of one line; more are noise. */
const MOST_LINKS = 8;

/** Whose terminal, and where its links lead. */
export interface LinkedContainer {
  readonly id: string;
  readonly places: LinkedPlaces;
}

/**
 * Makes links of the places in sources that a line of our terminals names, where the file is there.
 *
 * @param containerOf undefined for terminals of others, which get no links.
 */
export function linkTerminals(
  containerOf: (terminal: vscode.Terminal) => LinkedContainer | undefined,
): Disposable {
  const provider: vscode.TerminalLinkProvider<PlaceLink> = {
    provideTerminalLinks: async ({ line, terminal }, token) => {
      const container = containerOf(terminal);
      if (!container) return [];
      const cancel = signalOf(token);
      try {
        return await linksIn(plainOf(line), container, cancel.signal);
      } catch {
        // Nobody waits for them any more, or the engine is away: then they lead nowhere now.
        return [];
      } finally {
        cancel.dispose();
      }
    },
    handleTerminalLink: ({ place }) => openPlace(place),
  };
  return vscode.window.registerTerminalLinkProvider(provider);
}

async function linksIn(
  line: string,
  { id, places }: LinkedContainer,
  signal: AbortSignal,
): Promise<PlaceLink[]> {
  const found = filePlacesIn(line).slice(0, MOST_LINKS);
  const links = found.map(async ({ start, end, ...rest }): Promise<PlaceLink[]> => {
    const place = await places.find(id, { start, end, ...rest }, signal);
    return place ? [new PlaceLink(start, end - start, place)] : [];
  });
  return (await Promise.all(links)).flat();
}

async function openPlace({ path, line, column }: LinkedPlace): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), Math.max(0, (column ?? 1) - 1));
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
}
