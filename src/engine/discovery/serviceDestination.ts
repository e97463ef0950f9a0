/** One `[engine.service_destinations.NAME]` of Podman's configuration; empty where a field is not there. */
export interface ServiceDestination {
  readonly uri: string;
  /** The path of a private key. */
  readonly identity: string;
}

const TABLE =
  /^\[\s*engine\s*\.\s*service_destinations\s*\.\s*(?:"([^"\\]*)"|'([^']*)'|([\w-]+))\s*\](?:\s*#.*)?$/;
const ENTRY = /^(uri|identity)\s*=\s*(?:("(?:[^"\\]|\\.)*")|'([^']*)')(?:\s*#.*)?$/;

/**
 * Reads from a `containers.conf` what older versions of Podman kept there of connections. Only this one table,
 * each entry in a line of its own as Podman writes it; whatever else is in the file is passed over.
 */
export function readServiceDestinations(text: string): ReadonlyMap<string, ServiceDestination> {
  const found = new Map<string, ServiceDestination>();
  let name: string | undefined;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed.startsWith('[')) {
      const [, quoted, literal, bare] = TABLE.exec(trimmed) ?? [];
      name = quoted ?? literal ?? bare;
      if (name !== undefined && !found.has(name)) found.set(name, { uri: '', identity: '' });
    } else if (name !== undefined) {
      const [, key, quoted, literal] = ENTRY.exec(trimmed) ?? [];
      const before = found.get(name);
      if (key === undefined || !before) continue;
      found.set(name, { ...before, [key]: literal ?? unquoted(quoted) });
    }
  }
  return found;
}

/** Of the escapes, those that JSON has, too: there are no others in an address or a path. */
function unquoted(text: string | undefined): string {
  try {
    const value: unknown = JSON.parse(text ?? '""');
    return typeof value === 'string' ? value : '';
  } catch {
    return '';
  }
}
