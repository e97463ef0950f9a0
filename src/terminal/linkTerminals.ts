import * as vscode from 'vscode';
import { findSourceReferences } from '../logs/text/findSourceReferences.ts';
import type { SourceReference } from '../logs/text/sourcePath.ts';
import { visibleText } from '../logs/text/visibleText.ts';
import { signalOf, type Disposable } from '../lifetime.ts';
import { oneLine } from '../plainText.ts';

/**
 * Makes links of the places in sources that a line of our terminals names, where the file is there.
 *
 * @param containerOf undefined for terminals of others, which get no links.
 */
export function linkTerminals(
  containerOf: (terminal: vscode.Terminal) => LinkedContainer | undefined,
): Disposable {
  const provider: vscode.TerminalLinkProvider<LocationLink> = {
    provideTerminalLinks: async ({ line, terminal }, token) => {
      const container = containerOf(terminal);
      if (!container) return [];
      const cancel = signalOf(token);
      try {
        return await linksIn(visibleText(line), container, cancel.signal);
      } catch {
        // Nobody waits for them any more, or the engine is away: then they lead nowhere now.
        return [];
      } finally {
        cancel.dispose();
      }
    },
    handleTerminalLink: ({ location }) => openLocation(location),
  };
  return vscode.window.registerTerminalLinkProvider(provider);
}

/** A file of the person's that a container's output speaks of. */
export interface LinkedLocation {
  /** Path on this machine. */
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly title: string;
}

/** Finds the file that a place in a container's output means. */
export interface LocationFinder {
  find(
    containerId: string,
    place: SourceReference,
    signal: AbortSignal,
  ): Promise<LinkedLocation | undefined>;
}

class LocationLink extends vscode.TerminalLink {
  readonly location: LinkedLocation;

  constructor(start: number, length: number, place: LinkedLocation) {
    super(start, length, oneLine(place.title));
    this.location = place;
  }
}

/** Of one line; more are noise. */
const MOST_LINKS = 8;

/** Whose terminal, and where its links lead. */
export interface LinkedContainer {
  readonly id: string;
  readonly locations: LocationFinder;
}

async function linksIn(
  line: string,
  { id, locations }: LinkedContainer,
  signal: AbortSignal,
): Promise<LocationLink[]> {
  const found = findSourceReferences(line).slice(0, MOST_LINKS);
  const links = found.map(async ({ start, end, ...rest }): Promise<LocationLink[]> => {
    const place = await locations.find(id, { start, end, ...rest }, signal);
    return place ? [new LocationLink(start, end - start, place)] : [];
  });
  return (await Promise.all(links)).flat();
}

async function openLocation({ path, line, column }: LinkedLocation): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), Math.max(0, (column ?? 1) - 1));
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
}
